# Rigid contacts against soft ones. Above, over time, the block's angle and the rate of rotation of a body
# that lands on two limbs: on rigid contacts, on springs at the least damping, and by MuJoCo. Below, how far
# the angle is from that on rigid contacts, over the time that a run takes: on springs of growing stiffness, at
# each damping ratio, and by MuJoCo at each of its steps. `few` draws one of MuJoCo's integrators and at most
# three damping ratios, `name` is the figure's file.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = exists("name") ? name : 'fig_rigid_soft'
needs = 'rigid_soft.csv:system,engine,contacts,choice,integrator,time_step,delta_t,damping_ratio,stiffness,'. \
  'angle_rms,time_s rigid_soft_paths.csv:system,engine,contacts,choice,integrator,time_step,delta_t,'. \
  'damping_ratio,stiffness,t,angle,rate'
load ARG0[1:strlen(ARG0) - strlen('fig_rigid_soft.gp')].'theme.gp'
table = data.'/rigid_soft.csv'
paths = data.'/rigid_soft_paths.csv'

is(name, text) = strcol(name) eq text
rigid(s) = is("system", s) && is("contacts", 'rigid') && !(cell("delta_t") > 0)
springs(s, z) = is("system", s) && is("engine", 'libess') && is("contacts", 'springs') && \
  is("damping_ratio", z)
mujoco(s, c, i) = is("system", s) && is("choice", c) && is("integrator", i)

# damping ratios, stiffnesses, MuJoCo's integrators and steps in their order
ratios = ''; found = ''; integrators = ''; steps = ''
stats table using (is("engine", 'libess') && is("contacts", 'springs') ? \
  (ratios = including(ratios, strcol("damping_ratio")), found = including(found, strcol("stiffness")), 0) : \
  is("engine", 'mujoco') ? (integrators = including(integrators, strcol("integrator")), \
  steps = including(steps, strcol("time_step")), 0) : 0) nooutput
eval restart
stats table using (see(positive(1e3 * cell("time_s")))) nooutput
time_range = log_range('x')
eval restart
stats table using (is("choice", 'stiffest') ? 0 : see(positive(cell("angle_rms")))) nooutput
distance_range = log_range('y')
by = word(integrators, words(integrators))
last = word(ratios, words(ratios))
if (exists("few")) {
  integrators = by
  ratios = words(ratios) > 3 ? word(ratios, 1).' '.word(ratios, 2).' '.last : ratios
}
longest = word(steps, 1)
stiffest = word(found, words(found) < 3 ? 1 : words(found) - 2)

# what rigid contacts take, and what MuJoCo takes to come nearest to them
array exact[2]
array nearest[2]
array nearest_in[2]
array systems[2] = ['block', 'trot']
array titles[2] = ['a rocking block', 'a landing on two limbs']
do for [k = 1:2] {
  exact[k] = NaN
  nearest[k] = NaN
  nearest_in[k] = NaN
  note(_) = !(nearest[k] <= cell("angle_rms")) ? (nearest[k] = cell("angle_rms"), nearest_in[k] = 1e3 * cell("time_s"), 0) : 0
  stats table using (rigid(systems[k]) ? (exact[k] = 1e3 * cell("time_s"), 0) : 0) nooutput
  stats table using (is("system", systems[k]) && is("choice", 'closest') && \
    known(positive(cell("angle_rms"))) && known(cell("time_s")) ? note(0) : 0) nooutput
}
spoken(k) = known(exact[k]) && known(nearest[k]) ? sprintf('libess takes %s ms with rigid contacts, MuJoCo %s ms to come within %s rad', \
  short(exact[k], 2), short(nearest_in[k], 2), short(nearest[k], 2)) : ''

