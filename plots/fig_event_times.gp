# Error of the times of events over the tolerance, for each number of contacts: the mean of a run and the largest,
# medians over the initial conditions.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_event_times'
needs = 'event_times.csv:contacts,tolerance,mean_s,worst_s'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/event_times.csv'

found = ''
eval restart
stats table using (found = including(found, strcol("contacts")), see(positive(cell("tolerance")))) nooutput
x_range = log_range('x')
eval restart
stats table using (see(positive(cell("mean_s"))), see(positive(cell("worst_s")))) nooutput
y_range = log_range('y')
n = words(found)
at(m) = strcol("contacts") eq m ? positive(cell("tolerance")) : NaN
hue(m) = shade_of(libess_shades, place(found, m), n)

top = 0.04 + 0.17 * ceil((n + 2) / 2.)
eval canvas(4.1, 2.6 + top)
set multiplot
unset logscale; set autoscale
eval panel(0.76, 0.45, 3.1, 1.95)
eval x_range
eval y_range
eval ylabel('error of event times (s)')
set xlabel 'tolerance' offset 0, 0.4
set format '10^{%T}'
plot for [m in found] table using (at(m)):(positive(cell("mean_s"))) with linespoints lc rgb hue(m) lw 1.2 pt 7 ps 0.3 * dot, \
  for [m in found] table using (at(m)):(positive(cell("worst_s"))) with points lc rgb hue(m) lw 0.9 pt 2 ps 0.35 * dot
eval legend(0.04, n + 2)
plot 2 with lines, for [m in found] keyentry with lines lc rgb hue(m) lw 1.2 title m.' contacts', \
  keyentry with linespoints lc rgb 'black' lw 1.2 pt 7 ps 0.3 * dot title 'mean of a run', \
  keyentry with points lc rgb 'black' lw 0.9 pt 2 ps 0.5 * dot title 'largest of a run'
unset multiplot
