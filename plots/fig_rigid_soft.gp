# Rigid contacts against soft ones. Over time, the block's angle and the rate of rotation of a body that
# lands on two limbs: on springs at two damping ratios, by libess, and by MuJoCo. Below, how far the
# angle is from that on rigid contacts: over the stiffness of springs, and over the time that a run takes.
# `few` draws one of MuJoCo's integrators, `name` is the figure's file.
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

# damping ratios and MuJoCo's integrators and steps in their order; of the stiffnesses those whose
# paths are drawn
ratios = ''; found = ''; integrators = ''; steps = ''
eval restart
stats table using (is("engine", 'libess') && is("contacts", 'springs') ? \
  (ratios = including(ratios, strcol("damping_ratio")), found = including(found, strcol("stiffness")), \
  see(cell("stiffness"))) : is("engine", 'mujoco') ? (integrators = including(integrators, \
  strcol("integrator")), steps = including(steps, strcol("time_step"))) : 0) nooutput
stiffness_range = log_range('x')
eval restart
stats table using (see(positive(1e3 * cell("time_s")))) nooutput
time_range = log_range('x')
eval restart
stats table using (is("choice", 'stiffest') ? 0 : see(positive(cell("angle_rms")))) nooutput
distance_range = log_range('y')
exact_block = NaN; exact_landing = NaN
stats table using (rigid('block') ? (exact_block = 1e3 * cell("time_s"), 0) : \
  rigid('trot') ? (exact_landing = 1e3 * cell("time_s"), 0) : 0) nooutput
n = words(found)
drawn = n < 3 ? found : word(found, 1 + n / 2).' '.word(found, n - 1).' '.word(found, n)
first = words(ratios) > 1 ? word(ratios, 2) : word(ratios, 1)
last = word(ratios, words(ratios))
by = word(integrators, words(integrators))
# for a talk: three damping ratios at most and one integrator, beside the line of rigid contacts
if (exists("few")) {
  integrators = by
  ratios = words(ratios) > 3 ? word(ratios, 1).' '.first.' '.last : ratios
}
longest = word(steps, 1)
shortest = word(steps, words(steps))

path(s, z, k) = springs(s, z) && strcol("stiffness") eq k ? 1000 * cell("t") : NaN
step(s, c, h) = mujoco(s, c, by) && strcol("time_step") eq h ? 1000 * cell("t") : NaN
shade(k) = word(orange.' '.green.' '.blue, place(drawn, k))
hue(z) = word(vermillion.' '.blue.' '.grey.' '.green.' '.purple, (place(ratios, z) - 1) % 5 + 1)
point(i) = int(word('4 12 8', (place(integrators, i) - 1) % 3 + 1))
power(k) = gprintf('10^{%T}', real(k)).' N/m'
number(text) = sprintf('%g', real(text))
ms(text) = sprintf('%g ms', 1000 * real(text))

