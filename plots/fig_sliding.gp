# A mass on a belt. Left its path in the plane of its two states, with the slides along the belt's speed; right what an
# error costs in calls of the field: libess, and CVODE with tanh for the sign of the slip.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_sliding'
needs = 'sliding.csv:target,libess_calls,tanh_calls sliding_runs.csv:solver,error,calls '. \
  'sliding_path.csv:t,x,v,slides sliding_slides.csv:t,x,begins'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
folder = data.'/sliding'
tanh_hue = orange

costs = folder.'.csv'
runs = folder.'_runs.csv'
path = folder.'_path.csv'
slides = folder.'_slides.csv'

# one loop is enough: to the end of its second slide
loop = 1e300
stats slides using (cell("begins") == 0 && $0 > 1 && cell("t") < loop ? (loop = cell("t"), 0) : 0) nooutput
shown(_) = cell("t") <= loop
free(name) = shown(0) && cell("slides") == 0 ? cell(name) : 1/0
sliding(name) = shown(0) && cell("slides") == 1 ? cell(name) : 1/0

eval canvas(7, 3.0)
set multiplot

eval restart
stats path using (shown(0) ? see(cell("x")) : 0) nooutput
x_range = linear_range('x', 0.1)
eval restart
belt = NaN
stats path using (shown(0) ? (belt = cell("slides") == 1 ? cell("v") : belt, see(cell("v"))) : 0) nooutput
y_range = linear_range('y', 0.12)
eval panel(0.72, 0.45, 2.55, 1.95)
eval x_range
eval y_range
set xlabel 'stretch of the spring, m' offset 0, 0.4
eval ylabel('speed of the mass, m/s')
set label 98 'one loop: sliding is sticking' at graph 0, 1.27 left
# the key stands above the axes, in one row
set key at graph 0.5, 1.03 center bottom vertical maxrows 2 Left reverse samplen 2
plot path using (free("x")):(free("v")) with lines lc rgb libess_hue lw 1.4 title 'slips', \
  path using (sliding("x")):(sliding("v")) with lines lc rgb libess_hue lw 3.6 title 'sticks', \
  slides using (shown(0) && cell("begins") == 1 ? cell("x") : 1/0):(belt) with points lc rgb 'black' pt 7 \
    ps 0.6 * dot title 'slide begins', \
  slides using (shown(0) && cell("begins") == 0 ? cell("x") : 1/0):(belt) with points lc rgb 'black' pt 6 \
    ps 0.6 * dot lw 1.2 title 'ends'

unset logscale; set autoscale
eval restart
stats runs using (see(positive(cell("error") < 0.1 && cell("error") > 1e-9 ? cell("error") : NaN))) nooutput
error_range = log_range('y')
eval restart
stats runs using (cell("error") < 0.1 && cell("error") > 1e-9 ? see(positive(cell("calls"))) : 0) nooutput
calls_range = log_range('x')
of(s, name) = strcol("solver") eq s ? positive(cell(name)) : 1/0
eval panel(4.22, 0.45, 2.6, 1.95)
eval calls_range
eval error_range
set format y '10^{%T}'
set format x '10^{%T}'
set xlabel 'calls of the field in a run' offset 0, 0.4
eval ylabel('RMS error of the worst start')
set label 98 'at the same error libess calls the field less' at graph 0, 1.27 left
plot runs using (of('tanh-cvode', "calls")):(of('tanh-cvode', "error")) with points lc rgb tanh_hue pt 7 \
    ps 0.18 * dot title 'tanh by BDF', \
  costs using (positive(cell("tanh_calls"))):(cell("target")) with linespoints lc rgb tanh_hue lw 1.6 pt 7 \
    ps 0.5 * dot title 'cheapest', \
  runs using (of('libess', "calls")):(of('libess', "error")) with points lc rgb libess_hue pt libess_mark - 1 \
    ps 0.4 * dot title 'libess', \
  costs using (positive(cell("libess_calls"))):(cell("target")) with linespoints lc rgb libess_hue lw 1.6 pt libess_mark \
    ps 0.6 * dot title 'cheapest'
unset multiplot
