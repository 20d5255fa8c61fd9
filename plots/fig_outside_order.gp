# Error of an oscillator that switches once, over the number of steps: FESD with implicit Runge-Kutta steps of each order,
# and libess by its tolerance.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_outside_order'
needs = 'outside_fesd.csv:order,steps,error'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/outside_fesd.csv'

# of FESD; 0 is libess
name(_) = cell("order") == 0 ? 'libess' : sprintf('%d', cell("order"))
found = ''
eval restart
stats table using (found = including(found, name(0)), see(positive(cell("steps")))) nooutput
x_range = log_range('x')
eval restart
stats table using (see(positive(cell("error")))) nooutput
y_range = log_range('y')
orders = ''
do for [w in found] { if (w ne 'libess') { orders = including(orders, w) } }
at(w) = name(0) eq w ? positive(cell("steps")) : NaN
hue(w) = shade_of(paper_shades, place(orders, w), words(orders))

eval canvas(5.2, 3.1)
set multiplot
unset logscale; set autoscale
eval panel(0.86, 0.45, 4.1, 2.05)
eval x_range
eval y_range
set format y '10^{%T}'
set xlabel 'steps' offset 0, 0.4
eval ylabel('error at the end')
eval 'plot 1e30 with lines'.(orders eq '' ? '' : ", for [w in orders] table using (at(w)):(positive(cell('error'))) with linespoints lc rgb hue(w) lw 1.2 pt 7 ps 0.4 * dot"). \
  (member(found, 'libess') ? ", table using (at('libess')):(positive(cell('error'))) with linespoints ls style('libess')" : '')
eval legend(0.05, 1 + words(orders))
plot 2 with linespoints ls style('libess') title 'libess', \
  for [w in orders] keyentry with linespoints lc rgb hue(w) lw 1.2 pt 7 ps 0.4 * dot title 'FESD, order '.w
unset multiplot
