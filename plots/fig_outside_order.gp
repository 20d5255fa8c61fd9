# Error of an oscillator that switches once, and of a mass on a belt that it sticks to, over the number of steps: FESD with
# implicit Runge-Kutta steps of each order, and libess by its tolerance.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_outside_order'
needs = 'outside_fesd.csv:case,order,steps,error'
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
# both problems on the same axes
problems = 'nosnoc belt'
headings(p) = p eq 'belt' ? 'Mass on a belt' : 'Oscillator that switches'
at(w, p) = name(0) eq w && strcol("case") eq p ? positive(cell("steps")) : NaN
hue(w) = shade_of(paper_shades, place(orders, w), words(orders))

eval canvas(7.35, 3.3)
set multiplot
do for [k = 1:words(problems)] {
  p = word(problems, k)
  unset logscale; set autoscale; unset label
  eval panel(0.86 + (k - 1) * 3.25, 0.45, 2.95, 2.05)
  eval x_range
  eval y_range
  set format y (k == 1 ? '10^{%T}' : '')
  set xlabel 'steps' offset 0, 0.4
  if (k == 1) { eval ylabel('error at the end') }
  eval heading(headings(p))
  eval 'plot 1e30 with lines'.(orders eq '' ? '' : ", for [w in orders] table using (at(w, p)):(positive(cell('error'))) with linespoints lc rgb hue(w) lw 1.2 pt 7 ps 0.4 * dot"). \
    (member(found, 'libess') ? ", table using (at('libess', p)):(positive(cell('error'))) with linespoints ls style('libess')" : '')
}
eval legend(0.05, 1 + words(orders))
plot 2 with linespoints ls style('libess') title 'libess', \
  for [w in orders] keyentry with linespoints lc rgb hue(w) lw 1.2 pt 7 ps 0.4 * dot title 'FESD, order '.w
unset multiplot
