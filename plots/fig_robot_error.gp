# How wrong MuJoCo's trajectory of a robot is over time, at the model's own step, of the first start: beside
# libess at two of its tolerances. Dotted lines are touch-downs. Nothing is shown below the reference's own error.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_robot_error'
needs = 'robot_errors.csv:who,knob,own,t,rms_error robot_touchdowns.csv:time '. \
  'robot_mujoco.csv:estimate'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
errors = data.'/robot_errors.csv'
touchdowns = data.'/robot_touchdowns.csv'

estimate = NaN
stats data.'/robot_mujoco.csv' using (estimate = positive(cell("estimate")), 0) nooutput
own(_) = cell("own") == 1
by(k) = strcol("who") eq 'libess' && strcol("knob") eq k
# what is left of rounding at the start is no error
seen(_) = cell("rms_error") < 1e-12 ? NaN : positive(cell("rms_error"))

# of libess's tolerances those whose errors can be told, at most the two smallest, from loose to tight
knobs = ''
stats errors using (strcol("who") eq 'libess' && (seen(0) >= estimate || !known(estimate)) ? \
  (knobs = including(knobs, strcol("knob")), 0) : 0) nooutput
shown = ''
do for [i = (words(knobs) > 2 ? words(knobs) - 1 : 1):words(knobs)] { shown = including(shown, word(knobs, i)) }

own_step = NaN
variant = ''
eval restart
stats errors using (own(0) ? (own_step = cell("knob"), variant = strcol("who"), see(seen(0))) : 0) nooutput
most = high
stats errors using (strcol("who") eq 'libess' && member(shown, strcol("knob")) ? see(seen(0)) : 0) nooutput
low = known(estimate) ? estimate : low
y_range = log_range('y')
t_end = 0
stats errors using (t_end = cell("t") > t_end ? cell("t") : t_end, 0) nooutput
touch = 0
stats touchdowns using (cell("time") <= t_end ? (touch = touch + 1, 0) : 0) nooutput
array down[touch + 1]
touch = 0
stats touchdowns using (cell("time") <= t_end ? (touch = touch + 1, down[touch] = cell("time"), 0) : 0) nooutput

eval canvas(7, 3.1)
eval panel(0.76, 0.45, 6.14, 2.1)
set xrange [0:t_end > 0 ? t_end : 1]
eval y_range
set format x '%g'
set format y '10^{%T}'
set xlabel 'time, s' offset 0, 0.4
eval ylabel('error, RMS')
set label 1 sprintf("MuJoCo's %s at its own step of %g ms errs by up to %s", variant, 1e3 * own_step, short(most, 2)) \
  at screen 0.5, screen 1 - 0.12 / height center
set key at screen 0.5, screen 1 - 0.24 / height center top horizontal maxcols 4 Left reverse samplen 2 \
  width format eq 'svg' ? 1 : -1
do for [i = 1:touch] {
  set arrow i from down[i], graph 0 to down[i], graph 1 nohead back lc rgb grey lw 0.8 dt (1.5, 3)
}
eval "plot errors using (own(0) ? cell('t') : NaN):(seen(0)) with lines lc rgb mujoco_hue lw 2.2 title 'MuJoCo'". \
  (shown eq '' ? '' : ", for [k in shown] errors using (by(k) ? cell('t') : NaN):(seen(0)) with lines ". \
  "lc rgb word(libess_shades, 2 + place(shown, k)) lw 1.4 title 'libess, tolerance '.sprintf('%.0e', real(k))"). \
  (touch ? ", NaN with lines lc rgb grey lw 0.8 dt (1.5, 3) title 'touch-down'" : '')
