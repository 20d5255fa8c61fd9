# Fig. 5.2: what one more contact costs each engine, with its confidence band, and the RMS error of
# the same runs beside it.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig5_2_marginal'
needs = 'sweep.csv:contacts,solver,protocol,marginal_s,marginal_lo_s,marginal_hi_s,rms_error'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'

cost(v) = 1e6 * cell('marginal'.v.'_s')
rms(_) = positive(cell("rms_error"))
entries = words(solvers) + 1
eval sweep_page(entries)
set multiplot
do for [r = 1:words(protocols)] {
  p = word(protocols, r)

  # engines an order of magnitude apart need a logarithmic axis; a cost below 0, which is noise,
  # forbids it. There a band that reaches 0 is cut off below the lowest cost.
  eval survey(p, "cost('_lo')", "see(cost('_hi'))")
  banded = shown
  lowest = low
  eval survey(p, "cost('')", "see(cost('_hi'))")
  logarithmic = low > 0
  bottom = logarithmic && lowest < low / 3 ? low / 3 : lowest
  lower(v) = v < bottom ? bottom : v
  nothing = see(bottom)
  eval logarithmic ? log_range('y') : linear_range('y', 0.06)
  eval sweep_panel(r, 1)
  eval ylabel('marginal cost (µs per contact)')
  set format y '%g'
  eval 'plot 1e30 with lines'.curves(banded, "(lower(cost('_lo'))):(cost('_hi'))", band). \
    curves(shown, "(cost(''))", line)

  eval survey(p, 'rms(0)', '0')
  eval log_range('y')
  eval sweep_panel(r, 2)
  eval ylabel('median RMS error')
  set format y '10^{%T}'
  eval 'plot 1e30 with lines'.curves(shown, '(rms(0))', line)
}

eval legend(0.04, entries)
plot for [s in solvers] keyentry with linespoints ls style(s) title label(s) noenhanced, \
  2 with lines lc rgb '#D0D0D0' lw 6 title 'confidence band'
unset multiplot
