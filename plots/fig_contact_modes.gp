# What pseudo-impulses do: the rocking block's angle with its impacts marked, and the speeds of these,
# without them and with; which arrivals at a hill rest at its foot, over its slope and their speed. Below:
# how much earlier the block is at rest, and how far off its angle is; the forces on a leaping body's feet.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_contact_modes'
needs = 'contact_modes.csv:slope,found,known contact_modes_hill.csv:slope,speed,rests '. \
  'contact_modes_block.csv:delta_t,t,angle,impact,speed '. \
  'contact_modes_truncation.csv:delta_t,earlier,angle contact_modes_leap.csv:delta_t,t,front,rear'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
thresholds = data.'/contact_modes.csv'
hill = data.'/contact_modes_hill.csv'
block = data.'/contact_modes_block.csv'
truncation = data.'/contact_modes_truncation.csv'
leap = data.'/contact_modes_leap.csv'

found = ''
stats block using (found = including(found, strcol("delta_t")), 0) nooutput
path(d) = strcol("delta_t") eq d && cell("impact") == 0 ? 1000 * cell("t") : NaN
impact(d) = strcol("delta_t") eq d && cell("impact") == 1 ? 1000 * cell("t") : NaN
hue(d) = shade_of('#003D2C '.libess_hue.' #8FD6BE', place(found, d), words(found))
mark(d) = int(word(sprintf('%d 7 9', libess_mark), (place(found, d) - 1) % 3 + 1))
arrives(rest) = cell("rests") == rest ? cell("slope") : NaN

left(k) = 0.76 + 2.28 * (k - 1)
eval canvas(7, 5.6)
set multiplot
eval restart
stats block using (see(1000 * cell("t"))) nooutput
x_range = linear_range('x', 0)
eval key_over(1)
above = 1.28
delta_of(d) = sprintf('δ_t = %g s', real(d))
do for [k = 1:2] {
  unset logscale; set autoscale
  eval panel(left(k), 3.25, 1.48, 1.7)
  eval x_range
  set xtics 200
  set xlabel 'time, ms' offset 0, 0.4
  if (k == 1) {
    eval ylabel('angle of the block, rad')
    set label 98 '{/:Bold '.'rocking block'.'}' at graph 0, above left
    set format '%g'
    plot for [d in found] block using (path(d)):(cell("angle")) with lines lc rgb hue(d) lw 1.2, \
      for [d in found] block using (impact(d)):(cell("angle")) with points lc rgb hue(d) pt mark(d) \
      ps 0.4 * dot, for [d in found] NaN with linespoints lc rgb hue(d) pt mark(d) lw 1.2 ps 0.4 * dot \
      title delta_of(d)
  } else {
    eval ylabel('speed of landing, m/s')
    set label 98 '{/:Bold '.'its impacts'.'}' at graph 0, above left
    eval restart
    stats block using (see(positive(cell("speed")))) nooutput
    unset logscale; eval log_range('y')
    set format y '10^{%T}'
    plot for [d in found] block using (impact(d)):(positive(cell("speed"))) with points lc rgb hue(d) \
      pt mark(d) ps 0.4 * dot title delta_of(d)
  }
}
unset logscale; set autoscale; eval restart
stats hill using (see(cell("slope"))) nooutput
x_range = linear_range('x', 0.03)
eval restart
stats hill using (see(cell("speed"))) nooutput
eval panel(left(3), 3.25, 1.48, 1.7)
eval x_range
eval linear_range('y', 0.03)
set format '%g'
set xtics autofreq
set ytics autofreq
eval ylabel('speed of arrival, m/s')
set label 98 '{/:Bold '.'hill'.'}' at graph 0, above left
set xlabel 'slope, degrees' offset 0, 0.4
plot hill using (arrives(1)):(cell("speed")) with points lc rgb libess_hue pt 7 ps 0.2 * dot title 'rests', \
  hill using (arrives(0)):(cell("speed")) with points lc rgb grey pt 1 ps 0.2 * dot lw 0.6 title 'climbs', \
  thresholds using (cell("slope")):(cell("known")) with lines lc rgb 'black' lw 1.2 title 'g δ_t tan θ'
unset logscale; set autoscale; eval restart
stats truncation using (see(positive(cell("delta_t")))) nooutput
eval panel(left(1), 0.45, 1.48, 1.7)
eval log_range('x')
eval restart
stats truncation using (see(positive(cell("earlier")))) nooutput
stats truncation using (see(cell("angle") > 1e-9 ? cell("angle") : NaN)) nooutput
eval log_range('y')
set format '10^{%T}'
eval ylabel('cut off')
set label 98 '{/:Bold '.'the block, cut short'.'}' at graph 0, above left
set xlabel 'δ_t, s' offset 0, 0.4
plot truncation using (cell("delta_t")):(positive(cell("earlier"))) with linespoints lc rgb libess_hue pt libess_mark lw 0.8 \
  ps 0.4 * dot title 'time, s', truncation using (cell("delta_t")):(cell("angle") > 1e-9 ? cell("angle") : NaN) with \
  linespoints lc rgb libess_hue pt libess_mark - 1 lw 0.8 ps 0.5 * dot title 'angle, rad'
unset logscale; set autoscale; eval restart
force(d, foot) = strcol("delta_t") eq d ? cell(foot) : NaN
foot(i) = word('front rear', i)
stats leap using (see(1000 * cell("t"))) nooutput
x_range = linear_range('x', 0)
do for [i = 1:2] {
  eval panel(left(1 + i), 0.45, 1.48, 1.7)
  eval x_range
  unset logscale; set autoscale y; eval restart
  stats leap using (see(cell(foot(i)))) nooutput
  eval linear_range('y', 0.03)
  set format '%g'
  set xtics 50
  set ytics autofreq
  if (i == 1) { eval ylabel('normal force, N') } else { unset label 99 }
  set label 98 '{/:Bold '.foot(i).' foot of a leap}' at graph 0, above left
  set xlabel 'time, ms' offset 0, 0.4
  plot for [d in found] leap using (1000 * cell("t")):(force(d, foot(i))) with lines lc rgb hue(d) lw 0.6 \
    title delta_of(d)
}
unset multiplot
