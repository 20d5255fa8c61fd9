# The error of MuJoCo at a model's own settings over time, of the first file and initial condition: of the bodies in
# mm, and of the hinges in mrad. Dashed: by how much these may differ from the true ones.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_robot_time'
needs = 'robot_error_times.csv:file,start,at,bodies,hinges robot_error.csv:file,start,bodies_bound,hinges_bound'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
times = data.'/robot_error_times.csv'
answers = data.'/robot_error.csv'

is_first(_) = cell("file") == 0 && cell("start") == 0
first(v) = is_first(0) ? positive(1e3 * v) : NaN
bodies_bound = NaN
hinges_bound = NaN
stats answers using (is_first(0) ? (bodies_bound = positive(1e3 * cell("bodies_bound")), \
  hinges_bound = positive(1e3 * cell("hinges_bound"))) : 0, 0) nooutput
t_end = 0
hinges = 0
eval restart
stats times using (see(first(cell("bodies"))), see(first(cell("hinges"))), \
  hinges = known(first(cell("hinges"))) ? 1 : hinges, t_end = is_first(0) && cell("at") > t_end ? cell("at") : t_end, 0) nooutput
if (known(bodies_bound)) { stats times using (see(bodies_bound)) nooutput }

hinge_hue = '#4B9CD3'
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
  (known(bodies_bound) ? ", bodies_bound with lines lc rgb 'black' lw 1 dt (3, 3)" : ''). \
  (hinges && known(hinges_bound) ? ", hinges_bound with lines lc rgb grey lw 1 dt (3, 3)" : '')

unset label 98
eval key_beside(5.3, 1.6).'; set key font ",7"'
eval "plot 2 with lines, keyentry with lines lc rgb mujoco_hue lw 2 title 'bodies, mm'". \
  (hinges ? ", keyentry with lines lc rgb hinge_hue lw 2 title 'hinges, mrad'" : ''). \
  ", keyentry with lines lc rgb 'black' lw 1 dt (3, 3) title 'bound, bodies'". \
  (hinges ? ", keyentry with lines lc rgb grey lw 1 dt (3, 3) title 'bound, hinges'" : '')
unset multiplot
