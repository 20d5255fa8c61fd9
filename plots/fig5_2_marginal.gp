# Fig. 5.2 as the paper has it: the marginal cost of a contact by the paper's protocol, on a linear
# axis, with its confidence band. Every protocol, and the errors, are in marginal_cost.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig5_2_marginal'
needs = 'sweep.csv:contacts,solver,protocol,marginal_s,marginal_lo_s,marginal_hi_s'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'

cost(v) = 1e6 * cell('marginal'.v.'_s')
p = member(protocols, 'paper') ? 'paper' : word(protocols, 1)
eval survey(p, "cost('')", '0')
nothing = see(0)
# bands are cut at the axis's ends, so that the costs make its range
top = known(high) && high > low ? low + 1.5 * (high - low) : 1
bottom = low < 0 ? low - 0.05 * (high - low) : 0
cut(v) = v < bottom ? bottom : v > top ? top : v

eval canvas(4.4, 3.2)
eval panel(0.72, 0.45, 3.5, 2.1)
eval contacts_range
set yrange [bottom:top]
set xlabel 'N, the number of contacts' offset 0, 0.4
eval ylabel('marginal cost (µs per contact)')
eval key_over(1)
if (shown eq '') { set label 97 'no marginal cost from one N' at graph 0.5, 0.5 center }
eval 'plot 1e30 with lines'.curves(shown, "(cut(cost('_lo'))):(cut(cost('_hi')))", band). \
  curves(shown, "(cost(''))", line).(shown eq '' ? '' : \
  ', for [s in in_order(shown)] keyentry with linespoints ls style(s) title label(s) noenhanced')
