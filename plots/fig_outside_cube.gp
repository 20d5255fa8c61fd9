# The derivative of the tossed cube's place by its initial vertical velocity, over MuJoCo's time step: by the matrices of
# mjd_transitionFD and by differences of runs, and that of the flow by libess. The axis is linear around 0 and logarithmic
# further away.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_outside_cube'
needs = 'outside_cube.csv:way,step,derivative,flow'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/outside_cube.csv'

ways = ''
flow = NaN
eval restart
stats table using (ways = including(ways, strcol("way")[1:4] eq 'runs' ? strcol("way")[15:*] : 'matrices'), \
  flow = cell("flow"), see(positive(1e3 * cell("step")))) nooutput
x_range = log_range('x')
eval restart
stats table using (see(cell("derivative"))) nooutput
moves = ''
do for [w in ways] { if (w ne 'matrices') { moves = including(moves, w) } }
at(w) = (strcol("way")[1:4] eq 'runs' ? strcol("way")[15:*] : 'matrices') eq w ? cell("derivative") : NaN
hue(w) = word('#0072B2 #00263D #4B9CD3', (place(moves, w) - 1) % 3 + 1)
mark(w) = int(word('9 11 7', (place(moves, w) - 1) % 3 + 1))
matrices = '#9CCBEA'

top = 0.3
eval canvas(5.2, 2.7 + top)
set multiplot
eval panel(0.86, 0.45, 4.1, 2.05)
eval x_range
up(v) = asinh(2 * v)
eval sprintf('set yrange [%.15g:%.15g]', up(1.6 * (low < -1 ? low : -1)), up(1.6 * (high > 1 ? high : 1)))
set ytics ('0' 0)
do for [v in '1 3 10 30 100 300 1000'] {
  eval sprintf("set ytics add ('%s' %.6f, '−%s' %.6f)", v, up(real(v)), v, -up(real(v)))
}
set format x '%g'
set xlabel 'MuJoCo''s time step (ms)' offset 0, 0.4
eval ylabel('∂y(1 s) / ∂v_z(0)  (s)')
eval "plot up(flow) with lines lc rgb libess_hue lw 2".(member(ways, 'matrices') ? \
  ", table using (1e3 * cell('step')):(up(at('matrices'))) with linespoints lc rgb matrices lw 3.6 pt mujoco_mark ps 0.8 * dot" : ''). \
  (moves eq '' ? '' : ", for [w in moves] table using (1e3 * cell('step')):(up(at(w))) with linespoints lc rgb hue(w) lw 1.2 pt mark(w) ps 0.5 * dot")
eval legend(0.05, 2 + words(moves))
plot 2 with lines lc rgb libess_hue lw 2 title 'flow, libess', \
  keyentry with linespoints lc rgb matrices lw 3.6 pt mujoco_mark ps 0.8 * dot title 'MuJoCo, mjd\_transitionFD', \
  for [w in moves] keyentry with linespoints lc rgb hue(w) lw 1.2 pt mark(w) ps 0.5 * dot title 'MuJoCo, runs moved by '.w.' m/s'
unset multiplot
