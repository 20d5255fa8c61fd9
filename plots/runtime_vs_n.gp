# Median runtime of a run against the number of contacts, with its quartiles, and the RMS error of
# the same runs beside it. The axis is logarithmic: the engines are an order of magnitude apart, and
# a factor between them is then the same distance everywhere.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'runtime_vs_n'
needs = 'sweep.csv:contacts,solver,protocol,median_s,q25_s,q75_s,rms_error'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'

ms(v) = positive(1e3 * cell(v.'_s'))
rms(_) = positive(cell("rms_error"))
entries = words(solvers) + 1
eval sweep_page(entries)
set multiplot
do for [r = 1:words(protocols)] {
  p = word(protocols, r)
  eval survey(p, "ms('q25')", "see(ms('q75'))")
  banded = shown
  eval survey(p, "ms('median')", "see(ms('q25')), see(ms('q75'))")
  eval log_range('y')
  eval sweep_panel(r, 1)
  eval ylabel('median run time (ms)')
  set format y '%g'
  eval 'plot 1e30 with lines'.curves(banded, "(ms('q25')):(ms('q75'))", band). \
    curves(shown, "(ms('median'))", line)

  eval survey(p, 'rms(0)', '0')
  eval log_range('y')
  eval sweep_panel(r, 2)
  eval ylabel('median '.rms_label)
  set format y '10^{%T}'
  eval 'plot 1e30 with lines'.curves(shown, '(rms(0))', line)
}

eval legend(0.04, entries)
plot for [s in solvers] keyentry with linespoints ls style(s) title label(s) noenhanced, \
  2 with lines lc rgb '#D0D0D0' lw 6 title 'quartiles'
unset multiplot
