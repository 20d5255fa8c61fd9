# Error of the flow's derivative on Table 4.1's system: over the tolerance by libess, over epsilon by the paper's
# method; where crossings are isolated, and to both sides of the corner where they meet. Curves are of tangents
# integrated along, small points of differences of the method's own final state.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_derivative'
needs = 'derivative_error.csv:crossings,order,knob,tangent_error,difference_error'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/derivative_error.csv'

places = '"isolated" "x first" "y first"'
headings = '"isolated crossings" "corner, along x" "corner, against x"'
hue(o) = o == 0 ? libess_hue : o == 1 ? vermillion : word(paper_shades, 2)
name(o) = o == 0 ? 'libess' : sprintf("libess, paper's order %d", o)
breadth(o) = o == 0 ? 2.2 : 1.3
mark(o) = o == 0 ? libess_mark : o == 1 ? paper_mark : paper_mark - 1
of(p, o) = strcol("crossings") eq p && cell("order") == o ? positive(cell("knob")) : NaN
eval restart
stats table using (see(positive(cell("tangent_error"))), see(positive(cell("difference_error")))) nooutput
y_range = log_range('y')
eval canvas(7, 2.95)
set multiplot
do for [k = 1:3] {
  unset logscale; set autoscale; eval restart
  stats table using (see(positive(cell("knob")))) nooutput
  x_range = log_range('x')
  eval panel(0.72 + 2.14 * (k - 1), 0.45, 1.94, 1.8)
  eval x_range
  eval y_range
  set format '10^{%T}'
  set xtics 1e4
  set ytics 1e4
  if (k == 1) { eval ylabel('error of the derivative') } else { unset label 99; set format y '' }
  eval heading(word(headings, k))
  set xlabel 'tolerance, or ε' offset 0, 0.4
  plot for [o = 2:0:-1] table using (of(word(places, k), o)):(positive(cell("difference_error"))) \
      with points lc rgb hue(o) pt 2 ps 0.25 * dot lw 0.6, \
    for [o = 2:0:-1] table using (of(word(places, k), o)):(positive(cell("tangent_error"))) \
      with linespoints lc rgb hue(o) lw breadth(o) pt mark(o) ps 0.3 * dot
}
unset label 98
eval legend(0.04, 4)
plot for [o = 0:2] keyentry with linespoints lc rgb hue(o) lw breadth(o) pt mark(o) ps 0.5 * dot title name(o), \
  2 with points lc rgb 'black' pt 2 ps 0.4 * dot lw 0.8 title 'differences'
unset multiplot
