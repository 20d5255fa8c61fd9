# Distance of derivatives of a robot's trajectory from the continuous flow's. Left: over time, MuJoCo's at its own
# step, beside the error of libess's; lines where contacts or limits begin to act. Right: at the last time, over the
# time step.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_robot_derivative'
needs = 'robot_derivative.csv:who,way,step,own,move,t,error '. \
  'robot_derivative_times.csv:t,tolerances_apart,differences_apart '
# where nothing touches, the table of events has no rows
set datafile separator "\t"
lines = 0
stats (exists("data") ? data : 'results').'/robot_derivative_events.csv' using (lines = lines + 1, 0) nooutput
needs = lines == 1 ? needs : needs.'robot_derivative_events.csv:t,begins'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
errors = data.'/robot_derivative.csv'
times = data.'/robot_derivative_times.csv'
events = data.'/robot_derivative_events.csv'

# the last time, and differences of MuJoCo's runs by each move
moves = ''
t_end = NaN
stats errors using (strcol("who") eq 'MuJoCo' && strcol("way") eq 'differences' ? \
  (moves = including(moves, strcol("move"))) : '', t_end = known(t_end) && t_end > cell("t") ? t_end : cell("t"), 0) nooutput
at_own(_) = strcol("who") eq 'MuJoCo' && cell("own") == 1 && known(positive(cell("error"))) ? cell("t") : NaN
at_end(_) = strcol("who") eq 'MuJoCo' && cell("t") == t_end && known(positive(cell("error"))) ? 1e3 * cell("step") : NaN
by_way(w, x) = strcol("way") eq w ? x : NaN
by_move(m, x) = strcol("move") eq m ? by_way('differences', x) : NaN

# of which of them something is known at the model's own step, and at the last time
own_moves = ''
end_moves = ''
own_matrices = 0
end_matrices = 0
stats errors using ( \
  known(by_way('differences', at_own(0))) ? (own_moves = including(own_moves, strcol("move"))) : '', \
  known(by_way('differences', at_end(0))) ? (end_moves = including(end_moves, strcol("move"))) : '', \
  known(by_way('transitions', at_own(0))) ? (own_matrices = 1) : 0, \
  known(by_way('transitions', at_end(0))) ? (end_matrices = 1) : 0, 0) nooutput
begin = 0
if (lines > 1) stats events using (cell("begins") == 1 ? (begin = 1) : 0, 0) nooutput
looser = 0
runs = 0
stats times using (known(positive(cell("tolerances_apart"))) ? (looser = 1) : 0, \
  known(positive(cell("differences_apart"))) ? (runs = 1) : 0, 0) nooutput
hue(m) = word('#0072B2 #00263D #4B9CD3', (place(moves, m) - 1) % 3 + 1)
mark(m) = int(word('9 11 7', (place(moves, m) - 1) % 3 + 1))
looser_how = 'lc rgb libess_hue lw 1.6 pt libess_mark ps 0.5 * dot'
runs_how = 'lc rgb word(libess_shades, 4) lw 1.2 pt libess_mark - 1 ps 0.6 * dot'
matrices = '#9CCBEA'
said(m) = sprintf('MuJoCo, runs moved by %g', real(m))
error = "(positive(cell('error'))) with linespoints "
by_matrices(x) = ", errors using (by_way('transitions', ".x.")):".error."lc rgb matrices lw 3.6 pt mujoco_mark ps 0.8 * dot"
by_runs(list, x) = list eq '' ? '' : ", for [m in '".list."'] errors using (by_move(m, ".x.")):".error. \
  "lc rgb hue(m) lw 1.2 pt mark(m) ps 0.5 * dot"
own(name, how) = ", times using (cell('t')):(positive(cell('".name."'))) with linespoints ".how

# the error of libess's there
floor_at = NaN
stats times using (floor_at = cell("t") == t_end ? (cell("differences_apart") > cell("tolerances_apart") ? cell("differences_apart") : cell("tolerances_apart")) : floor_at, 0) nooutput

eval restart
stats errors using (strcol("who") eq 'MuJoCo' ? see(positive(cell("error"))) : 0) nooutput
stats times using (see(positive(cell("tolerances_apart"))), see(positive(cell("differences_apart")))) nooutput
y_range = log_range('y')

eval canvas(7, 2.9)
set multiplot

eval panel(0.76, 0.45, 2.62, 1.75)
set xrange [0:known(t_end) ? 1.03 * t_end : 1]
eval y_range
set format x '%g'
set format y '10^{%T}'
set xlabel 'time (s)' offset 0, 0.4
eval ylabel('relative difference')
eval heading('over time')
eval 'plot 1e30 with lines'.(begin ? ", events using (cell('begins') == 1 ? cell('t') : NaN):(log_low(0)):(0):(log_high(0) - log_low(0)) ". \
  "with vectors nohead lc rgb '#BBBBBB' lw 0.6" : '').(own_matrices ? by_matrices('at_own(0)') : '').by_runs(own_moves, 'at_own(0)'). \
  (looser ? own('tolerances_apart', looser_how) : '').(runs ? own('differences_apart', runs_how) : '')

unset logscale; set autoscale; eval restart
stats errors using (see(positive(1e3 * cell("step")))) nooutput
eval panel(4.3, 0.45, 2.5, 1.75)
eval log_range('x')
eval y_range
set format '10^{%T}'
set xlabel 'time step (ms)' offset 0, 0.4
eval ylabel('relative difference')
eval heading(sprintf('at %g s, over the time step', t_end))
eval 'plot 1e30 with lines'.(end_matrices ? by_matrices('at_end(0)') : '').by_runs(end_moves, 'at_end(0)'). \
  (known(positive(floor_at)) ? ", floor_at with lines lc rgb libess_hue lw 1.4" : '')

unset label 98
eval legend(0.05, 4 + words(moves))
plot keyentry with linespoints @looser_how title 'libess, looser tolerance', \
  keyentry with linespoints @runs_how title 'libess, differences of runs', \
  keyentry with linespoints lc rgb matrices lw 3.6 pt mujoco_mark ps 0.8 * dot title 'MuJoCo, mjd\_transitionFD', \
  for [m in moves] keyentry with linespoints lc rgb hue(m) lw 1.2 pt mark(m) ps 0.5 * dot title said(m), \
  2 with lines lc rgb '#BBBBBB' lw 0.6 title 'a contact or limit begins'
unset multiplot
