# Rigid contacts against soft ones. Above, over time, the block's angle and the rate of rotation of a body
# that lands on two limbs: on rigid contacts, on springs at the least damping, and by MuJoCo. Below, how far
# the angle is from that on rigid contacts, over the time that a run takes: on springs of growing stiffness, at
# each damping ratio, and by MuJoCo at each of its steps: by contacts, and with the force of springs as a
# callback. `few` draws of MuJoCo's integrators the cheapest at each distance, and at most three damping ratios;
# `name` is the figure's file.
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
mujoco(s, c, i) = is("engine", 'mujoco') && is("system", s) && is("choice", c) && is("integrator", i)
callback(s, i) = is("engine", 'mujoco-callback') && is("system", s) && is("choice", 'closest') && is("integrator", i)

# damping ratios, stiffnesses, MuJoCo's integrators and steps in their order
ratios = ''; found = ''; integrators = ''; steps = ''
stats table using (is("engine", 'libess') && is("contacts", 'springs') ? \
  (ratios = including(ratios, strcol("damping_ratio")), found = including(found, strcol("stiffness")), 0) : \
  strcol("integrator") ne '' ? (integrators = including(integrators, strcol("integrator")), \
  steps = including(steps, strcol("time_step")), 0) : 0) nooutput
eval restart
stats table using (see(positive(1e3 * cell("time_s")))) nooutput
time_range = log_range('x')
eval restart
stats table using (is("choice", 'stiffest') ? 0 : see(positive(cell("angle_rms")))) nooutput
distance_range = log_range('y')
by = word(integrators, words(integrators))
last = word(ratios, words(ratios))
# those of all integrators that none beats, which takes less time and comes as close: of a system, by an engine
is_merged = exists("few")
taken(_) = positive(1e3 * cell("time_s"))
off(_) = positive(cell("angle_rms"))
is_of(s, e, c) = is("system", s) && is("engine", e) && is("choice", c) && known(taken(0)) && known(off(0))
chosen(_) = is("choice", 'closest') || is("choice", 'default')
rivals = 0
stats table using (chosen(0) ? (rivals = rivals + 1, 0) : 0) nooutput
array rival[rivals + 1]
array rival_taken[rivals + 1]
array rival_off[rivals + 1]
rivals = 0
of_row(_) = strcol("system").' '.strcol("engine").' '.strcol("choice")
note_rival(_) = chosen(0) && known(taken(0)) && known(off(0)) ? (rivals = rivals + 1, \
  rival[rivals] = of_row(0), rival_taken[rivals] = taken(0), rival_off[rivals] = off(0), 0) : 0
stats table using (note_rival(0)) nooutput
beats(k, w, t, o) = rival[k] eq w && rival_taken[k] <= t && rival_off[k] <= o && (rival_taken[k] < t || rival_off[k] < o)
unbeaten(w, t, o) = rivals == 0 || (sum [k = 1:rivals] beats(k, w, t, o)) == 0
best(s, e, c) = is_of(s, e, c) && unbeaten(of_row(0), taken(0), off(0))
# a part of a plot command for a list, which may be empty: gnuplot would complain even then. Points of several
# integrators are in no order.
curve(v, list, which, how) = list eq '' ? '' : sprintf(", for [%s in '%s'] table using (%s ? taken(0) : NaN):(off(0)) %s", \
  v, list, which, v eq 'e' ? 'smooth unique ' : '').'with linespoints lw 1.2 ps 0.4 * dot lc rgb '.how
# the integrators by which a callback races: on a system
array callbacks[2] = ['', '']
note_callback(k) = (callbacks[k] = including(callbacks[k], strcol("integrator")), 0)
stats table using (is("engine", 'mujoco-callback') ? note_callback(is("system", 'block') ? 1 : 2) : 0) nooutput
if (is_merged) {
  ratios = words(ratios) > 3 ? word(ratios, 1).' '.word(ratios, 2).' '.last : ratios
}
longest = word(steps, 1)
stiffest = word(found, words(found) < 3 ? 1 : words(found) - 2)

# what rigid contacts take, and what MuJoCo takes to come nearest to them
array exact[2]
array nearest[2]
array nearest_in[2]
array called_in[2]
array systems[2] = ['block', 'trot']
array titles[2] = ['a rocking block', 'a landing on two limbs']
do for [k = 1:2] {
  exact[k] = NaN
  nearest[k] = NaN
  nearest_in[k] = NaN
  called_in[k] = NaN
  stats table using (rigid(systems[k]) ? (exact[k] = 1e3 * cell("time_s"), 0) : 0) nooutput
  eval restart
  stats table using (is_of(systems[k], 'mujoco', 'closest') ? see(off(0)) : 0) nooutput
  nearest[k] = low
  reaches(e) = is_of(systems[k], e, 'closest') && off(0) <= 1.01 * nearest[k]
  eval restart
  stats table using (reaches('mujoco') ? see(taken(0)) : 0) nooutput
  nearest_in[k] = low
  eval restart
  stats table using (reaches('mujoco-callback') ? see(taken(0)) : 0) nooutput
  called_in[k] = low
}
spoken(k) = known(exact[k]) && known(nearest[k]) ? sprintf('libess takes %s ms with rigid contacts, MuJoCo %s ms', \
  short(exact[k], 2), short(nearest_in[k], 2)).(known(called_in[k]) ? ', by a callback '.short(called_in[k], 2).' ms,' : ''). \
  sprintf(' to come within %s rad', short(nearest[k], 2)) : ''

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
keys = 0.14 * (words(ratios) + (is_merged ? 2 : 2 * words(integrators)) + 2)
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
  merged = !is_merged ? '' : callbacks[k] eq '' ? 'mujoco' : 'mujoco mujoco-callback'
  eval "plot NaN ".exactly." title 'rigid, libess'". \
    curve('z', ratios, 'springs(s, z)', "hue(z) pt libess_mark title 'springs, ζ = '.number(z)"). \
    curve('i', is_merged ? '' : integrators, "mujoco(s, 'closest', i)", "mujoco_hue pt point_of(i) title 'MuJoCo '.i.', closest'"). \
    curve('i', is_merged ? '' : callbacks[k], 'callback(s, i)', "callback_hue pt point_of(i) title 'by callback '.i.', closest'"). \
    curve('e', merged, "best(s, e, 'closest')", "(e eq 'mujoco' ? mujoco_hue : callback_hue) ". \
      "pt e eq 'mujoco' ? mujoco_mark : callback_mark title label(e).', closest'"). \
    curve('e', is_merged ? 'mujoco' : '', "best(s, e, 'default')", "default_hue pt mujoco_mark title 'MuJoCo, default'"). \
    curve('i', is_merged ? '' : integrators, "mujoco(s, 'default', i)", "default_hue pt point_of(i) title place(integrators, i) == 1 ? 'MuJoCo, default' : ''")
  unset arrow 9
}
unset multiplot