left(k) = 0.76 + 2.28 * (k - 1)
bottom(k) = word('5.1 2.95 0.45', k)
eval canvas(7, 7.1)
set multiplot
do for [row = 1:2] {
  do for [k = 1:3] {
    unset logscale; set autoscale
    system = row == 1 ? 'block' : 'trot'
    z = k == 1 ? first : last
    what = row == 1 ? 'angle' : 'rate'
    eval panel(left(k), bottom(row), 1.48, 1.4)
    eval ylabel(row == 1 ? 'angle of the block, rad' : 'rate of rotation, rad/s')
    set label 98 (row == 1 ? 'block' : 'landing').', '. \
      (k < 3 ? 'damping ratio '.number(z) : 'MuJoCo') at graph 0, 1.09 left
    set xlabel 'time, ms' offset 0, 0.4
    set xrange [row == 1 ? 0 : 200:row == 1 ? 350 : 400]
    set format '%g'
    set xtics row == 1 ? 100 : 50
    set ytics autofreq
    if (k < 3) {
      plot paths using (rigid(system) ? 1000 * cell("t") : NaN):(cell(what)) with lines lc rgb 'black' lw 2.4, \
        for [i in drawn] paths using (path(system, z, i)):(cell(what)) with lines lc rgb shade(i) lw 1.1
    } else {
      plot paths using (rigid(system) ? 1000 * cell("t") : NaN):(cell(what)) with lines lc rgb 'black' lw 2.4, \
        paths using (step(system, 'default', longest)):(cell(what)) with lines lc rgb purple lw 1.1 dt (5, 2.5), \
        paths using (step(system, 'closest', longest)):(cell(what)) with lines lc rgb purple lw 1.1, \
        paths using (step(system, 'closest', shortest)):(cell(what)) with lines lc rgb vermillion lw 1.1
    }
  }
}
do for [k = 1:3] {
  unset logscale; set autoscale
  eval panel(left(k), bottom(3), 1.48, 1.4)
  system = k == 3 ? 'trot' : 'block'
  set label 98 (k == 1 ? 'block, landing dashed' : k == 2 ? 'block' : 'landing') at graph 0, 1.09 left
  eval k == 1 ? stiffness_range : time_range
  eval distance_range
  set format '10^{%T}'
  set xtics k == 1 ? 100 : 10
  set ytics autofreq
  eval ylabel('angle from rigid, RMS, rad')
  set xlabel (k == 1 ? 'stiffness, N/m' : 'time of a run, ms') offset 0, 0.4
  set style data linespoints
  if (k == 1) {
    plot for [z in ratios] table using (springs('block', z) ? positive(cell("stiffness")) : NaN): \
      (positive(cell("angle_rms"))) lc rgb hue(z) lw 1.2 pt 5 ps 0.35 * dot, \
      for [z in ratios] table using (springs('trot', z) ? positive(cell("stiffness")) : NaN): \
      (positive(cell("angle_rms"))) lc rgb hue(z) lw 1.2 dt (4, 3) pt 6 ps 0.4 * dot
  } else {
    exactly = k == 2 ? exact_block : exact_landing
    if (exactly > 0) {
      set arrow 9 from first exactly, graph 0 to first exactly, graph 1 nohead lc rgb 'black' lw 1 dt (3, 3)
    }
    plot for [z in ratios] table using (springs(system, z) ? 1e3 * cell("time_s") : NaN): \
      (positive(cell("angle_rms"))) lc rgb hue(z) lw 1.2 pt 5 ps 0.35 * dot, \
      for [i in integrators] table using (mujoco(system, 'closest', i) ? 1e3 * cell("time_s") : NaN): \
      (positive(cell("angle_rms"))) lc rgb purple lw 1.2 pt point(i) ps 0.5 * dot, \
      for [i in integrators] table using (mujoco(system, 'default', i) ? 1e3 * cell("time_s") : NaN): \
      (positive(cell("angle_rms"))) lc rgb purple lw 1 dt (4, 3) pt point(i) ps 0.35 * dot
  }
}
unset label 98
unset arrow 9
eval legend(0.04, 4)
plot NaN with lines lc rgb 'black' lw 2.4 title 'rigid, libess', \
  for [i in drawn] NaN with lines lc rgb shade(i) lw 1.1 title power(i)
set key at screen 0.5,(height - 0.21) / height center top horizontal maxcols 4 Left reverse samplen 2.5 width format eq 'svg' ? 3 : -1
plot NaN with lines lc rgb purple lw 1.1 dt (5, 2.5) title 'MuJoCo '.by.', '.ms(longest).', default', \
  NaN with lines lc rgb purple lw 1.1 title ms(longest).', closest', \
  NaN with lines lc rgb vermillion lw 1.1 title ms(shortest).', closest'
set key at screen 0.5,(bottom(3) + 2.1) / height center top horizontal maxcols 3 Left reverse samplen 2 \
  width format eq 'svg' ? 2 : -1
plot for [z in ratios] NaN with linespoints lc rgb hue(z) lw 1.2 pt 5 ps 0.35 * dot title 'damping ratio '.number(z), \
  for [i in integrators] NaN with linespoints lc rgb purple lw 1.2 pt point(i) ps 0.5 * dot title 'MuJoCo '.i.', closest', \
  NaN with lines lc rgb purple lw 1 dt (4, 3) title 'MuJoCo, default', \
  NaN with lines lc rgb 'black' lw 1 dt (3, 3) title 'rigid, libess'
unset multiplot