# rigid contacts are libess's own colour, springs its other shades
hue(z) = shade_of('#8FD6BE #3DBE97 #006B4E #003D2C', words(ratios) + 1 - place(ratios, z), words(ratios))
# MuJoCo's integrators are told apart by their points, damping ratios by their shades
point_of(i) = int(word(sprintf('%d 9 7', mujoco_mark), (place(integrators, i) - 1) % 3 + 1))
default_hue = word(mujoco_shades, 2)
number(text) = sprintf('%g', real(text))
power(k) = gprintf('10^{%T}', real(k)).' N/m'
ms(text) = sprintf('%g ms', 1000 * real(text))
of_spring(s) = springs(s, last) && strcol("stiffness") eq stiffest ? 1000 * cell("t") : NaN
step(s, c) = mujoco(s, c, by) && strcol("time_step") eq longest ? 1000 * cell("t") : NaN
exactly = "with lines lc rgb libess_hue lw 2.6"

# a legend above each panel has a row for each entry
keys = 0.14 * (words(ratios) + words(integrators) + 2)
upper = 2.75 + keys
eval canvas(7, upper + 2.95)
set multiplot
do for [k = 1:2] {
  s = systems[k]
  what = k == 1 ? 'angle' : 'rate'
  unset logscale; set autoscale
  eval panel(k == 1 ? 0.76 : 4.32, upper, 2.5, 1.6)
  eval ylabel(k == 1 ? 'angle of the block, rad' : 'rate of rotation, rad/s')
  set label 98 '{/:Bold '.titles[k].'}' at graph 0, 1.48 left
  set label 97 spoken(k) at screen 0.5, 1 - (0.14 + 0.18 * (k - 1)) / height center
  if (spoken(k) ne '') { set label 97 (k == 1 ? 'Block: ' : 'Landing: ').spoken(k) }
  set xlabel 'time, ms' offset 0, 0.4
  set xrange [k == 1 ? 0 : 200:k == 1 ? 350 : 400]
  set format '%g'
  set xtics k == 1 ? 100 : 50
  set ytics autofreq
  eval key_over(1)
  plot paths using (rigid(s) ? 1000 * cell("t") : NaN):(cell(what)) @exactly title 'rigid, libess', \
    paths using (of_spring(s)):(cell(what)) with lines lc rgb hue(last) lw 1.4 title 'springs, ζ = '.number(last), \
    paths using (step(s, 'default')):(cell(what)) with lines lc rgb default_hue lw 1.4 title 'MuJoCo, default', \
    paths using (step(s, 'closest')):(cell(what)) with lines lc rgb mujoco_hue lw 1.4 title 'MuJoCo, closest'
}
unset label 97
do for [k = 1:2] {
  s = systems[k]
  unset logscale; set autoscale
  eval panel(k == 1 ? 0.76 : 4.32, 0.45, 2.5, 1.7)
  unset label 98
  eval time_range
  eval distance_range
  set format '10^{%T}'
  set xtics 10
  set ytics autofreq
  eval ylabel('angle from rigid, RMS, rad')
  set xlabel 'time of a run, ms' offset 0, 0.4
  if (exact[k] > 0) {
    set arrow 9 from first exact[k], graph 0 to first exact[k], graph 1 nohead lc rgb libess_hue lw 2.6
  }
  eval key_over(1)
  plot NaN @exactly title 'rigid, libess', \
    for [z in ratios] table using (springs(s, z) ? 1e3 * cell("time_s") : NaN):(positive(cell("angle_rms"))) \
      with linespoints lc rgb hue(z) lw 1.2 pt libess_mark ps 0.4 * dot title 'springs, ζ = '.number(z), \
    for [i in integrators] table using (mujoco(s, 'closest', i) ? 1e3 * cell("time_s") : NaN):(positive(cell("angle_rms"))) \
      with linespoints lc rgb mujoco_hue lw 1.2 pt point_of(i) ps 0.4 * dot title 'MuJoCo '.i.', closest', \
    for [i in integrators] table using (mujoco(s, 'default', i) ? 1e3 * cell("time_s") : NaN):(positive(cell("angle_rms"))) \
      with linespoints lc rgb default_hue lw 1.2 pt point_of(i) ps 0.4 * dot title place(integrators, i) == 1 ? 'MuJoCo, default' : ''
  unset arrow 9
}
unset multiplot
