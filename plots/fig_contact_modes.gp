# What pseudo-impulses do, without them and with. Above, the rocking block over time: its angle, and the velocity of
# its centre with the speed below which an impact brings it to rest, as in Fig. 9 of Johnson, Burden and Koditschek;
# which arrivals at a hill rest at its foot. Below: how much earlier the block is at rest, and how far its angle
# differs; the forces on a leaping body's feet.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_contact_modes'
needs = 'contact_modes.csv:slope,found,known contact_modes_hill.csv:slope,speed,rests '. \
  'contact_modes_block.csv:delta_t,t,angle,impact,velocity contact_modes_known.csv:quantity,unit,found '. \
  'contact_modes_truncation.csv:delta_t,earlier,angle contact_modes_leap.csv:delta_t,t,front,rear'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
thresholds = data.'/contact_modes.csv'
hill = data.'/contact_modes_hill.csv'
block = data.'/contact_modes_block.csv'
numbers = data.'/contact_modes_known.csv'
truncation = data.'/contact_modes_truncation.csv'
leap = data.'/contact_modes_leap.csv'

found = ''
stats block using (found = including(found, strcol("delta_t")), 0) nooutput
path(d) = strcol("delta_t") eq d && cell("impact") == 0 ? 1000 * cell("t") : NaN
impact(d) = strcol("delta_t") eq d && cell("impact") == 1 ? 1000 * cell("t") : NaN
hue(d) = word(found, 1) eq d ? grey : libess_hue
breadth(d) = word(found, 1) eq d ? 1 : 2
delta_of(d) = real(d) > 0 ? sprintf('δ_t = %g s', real(d)) : 'without pseudo-impulses'
arrives(rest) = cell("rests") == rest ? cell("slope") : NaN
# the first is of a block that sticks; gnuplot ends "stops below, centre" at its comma
stop = NaN
stats numbers using (strcol("quantity") eq 'stops below' && strcol("unit") eq 'cm/s' && !known(stop) ? \
  (stop = cell("found"), 0) : 0) nooutput

left(k) = 0.7 + 2.33 * (k - 1)
across = 1.53
lower = 0.45
upper = 2.95
eval canvas(7, 5.3)
set multiplot

# --- the block over time --------------------------------------------------------------------------

eval restart
stats block using (see(1000 * cell("t"))) nooutput
x_range = linear_range('x', 0)
array value[2] = ['cell("angle")', '100 * cell("velocity")']
array axis[2] = ['angle (rad)', 'velocity of the centre (cm/s)']
do for [k = 1:2] {
  v = value[k]
  unset logscale; set autoscale; eval restart
  eval "stats block using (cell('impact') == 0 ? see(".v.") : 0) nooutput"
  eval panel(left(k), upper, across, 1.9)
  eval x_range
  eval linear_range('y', 0.06)
  set format '%g'
  set xtics 200
  set ytics autofreq
  set xlabel 'time (ms)' offset 0, 0.4
  eval ylabel(axis[k])
  eval heading(k == 1 ? 'rocking block' : 'its velocity')
  if (k == 2 && known(stop)) {
    set label 97 sprintf('±%.1f cm/s', stop) at graph 0.98, first stop right offset 0, 0.6 font ',7'
  }
  eval 'plot 1e30 with lines'.(k == 2 && known(stop) ? \
    ', for [s = -1:1:2] s * stop with lines lc rgb vermillion lw 1.2 dt (6, 3)' : ''). \
    ', for [d in found] block using (path(d)):('.v.') with lines lc rgb hue(d) lw breadth(d)'. \
    (k == 1 ? ', for [d in found] block using (impact(d)):(cell("angle")) with points lc rgb hue(d) '. \
    'pt place(found, d) == 1 ? 6 : 7 ps 0.35 * dot lw 0.8' : '')
  unset label 97
}

# --- the hill -------------------------------------------------------------------------------------

unset logscale; set autoscale; eval restart
stats hill using (see(cell("slope"))) nooutput
x_range = linear_range('x', 0.03)
eval restart
stats hill using (see(cell("speed"))) nooutput
high = high + 0.45 * (high - low) # room for the legend
eval panel(left(3), upper, across, 1.9)
eval x_range
eval linear_range('y', 0.03)
set xtics 20
set ytics autofreq
eval ylabel('speed of arrival (m/s)')
eval heading('rest at the foot of a hill')
set xlabel 'slope (degrees)' offset 0, 0.4
set key at graph 0.03, 0.98 left top vertical maxcols 1 Left reverse samplen 1 width -2 spacing 1.05 font ',7'
plot hill using (arrives(1)):(cell("speed")) with points lc rgb libess_hue pt 7 ps 0.2 * dot title 'rests', \
  hill using (arrives(0)):(cell("speed")) with points lc rgb grey pt 1 ps 0.2 * dot lw 0.6 title 'climbs', \
  thresholds using (cell("slope")):(cell("known")) with lines lc rgb 'black' lw 1.2 title 'g δ_t tan θ'

# --- what is cut off, and the leap ----------------------------------------------------------------

unset logscale; set autoscale; eval restart
stats truncation using (see(positive(cell("delta_t")))) nooutput
eval panel(left(1), lower, across, 1.7)
eval log_range('x')
eval restart
stats truncation using (see(positive(cell("earlier")))) nooutput
stats truncation using (see(cell("angle") > 1e-9 ? cell("angle") : NaN)) nooutput
high = 30 * high
eval log_range('y')
set format '10^{%T}'
set xtics autofreq
unset label 99
eval heading('truncation of the block')
set xlabel 'δ_t (s)' offset 0, 0.4
set key at graph 0.03, 0.98 left top vertical maxcols 1 Left reverse samplen 1.5 width -2 spacing 1.05 font ',7'
plot truncation using (cell("delta_t")):(positive(cell("earlier"))) with linespoints lc rgb libess_hue \
    pt libess_mark lw 1 ps 0.4 * dot title 'rest earlier by (s)', \
  truncation using (cell("delta_t")):(cell("angle") > 1e-9 ? cell("angle") : NaN) with \
    linespoints lc rgb libess_hue pt libess_mark - 1 lw 1 ps 0.5 * dot title 'angle off by (rad)'
unset key
unset logscale; set autoscale; eval restart
force(d, foot) = strcol("delta_t") eq d ? cell(foot) : NaN
foot(i) = word('front rear', i)
stats leap using (see(1000 * cell("t"))) nooutput
x_range = linear_range('x', 0)
do for [i = 1:2] {
  eval panel(left(1 + i), lower, across, 1.7)
  eval x_range
  unset logscale; set autoscale y; eval restart
  stats leap using (see(cell(foot(i)))) nooutput
  eval linear_range('y', 0.05)
  set format '%g'
  set xtics 50
  set ytics autofreq
  eval ylabel('normal force (N)')
  eval heading(foot(i).' foot of a leap')
  set xlabel 'time (ms)' offset 0, 0.4
  plot for [d in found] leap using (1000 * cell("t")):(force(d, foot(i))) with lines lc rgb hue(d) lw breadth(d) / 2.
}

unset label 98
eval legend(0.02, words(found))
plot 2 with lines, for [d in found] keyentry with linespoints lc rgb hue(d) lw breadth(d) \
  pt place(found, d) == 1 ? 6 : 7 ps 0.4 * dot title delta_of(d)
unset multiplot
