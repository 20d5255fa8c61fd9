# A robot's motion from the first initial condition, and the error of MuJoCo by the model's own step. Above, its
# positions over time by the reference and by MuJoCo; below, the largest error so far, beside libess at two of its
# tolerances. Dotted lines are touch-downs. An error below that of the reference cannot be told.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_robot_error'
needs = 'robot_errors.csv:who,knob,own,t,rms_error robot_touchdowns.csv:time '. \
  'robot_mujoco.csv:estimate robot_paths.csv:t,state,unit,reference,mujoco'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
errors = data.'/robot_errors.csv'
touchdowns = data.'/robot_touchdowns.csv'
paths = data.'/robot_paths.csv'

estimate = NaN
stats data.'/robot_mujoco.csv' using (estimate = positive(cell("estimate")), 0) nooutput
own(_) = cell("own") == 1
by(k) = strcol("who") eq 'libess' && strcol("knob") eq k
# of libess's tolerances those whose errors can be told, at most the two smallest, from loose to tight
knobs = ''
stats errors using (strcol("who") eq 'libess' && (cell("rms_error") >= estimate || !known(estimate)) ? \
  (knobs = including(knobs, strcol("knob")), 0) : 0) nooutput
shown = ''
do for [i = (words(knobs) > 2 ? words(knobs) - 1 : 1):words(knobs)] { shown = including(shown, word(knobs, i)) }

# the largest error so far, of the rows for which a plot asks; below what can be told it stands at the bottom
so_far = 0
upto(v) = (so_far = v > so_far ? v : so_far, so_far > low ? so_far : low)
begins(_) = $0 == 0 ? (so_far = 0, 0) : 0
up_to(wanted, v) = (begins(0), wanted ? upto(v) : NaN)

own_step = NaN
variant = ''
eval restart
stats errors using (own(0) ? (own_step = cell("knob"), variant = strcol("who"), see(positive(cell("rms_error")))) : 0) nooutput
stats errors using (strcol("who") eq 'libess' && member(shown, strcol("knob")) ? see(positive(cell("rms_error"))) : 0) nooutput
low = known(estimate) ? estimate : low
y_range = log_range('y')
low = known(low) ? log_low(0) : 0
t_end = 0
stats errors using (t_end = cell("t") > t_end ? cell("t") : t_end, 0) nooutput
touch = 0
stats touchdowns using (cell("time") <= t_end ? (touch = touch + 1, 0) : 0) nooutput
array down[touch + 1]
touch = 0
stats touchdowns using (cell("time") <= t_end ? (touch = touch + 1, down[touch] = cell("time"), 0) : 0) nooutput

# positions, which are not rates: so many at most, by the names at their ends, of which none covers another
states = ''
is_position(_) = strcol("state")[1:2] ne 'd '
stats paths using (is_position(0) && words(states) < 6 ? (states = including(states, strcol("state")), 0) : 0) nooutput
n = words(states)
array end_at[n + 1]
array end_of[n + 1]
lowest = low
eval restart
do for [i = 1:n] {
  end_of[i] = word(states, i)
  end_at[i] = NaN
  stats paths using (strcol("state") eq end_of[i] ? (end_at[i] = known(cell("reference")) ? cell("reference") : end_at[i], \
    see(cell("reference")), see(cell("mujoco"))) : 0) nooutput
}
position_range = linear_range('y', 0.08)
height_of(v) = known(v) && high > low ? (v - low + padding(0.08)) / (high - low + 2 * padding(0.08)) : 0.5
do for [i = 2:n] {
  do for [j = i:2:-1] {
    if (end_at[j] > end_at[j - 1]) {
      swap = end_at[j]; end_at[j] = end_at[j - 1]; end_at[j - 1] = swap
      text = end_of[j]; end_of[j] = end_of[j - 1]; end_of[j - 1] = text
    }
  }
}

across = 4.55
eval canvas(7, 4.2)
set multiplot
eval panel(0.76, 2.35, across, 1.5)
set xrange [0:t_end > 0 ? t_end : 1]
eval position_range
set format x ''
set format y '%g'
eval ylabel('position (m, rad)')
eval heading('motion')
do for [i = 1:touch] {
  set arrow i from down[i], graph 0 to down[i], graph 1 nohead back lc rgb grey lw 0.8 dt (1.5, 3)
}
ceiling = 1
do for [i = 1:n] {
  ceiling = height_of(end_at[i]) < ceiling ? height_of(end_at[i]) : ceiling
  set label 100 + i end_of[i] at graph 1.015, graph ceiling left noenhanced font ',7'
  ceiling = ceiling - 0.09
}
plot for [s in states] paths using (strcol("state") eq s ? cell("t") : NaN):(cell("reference")) with lines \
    lc rgb word(libess_shades, 1) lw 3.4, \
  for [s in states] paths using (strcol("state") eq s ? cell("t") : NaN):(cell("mujoco")) with lines \
    lc rgb mujoco_hue lw 1
do for [i = 1:n] { unset label 100 + i }

low = lowest
eval panel(0.76, 0.45, across, 1.5)
eval y_range
set format x '%g'
set format y '10^{%T}'
set xlabel 'time (s)' offset 0, 0.4
eval ylabel(rms_label)
eval heading('largest error so far')
eval "plot ".(shown eq '' ? '' : "for [k in shown] errors using (cell('t')):(up_to(by(k), cell('rms_error'))) with lines ". \
  "lc rgb word(libess_shades, 2 + place(shown, k)) lw 1.6, ")."errors using (cell('t')):(up_to(own(0), cell('rms_error'))) ". \
  "with lines lc rgb mujoco_hue lw 2".(known(estimate) ? ", estimate with lines lc rgb 'black' lw 1 dt (3, 3)" : '')
do for [i = 1:touch] { unset arrow i }

unset label 98
step_of = known(own_step) ? sprintf(' %s, %g ms', variant, 1e3 * own_step) : ''
eval key_beside(5.45, 1.95).'; set key font ",7"'
eval "plot 2 with lines".(shown eq '' ? '' : ", for [k in shown] keyentry with lines lc rgb word(libess_shades, 2 + place(shown, k)) ". \
  "lw 1.6 title 'libess, tolerance '.sprintf('%g', real(k))").", keyentry with lines lc rgb mujoco_hue lw 2 title 'MuJoCo'.step_of". \
  ", keyentry with lines lc rgb word(libess_shades, 1) lw 3.4 title 'reference'". \
  (known(estimate) ? ", keyentry with lines lc rgb 'black' lw 1 dt (3, 3) title 'error of the reference'" : ''). \
  (touch ? ", keyentry with lines lc rgb grey lw 0.8 dt (1.5, 3) title 'touch-down'" : '')
unset multiplot
