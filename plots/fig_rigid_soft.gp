# Rigid contacts against soft ones. Above, over time, the block's angle and the rate of rotation of a body
# that lands on two limbs: on rigid contacts, on springs at the least damping, and by MuJoCo. Below, the distance of
# the angle from that on rigid contacts, over the time that a run takes: on springs of growing stiffness, at
# each damping ratio, and by MuJoCo at each of its steps, with its default contacts and with those that come closest
# to rigid ones: by contacts, and with the force of springs as a callback. `few` draws of MuJoCo's integrators the cheapest at each distance, and at most three damping ratios;
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

# what rigid contacts take
array exact[2] = [NaN, NaN]
array systems[2] = ['block', 'trot']
array titles[2] = ['rocking block', 'landing on two limbs']
do for [k = 1:2] {
  stats table using (rigid(systems[k]) ? (exact[k] = 1e3 * cell("time_s"), 0) : 0) nooutput
}

# rigid contacts are libess's own colour, springs its other shades
hue(z) = shade_of('#8FD6BE #3DBE97 #006B4E #003D2C', words(ratios) + 1 - place(ratios, z), words(ratios))
# MuJoCo's integrators are told apart by their points, damping ratios by their shades
point_of(i) = int(word(sprintf('%d 9 7', mujoco_mark), (place(integrators, i) - 1) % 3 + 1))
default_hue = word(mujoco_shades, 2)
number(text) = sprintf('%g', real(text))
of_spring(s) = springs(s, last) && strcol("stiffness") eq stiffest ? 1000 * cell("t") : NaN
step(s, c) = mujoco(s, c, by) && strcol("time_step") eq longest ? 1000 * cell("t") : NaN
exactly = "with lines lc rgb libess_hue lw 2.6"

left(k) = 0.72 + 2.56 * (k - 1)
across = 1.78
eval canvas(7, 4.75)
set multiplot
do for [k = 1:2] {
  s = systems[k]
  what = k == 1 ? 'angle' : 'rate'
  unset logscale; set autoscale
  eval panel(left(k), 2.75, across, 1.65)
  eval ylabel(k == 1 ? 'angle (rad)' : 'rate of rotation (rad/s)')
  eval heading(titles[k])
  set xlabel 'time (ms)' offset 0, 0.4
  set xrange [k == 1 ? 0 : 200:k == 1 ? 350 : 400]
  set format '%g'
  set xtics k == 1 ? 100 : 50
  set ytics autofreq
  plot paths using (step(s, 'default')):(cell(what)) with lines lc rgb default_hue lw 1.4, \
    paths using (of_spring(s)):(cell(what)) with lines lc rgb hue(last) lw 1.4, \
    paths using (rigid(s) ? 1000 * cell("t") : NaN):(cell(what)) @exactly, \
    paths using (step(s, 'closest')):(cell(what)) with lines lc rgb mujoco_hue lw 1.2
}
unset label 98
do for [k = 1:2] {
  s = systems[k]
  unset logscale; set autoscale
  eval panel(left(k), 0.45, across, 1.65)
  eval time_range
  eval distance_range
  set format '10^{%T}'
  set xtics 10
  set ytics 10
  eval k == 1 ? ylabel('RMS distance from rigid (rad)') : 'unset label 99'
  set xlabel 'time of a run (ms)' offset 0, 0.4
  if (exact[k] > 0) {
    set arrow 9 from first exact[k], graph 0 to first exact[k], graph 1 nohead lc rgb libess_hue lw 2.6
  }
  merged = !is_merged ? '' : callbacks[k] eq '' ? 'mujoco' : 'mujoco mujoco-callback'
  eval "plot NaN ".exactly. \
    curve('e', is_merged ? 'mujoco' : '', "best(s, e, 'default')", "default_hue pt mujoco_mark - 1"). \
    curve('i', is_merged ? '' : integrators, "mujoco(s, 'default', i)", "default_hue pt point_of(i) - 1"). \
    curve('i', is_merged ? '' : callbacks[k], 'callback(s, i)', "callback_hue pt point_of(i)"). \
    curve('i', is_merged ? '' : integrators, "mujoco(s, 'closest', i)", "mujoco_hue pt point_of(i)"). \
    curve('e', merged, "best(s, e, 'closest')", "(e eq 'mujoco' ? mujoco_hue : callback_hue) pt e eq 'mujoco' ? mujoco_mark : callback_mark"). \
    curve('z', ratios, 'springs(s, z)', "hue(z) pt libess_mark")
  unset arrow 9
}

# what is the same in all four panels is said once, beside them
by_one = 'with linespoints lw 1.2 ps 0.5 * dot lc rgb '
entry(v, list, how) = list eq '' ? '' : sprintf(", for [%s in '%s'] keyentry ", v, list).by_one.how
called = callbacks[1]
do for [i in callbacks[2]] { called = including(called, i) }
eval key_beside(left(2) + across + 0.1, height - 0.32).'; set key font ",7"'
eval "plot 2 ".exactly." title 'libess, rigid'". \
  entry('z', ratios, "hue(z) pt libess_mark title 'libess, springs, ζ = '.number(z)"). \
  entry('i', is_merged ? '' : integrators, "mujoco_hue pt point_of(i) title 'MuJoCo '.i"). \
  entry('e', is_merged ? 'mujoco' : '', "mujoco_hue pt mujoco_mark title 'MuJoCo'"). \
  entry('e', 'mujoco', "default_hue pt mujoco_mark - 1 title 'MuJoCo, default contacts'"). \
  entry('i', is_merged ? '' : called, "callback_hue pt point_of(i) title 'by callback '.i"). \
  entry('e', is_merged && called ne '' ? 'mujoco-callback' : '', "callback_hue pt callback_mark title label(e)")
unset multiplot
