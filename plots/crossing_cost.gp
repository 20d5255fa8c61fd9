# Cost of a crossing by every method's cheapest setting that reaches the same error, against the
# number of contacts: in time, and in evaluations of field and guards, which no machine's noise can
# touch. A cross in the shaded strip is a method that does not reach the error. Event-unaware solvers are one:
# at each N the cheapest by time. `few` draws so many methods at most, in time alone, and names each at
# its end; `name` is the figure's file.
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
array axis[2] = ['time per crossing (µs)', 'evaluations per crossing']
array y_range[2]
array y_low[2]
array y_high[2]
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
  y_low[i] = log_low(0)
  y_high[i] = log_high(0)
}
# without a crossing there is nothing to share the cost among
without = ''
stats table using (chosen(0) && !bad(0) && !known(positive(cell("ns_per_crossing"))) && strcol("status") ne 'refused' ? \
  (without = including(without, strcol("contacts")), 0) : 0) nooutput
if (without ne '') {
  nothing = say('without a crossing, and not shown: N = '.without)
}
at(m, kind) = chosen(0) && who(0) eq m && kind ? cell("contacts") : NaN
lines = goods
do for [m in nears] { lines = including(lines, m) }

# a few are named at their ends, none of these names above another
panels = exists("few") ? 1 : 2
if (panels == 1) {
  n = words(lines)
  array end_at[n + 1]
  array end_of[n + 1]
  do for [k = 1:n] {
    end_of[k] = word(lines, k)
    end_at[k] = NaN
    stats table using (chosen(0) && who(0) eq end_of[k] && (good(0) || near(0)) && known(positive(cell("ns_per_crossing"))) ? \
      (end_at[k] = cell("ns_per_crossing"), 0) : 0) nooutput
  }
  do for [k = 2:n] {
    do for [j = k:2:-1] {
      if (end_at[j] > end_at[j - 1]) {
        swap = end_at[j]; end_at[j] = end_at[j - 1]; end_at[j - 1] = swap
        text = end_of[j]; end_of[j] = end_of[j - 1]; end_of[j - 1] = text
      }
    }
  }
}

bad_means = 'cross, shaded: does not reach that error'
nothing = say_marks(0)
below = 0.45 + foot(0)
tall = panels == 1 ? 2.6 : 2.2
eval canvas(7, below + (panels == 1 ? 2.95 : 4.9))
set multiplot
do for [i = 1:panels] {
  eval panel(0.76, below + (i == 1 && panels == 2 ? 2.35 : 0), 4.1, tall)
  if (i == 1) {
    eval heading(sprintf('plate, RMS error of at most %g (SI units)', target))
  } else {
    unset label 98
  }
  if (i == panels) { set xlabel 'number of contacts' offset 0, 0.4 } else { unset xlabel }
  eval x_range
  eval y_range[i]
  set format x i == panels ? '%g' : ''
  set format y '10^{%T}'
  eval ylabel(axis[i])
  v = '(positive('.value[i].'))'
  strip = strips[i]
  tier = tiers[i]
  eval shade(bads)
  if (panels == 1) {
    ceiling = 1
    do for [k = 1:n] {
      height_of = known(end_at[k]) ? log10(1e-3 * end_at[k] / y_low[1]) / log10(y_high[1] / y_low[1]) : 0
      ceiling = height_of < ceiling ? height_of : ceiling
      m = end_of[k]
      set label 100 + k title[number(m)] at graph 1.02, graph ceiling left noenhanced tc rgb hue(m)
      ceiling = ceiling - 0.065
    }
  }
  eval 'plot 1e300 with lines'.part(lines, '(at(m, good(0) || near(0))):'.v, line_of). \
    part(goods, '(at(m, good(0))):'.v, point_of).part(nears, '(at(m, near(0))):'.v, white_of). \
    part(nears, '(at(m, near(0))):'.v, hollow_of).part(bads, '(at(m, bad(0))):(tier_of(bads, m))', cross_of)
}
do for [k = 1:(panels == 1 ? n : 0)] { unset label 100 + k }
if (panels == 1) { drawn = '' }
beside = 5.0
from_below = height - 0.3
load folder.'legend.gp'
unset multiplot
