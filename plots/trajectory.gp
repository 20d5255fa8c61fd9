# A trajectory over time, a panel for each state, in two columns where there are more than three. Called
# by `essbench run --plot` with `table`, a file whose columns are t and `states` others, and with the
# figure's folder `out` and its `name`.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = name
needs = ''
load ARG0[1:strlen(ARG0) - strlen('trajectory.gp')].'theme.gp'

across = states > 3 ? 2 : 1
rows = ceil(states / (across * 1.))
eval canvas(across == 1 ? 4.1 : 7, 0.5 + 1.5 * rows)

# a tab never occurs: the header is one cell
header = ''
set datafile nocolumnheaders separator "\t"
stats table using (header = header eq '' ? strcol(1) : header, 0) nooutput
set datafile columnheaders separator ','
title(k) = word(titles, k)
titles = ''
do for [i = 1:strlen(header)] {
  titles = titles.(header[i:i] eq ',' ? ' ' : header[i:i])
}

eval restart
stats table using (see(column(1))) nooutput
x_range = range('x', low, high)
set multiplot
do for [k = 1:states] {
  row = (k - 1) / across + 1
  set autoscale
  eval restart
  stats table using (see(known(column(k + 1)) ? column(k + 1) : NaN)) nooutput
  eval panel(0.76 + 3.46 * ((k - 1) % across), 0.5 + 1.5 * (rows - row), across == 1 ? 3.1 : 2.58, 1)
  eval x_range
  eval linear_range('y', 0.05)
  unset label 99
  set label 98 title(k + 1) at graph 0, 1.1 left noenhanced
  if (k + across > states) { set xlabel 't (s)' offset 0, 0.4 } else { unset xlabel }
  plot table using 1:k + 1 with lines lc rgb 'black' lw 1.2 notitle
}
unset multiplot
