# A mass on a belt. Left its path in the plane of its two states, with the slides along the belt's speed; right the
# error over right-hand-side evaluations: of libess, and of CVODE with tanh for the sign of the slip.
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

across = 1.98
eval canvas(7, 2.75)
set multiplot

eval restart
stats path using (shown(0) ? see(cell("x")) : 0) nooutput
x_range = linear_range('x', 0.1)
eval restart
belt = NaN
stats path using (shown(0) ? (belt = cell("slides") == 1 ? cell("v") : belt, see(cell("v"))) : 0) nooutput
y_range = linear_range('y', 0.12)
eval panel(0.72, 0.45, across, 1.95)
eval x_range
eval y_range
set xtics 0.5
set xlabel 'stretch of the spring (m)' offset 0, 0.4
eval ylabel('speed of the mass (m/s)')
eval heading('one loop')
# the loop is empty inside
set key at graph 0.56, 0.52 center center vertical maxcols 1 Left reverse samplen 1.5 width -2 spacing 1.05 font ',7'
plot path using (free("x")):(free("v")) with lines lc rgb libess_hue lw 1.4 title 'slips', \
  path using (sliding("x")):(sliding("v")) with lines lc rgb libess_hue lw 3.6 title 'sticks (slides)', \
  slides using (shown(0) && cell("begins") == 1 ? cell("x") : 1/0):(belt) with points lc rgb 'black' pt 7 \
    ps 0.6 * dot title 'slide begins', \
  slides using (shown(0) && cell("begins") == 0 ? cell("x") : 1/0):(belt) with points lc rgb 'black' pt 6 \
    ps 0.6 * dot lw 1.2 title 'slide ends'
unset key

unset logscale; set autoscale
eval restart
stats runs using (see(positive(cell("error") < 0.1 && cell("error") > 1e-9 ? cell("error") : NaN))) nooutput
error_range = log_range('y')
eval restart
stats runs using (cell("error") < 0.1 && cell("error") > 1e-9 ? see(positive(cell("calls"))) : 0) nooutput
calls_range = log_range('x')
of(s, name) = strcol("solver") eq s ? positive(cell(name)) : 1/0
eval panel(3.46, 0.45, across, 1.95)
eval calls_range
eval error_range
set format y '10^{%T}'
set format x '10^{%T}'
set xtics autofreq
set xlabel 'right-hand-side evaluations in a run' offset 0, 0.4
eval ylabel('worst '.rms_label)
eval heading('error against cost')
points_of_tanh = 'points lc rgb tanh_hue pt 7 ps 0.18 * dot'
line_of_tanh = 'linespoints lc rgb tanh_hue lw 1.6 pt 7 ps 0.5 * dot'
points_of_libess = 'points lc rgb libess_hue pt libess_mark - 1 ps 0.4 * dot'
line_of_libess = 'linespoints lc rgb libess_hue lw 2.2 pt libess_mark ps 0.6 * dot'
plot runs using (of('tanh-cvode', "calls")):(of('tanh-cvode', "error")) with @points_of_tanh, \
  costs using (positive(cell("tanh_calls"))):(cell("target")) with @line_of_tanh, \
  runs using (of('libess', "calls")):(of('libess', "error")) with @points_of_libess, \
  costs using (positive(cell("libess_calls"))):(cell("target")) with @line_of_libess

unset label 98
eval key_beside(5.52, 2.38).'; set key font ",7"'
plot 2 with @line_of_libess title 'libess, cheapest', keyentry with @points_of_libess title 'libess, each run', \
  keyentry with @line_of_tanh title 'tanh, BDF, cheapest', keyentry with @points_of_tanh title 'tanh, BDF, each run'
unset multiplot
