# What a crossing costs every method's cheapest setting that reaches the same error, against the
# number of contacts: in time, and in evaluations of field and guards, which no machine's noise can
# touch. A cross in the shaded strip is a method that does not reach the error. Plain methods are one:
# at each N the cheapest by time. `few` draws six methods at most, `name` is the figure's file.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = exists("name") ? name : 'crossing_cost'
needs = 'crossing_cost.csv:contacts,method,label,solver,variant,status,coincides_with,target,'. \
  'ns_per_crossing,evaluations_per_crossing'
folder = ARG0[1:strlen(ARG0) - strlen('crossing_cost.gp')]
load folder.'theme.gp'
table = data.'/crossing_cost.csv'
of_figure(_) = 1
one_plain = 1
abscissa(_) = strcol("status") ne 'refused' ? cell("contacts") : NaN
spent(_) = positive(cell("ns_per_crossing"))
as_good(a, b) = a == b
load folder.'methods.gp'

target = NaN
eval restart
stats table using (see(positive(cell("contacts"))), known(target) ? 0 : (target = cell("target"), 0)) nooutput
x_range = log_range('x')
array value[2] = ['1e-3 * cell("ns_per_crossing")', 'cell("evaluations_per_crossing")']
array axis[2] = ['time of a crossing (µs)', 'evaluations of a crossing']
array y_range[2]
array strips[2]
array tiers[2]
do for [i = 1:2] {
  v = value[i]
  set autoscale
  eval restart
  eval "stats table using (chosen(0) && (good(0) || near(0)) ? see(positive(".v.")) : 0) nooutput"
  eval above_seen
  strips[i] = strip
  tiers[i] = tier
  if (i == 1) {
    eval "stats table using (collect(bad(0) ? 1 : positive(".v."))) nooutput"
  }
  nothing = see_strip(bads)
  y_range[i] = log_range('y')
}
# without a crossing there is nothing to share the cost among
without = ''
stats table using (chosen(0) && !bad(0) && !known(positive(cell("ns_per_crossing"))) && strcol("status") ne 'refused' ? \
  (without = including(without, strcol("contacts")), 0) : 0) nooutput
if (without ne '') {
  notes = notes + 1
  note[notes] = 'without a crossing, and not shown: N = '.without
}
at(m, kind) = chosen(0) && who(0) eq m && kind ? cell("contacts") : NaN
lines = goods
do for [m in nears] { lines = including(lines, m) }

mark_rows = (nears ne '') + (bads ne '')
eval canvas(7, 3.75 + head_height(mark_rows))
set multiplot
set xlabel 'contacts' offset 0, 0.4
do for [i = 1:2] {
  eval panel(i == 1 ? 0.76 : 4.32, 0.45, 2.5, 3.2)
  eval x_range
  eval y_range[i]
  set format x '%g'
  set format y '10^{%T}'
  eval ylabel(axis[i])
  v = '(positive('.value[i].'))'
  strip = strips[i]
  tier = tiers[i]
  eval shade(bads)
  eval 'plot 1e300 with lines'.part(lines, '(at(m, good(0) || near(0))):'.v, line_of). \
    part(goods, '(at(m, good(0))):'.v, point_of).part(nears, '(at(m, near(0))):'.v, white_of). \
    part(nears, '(at(m, near(0))):'.v, hollow_of).part(bads, '(at(m, bad(0))):(tier_of(bads, m))', cross_of)
}
headline = sprintf('plate, RMS error of at most %g', target)
bad_means = 'cross, shaded: does not reach that error'
load folder.'legend.gp'
unset multiplot
