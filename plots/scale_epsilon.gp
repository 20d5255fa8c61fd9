# RMS error over epsilon for numbers of contacts far apart, and the time that a crossing takes beside
# it: plateaus above the distance between crossings, the order of the projection below it.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'scale_epsilon'
needs = 'scale.csv:contacts,projection_order,epsilon,crossing_distance,rms_error,reference_events,time_s'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
scale = data.'/scale.csv'

# of many numbers of contacts some are drawn: at most four, the first and the last among them
found = ''
eval restart
stats scale using (found = including(found, strcol("contacts")), see(positive(cell("epsilon")))) nooutput
x_range = log_range('x')
n = words(found) < 4 ? words(found) : 4
chosen = ''
do for [i = 1:n] {
  chosen = chosen.' '.word(found, n < 2 ? 1 : 1 + (words(found) - 1) * (i - 1) / (n - 1))
}

array value[2]
value[1] = 'cell("rms_error")'
value[2] = '1e6 * cell("time_s") / cell("reference_events")'
array axis[2]
axis[1] = rms_label
axis[2] = 'time per crossing (µs)'
at(m, o) = strcol("contacts") eq m && cell("projection_order") == o ? cell("epsilon") : NaN
place_of(m) = strcol("contacts") eq m ? cell("crossing_distance") : NaN
hue(i) = shade_of(paper_shades, i, n)
filled = '7 5 9 13'
hollow = '6 4 8 12'

eval canvas(7, 2.95)
set multiplot
do for [k = 1:2] {
  unset logscale; set autoscale; eval restart
  eval 'stats scale using (see(positive('.value[k].'))) nooutput'
  bottom = low
  low = known(low) ? low / (high / low)**0.06 : NaN
  eval log_range('y')
  eval panel(k == 1 ? 0.76 : 4.32, 0.45, 2.5, 1.95)
  eval x_range
  eval ylabel(axis[k])
  set xlabel 'ε (m)' offset 0, 0.4
  set format x '10^{%T}'
  set format y k == 1 || !decades(2) ? '10^{%T}' : '%g'
  eval 'plot for [i = 1:n] scale using (at(word(chosen, i), 1)):(positive('.value[k].')) with linespoints '. \
    'lc rgb hue(i) lw 1.2 pt int(word(filled, i)) ps 0.4 * dot, '. \
    'for [i = 1:n] scale using (at(word(chosen, i), 2)):(positive('.value[k].')) with linespoints '. \
    'lc rgb hue(i) lw 1.2 dt (6, 3) pt int(word(hollow, i)) ps 0.4 * dot, '. \
    'for [i = 1:n] scale using (place_of(word(chosen, i))):(low) with points lc rgb hue(i) pt 9 ps 0.9 * dot'
}

eval legend(0.04, n)
plot 2 with lines, for [i = 1:n] keyentry with linespoints lc rgb hue(i) lw 1.2 \
  pt int(word(filled, i)) ps 0.5 * dot title sprintf('%d contacts', int(word(chosen, i)))
eval legend(0.22, 3)
plot 2 with linespoints lc rgb 'black' lw 1.2 pt 7 ps 0.5 * dot title 'order 1', \
  keyentry with linespoints lc rgb 'black' lw 1.2 dt (6, 3) pt 6 ps 0.5 * dot title 'order 2', \
  keyentry with points lc rgb 'black' pt 9 ps 0.9 * dot title 'spacing of crossings'
unset multiplot
