# RMS error from one number of contacts to the next at the same epsilons, and the evaluations of the
# field that a crossing takes beside it: whether anything becomes irregular on the way.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'scale_contacts'
needs = 'scale.csv:contacts,projection_order,epsilon,rms_error,reference_events,field_evaluations'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
scale = data.'/scale.csv'

# of many epsilons some are drawn, each by two orders: at most three of those that both the fewest and the
# most contacts have
eval restart
stats scale using (see(positive(cell("contacts")))) nooutput
x_range = log_range('x')
of_fewest = ''
found = ''
stats scale using (cell("contacts") == low ? \
  (of_fewest = including(of_fewest, strcol("epsilon")), 0) : 0) nooutput
stats scale using (cell("contacts") == high && member(of_fewest, strcol("epsilon")) ? \
  (found = including(found, strcol("epsilon")), 0) : 0) nooutput
found = found eq '' ? of_fewest : found
n = words(found) < 3 ? words(found) : 3
chosen = ''
do for [i = 1:n] {
  chosen = chosen.' '.word(found, n < 2 ? 1 : 1 + (words(found) - 1) * (i - 1) / (n - 1))
}
array number[3]
stats scale using (sum [i = 1:n] (strcol("epsilon") eq word(chosen, i) ? \
  (number[i] = cell("epsilon"), 0) : 0)) nooutput

array value[2]
value[1] = 'positive(cell("rms_error"))'
value[2] = 'cell("field_evaluations") / cell("reference_events")'
array axis[2]
axis[1] = rms_label
axis[2] = 'evaluations per crossing'
at(e, o) = strcol("epsilon") eq e && cell("projection_order") == o ? cell("contacts") : NaN
hue(i) = shade_of(paper_shades, i, n)
filled = '7 5 9'
hollow = '6 4 8'

eval canvas(7, 2.95)
set multiplot
do for [k = 1:2] {
  unset logscale; set autoscale; eval restart
  eval 'stats scale using (see('.value[k].')) nooutput'
  eval log_range('y')
  eval panel(k == 1 ? 0.76 : 4.32, 0.45, 2.4, 1.95)
  eval x_range
  eval ylabel(axis[k])
  set xlabel 'number of contacts' offset 0, 0.4
  set format x '%g'
  set format y k == 1 ? '10^{%T}' : '%g'
  eval 'plot for [i = 1:n] scale using (at(word(chosen, i), 1)):('.value[k].') with linespoints '. \
    'lc rgb hue(i) lw 1.2 pt int(word(filled, i)) ps 0.3 * dot, '. \
    'for [i = 1:n] scale using (at(word(chosen, i), 2)):('.value[k].') with linespoints '. \
    'lc rgb hue(i) lw 1.2 dt (6, 3) pt int(word(hollow, i)) ps 0.3 * dot'
}

eval legend(0.04, n)
plot 2 with lines, for [i = 1:n] keyentry with linespoints lc rgb hue(i) lw 1.2 \
  pt int(word(filled, i)) ps 0.5 * dot title 'ε = '.short(number[i], 2).' m'
eval legend(0.22, 2)
plot 2 with linespoints lc rgb 'black' lw 1.2 pt 7 ps 0.5 * dot title 'order 1', \
  keyentry with linespoints lc rgb 'black' lw 1.2 dt (6, 3) pt 6 ps 0.5 * dot title 'order 2'
unset multiplot
