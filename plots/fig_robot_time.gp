# The error of MuJoCo at a model's own settings over time, of the first file and initial condition: of the bodies in
# mm, and of the hinges in mrad. The horizontal lines are the bounds of the two numbers on the screen, the root mean
# squares over the run. They are no bounds of single points of a curve.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_robot_time'
needs = 'robot_error_times.csv:file,start,at,bodies,hinges robot_error.csv:file,start,bodies_bound,hinges_bound'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
times = data.'/robot_error_times.csv'
answers = data.'/robot_error.csv'

is_first(_) = cell("file") == 0 && cell("start") == 0
first(v) = is_first(0) ? positive(1e3 * v) : NaN
# far below a bound a number says nothing, and rounding alone would take up most of the axis
shown(v) = v < lowest ? NaN : v
bodies_bound = NaN
hinges_bound = NaN
stats answers using (is_first(0) ? (bodies_bound = positive(1e3 * cell("bodies_bound")), \
  hinges_bound = positive(1e3 * cell("hinges_bound"))) : 0, 0) nooutput
lowest = 0.1 * (known(hinges_bound) && !(hinges_bound > bodies_bound) ? hinges_bound : known(bodies_bound) ? bodies_bound : 0)
t_end = 0
hinges = 0
eval restart
stats times using (see(shown(first(cell("bodies")))), see(shown(first(cell("hinges")))), \
  hinges = known(first(cell("hinges"))) ? 1 : hinges, t_end = is_first(0) && cell("at") > t_end ? cell("at") : t_end, 0) nooutput
if (known(bodies_bound)) { stats times using (see(bodies_bound)) nooutput }
if (known(hinges_bound)) { stats times using (see(hinges_bound)) nooutput }

hinge_hue = vermillion
bodies_dash = '(8, 4)'
hinges_dash = '(2, 3)'
eval canvas(7, 2.6)
set multiplot
eval panel(0.76, 0.45, 4.3, 1.75)
set xrange [0:t_end > 0 ? t_end : 1]
eval log_range('y')
set format x '%g'
set format y '10^{%T}'
set xlabel 'time (s)' offset 0, 0.4
eval ylabel('error (mm, mrad)')
eval heading('error of MuJoCo over time')
eval "plot times using (cell('at')):(first(cell('bodies'))) with lines lc rgb mujoco_hue lw 2". \
  (hinges ? ", times using (cell('at')):(first(cell('hinges'))) with lines lc rgb hinge_hue lw 2" : ''). \
  (known(bodies_bound) ? ", bodies_bound with lines lc rgb grey lw 1.2 dt ".bodies_dash : ''). \
  (hinges && known(hinges_bound) ? ", hinges_bound with lines lc rgb hinge_hue lw 1.2 dt ".hinges_dash : '')

unset label 98
eval key_beside(5.3, 1.6).'; set key font ",7"'
eval "plot 2 with lines, keyentry with lines lc rgb mujoco_hue lw 2 title 'bodies, mm'". \
  (hinges ? ", keyentry with lines lc rgb hinge_hue lw 2 title 'hinges, mrad'" : ''). \
  ", keyentry with lines lc rgb grey lw 1.2 dt ".bodies_dash." title 'bound of the RMS, bodies'". \
  (hinges ? ", keyentry with lines lc rgb hinge_hue lw 1.2 dt ".hinges_dash." title 'bound of the RMS, hinges'" : '')
unset multiplot
