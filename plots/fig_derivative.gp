# Error of the flow's derivative on Table 4.1's system: over epsilon by projection, over the tolerance
# by libess; where crossings are isolated, and to both sides of the corner where they meet. Points
# are of tangents integrated along, crosses of differences of the method's own end state.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_derivative'
needs = 'derivative_error.csv:crossings,order,knob,tangent_error,difference_error'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/derivative_error.csv'

places = '"isolated" "x first" "y first"'
headings = '"crossings one by one" "at the corner, along x" "at the corner, against x"'
colours = blue.' '.vermillion.' '.green
mark(o) = int(word('5 7 9', o + 1))
of(p, o) = strcol("crossings") eq p && cell("order") == o ? positive(cell("knob")) : NaN

eval restart
stats table using (see(positive(cell("tangent_error"))), see(positive(cell("difference_error")))) nooutput
y_range = log_range('y')
eval canvas(7, 2.75)
set multiplot
do for [k = 1:3] {
  unset logscale; set autoscale; eval restart
  stats table using (see(positive(cell("knob")))) nooutput
  x_range = log_range('x')
  eval panel(0.7 + 2.15 * (k - 1), 0.45, 1.9, 1.65)
  eval x_range
  eval y_range
  set format '10^{%T}'
  set xtics 1e4
  set ytics 1e4
  if (k == 1) { eval ylabel('error of the derivative') } else { unset label 99; set format y '' }
  set label 98 word(headings, k) at graph 0, 1.07 left
  set xlabel 'ε, or tolerance' offset 0, 0.4
  plot for [o = 0:2] table using (of(word(places, k), o)):(positive(cell("tangent_error"))) \
      with points lc rgb word(colours, o + 1) pt mark(o) ps 0.4 * dot, \
    for [o = 0:2] table using (of(word(places, k), o)):(positive(cell("difference_error"))) \
      with points lc rgb word(colours, o + 1) pt 2 ps 0.4 * dot lw 0.8
}
unset label 98
eval legend(0.05, 4)
plot for [o = 0:2] NaN with points lc rgb word(colours, o + 1) pt mark(o) ps 0.4 * dot \
    title o == 0 ? 'libess' : sprintf("libess, paper's, order %d", o), \
  NaN with points lc rgb 'black' pt 2 ps 0.4 * dot lw 0.8 title 'differences'
unset multiplot
