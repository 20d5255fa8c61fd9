# Error of the flow's derivative on Table 4.1's system: over epsilon by projection, over the tolerance
# by libess; where crossings are isolated, and to both sides of the corner where they meet. Curves are
# of tangents integrated along, crosses of differences of the method's own end state.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_derivative'
needs = 'derivative_error.csv:crossings,order,knob,tangent_error,difference_error'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/derivative_error.csv'

places = '"isolated" "x first" "y first"'
headings = '"crossings one by one" "at the corner, along x" "at the corner, against x"'
hue(o) = o == 0 ? libess_hue : o == 1 ? vermillion : word(paper_shades, 2)
name(o) = o == 0 ? 'libess' : sprintf('paper, order %d', o)
breadth(o) = o == 0 ? 2.2 : 1.3
mark(o) = o == 0 ? libess_mark : o == 1 ? paper_mark : paper_mark - 1
of(p, o) = strcol("crossings") eq p && cell("order") == o ? positive(cell("knob")) : NaN
tangents(p, o) = sprintf("stats table using (known(of('%s', %d)) ? see(positive(cell('tangent_error'))) : 0) nooutput", p, o)

# what each comes to at best on the other side of the corner
array best[3]
do for [o = 0:2] {
  eval restart
  eval tangents('y first', o)
  best[o + 1] = low
}
sentence = known(best[1]) && known(best[2]) ? 'At the corner, against x, libess errs by '.short(best[1], 2). \
  " at best, and the paper's order 1 by ".short(best[2], 2) : ''

eval restart
stats table using (see(positive(cell("tangent_error"))), see(positive(cell("difference_error")))) nooutput
y_range = log_range('y')
eval canvas(7, 3.35)
set multiplot
do for [k = 1:3] {
  unset logscale; set autoscale; eval restart
  stats table using (see(positive(cell("knob")))) nooutput
  x_range = log_range('x')
  eval panel(0.7 + 2.15 * (k - 1), 0.45, 1.9, 1.75)
  eval x_range
  eval y_range
  set format '10^{%T}'
  set xtics 1e4
  set ytics 1e4
  if (k == 1) { eval ylabel('error of the derivative') } else { unset label 99; set format y '' }
  set label 98 '{/:Bold '.word(headings, k).'}' at graph 0, 1.43 left
  set xlabel 'ε, or tolerance' offset 0, 0.4
  eval key_over(2)
  plot for [o = 0:2] table using (of(word(places, k), o)):(positive(cell("tangent_error"))) \
      with linespoints lc rgb hue(o) lw breadth(o) pt mark(o) ps 0.3 * dot title name(o), \
    for [o = 0:2] table using (of(word(places, k), o)):(positive(cell("difference_error"))) \
      with points lc rgb hue(o) pt 2 ps 0.3 * dot lw 0.7, \
    NaN with points lc rgb 'black' pt 2 ps 0.3 * dot lw 0.7 title 'differences'
}
unset label 98
eval say(sentence)
unset multiplot
