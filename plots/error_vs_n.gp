# Error of each engine against the number of contacts: the median, the 90 % quantile and the worst
# start. Beside it, the crossings of all runs against the reference's, with the 1 % that is allowed;
# medians of crossings per run would agree even where runs do not.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'error_vs_n'
needs = 'sweep.csv:contacts,solver,protocol,rms_error,rms_q90,rms_worst,events_ratio'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'

rms(v) = positive(cell('rms_'.v))
ratio(_) = cell("events_ratio")
entries = words(solvers) + 4
eval sweep_page(entries)
set multiplot
do for [r = 1:words(protocols)] {
  p = word(protocols, r)
  eval survey(p, "rms('q90')", '0')
  with_q90 = shown
  eval survey(p, "rms('worst')", '0')
  with_worst = shown
  eval survey(p, "rms('error')", "see(rms('q90')), see(rms('worst'))")
  eval log_range('y')
  eval sweep_panel(r, 1)
  eval ylabel(rms_label)
  set format y '10^{%T}'
  eval 'plot 1e30 with lines'.curves(with_q90, "(rms('q90'))", 'linespoints ls style(s) lw 0.7 ps 0.15 * dot'). \
    curves(with_worst, "(rms('worst'))", 'points ls style(s) pt hollow(s) lw 0.6'). \
    curves(shown, "(rms('error'))", line)

  # the 1 % stays in view
  eval survey(p, 'ratio(0)', "see(0.99), see(1.01)")
  eval linear_range('y', 0.15)
  eval sweep_panel(r, 2)
  eval ylabel('crossings / reference')
  set format y '%g'
  eval 'plot 1 with lines ls 11, 0.99 with lines ls 3 lw 1, 1.01 with lines ls 3 lw 1'. \
    curves(shown, '(ratio(0))', line)
}

eval legend(0.04, entries)
plot for [s in solvers] keyentry with linespoints ls style(s) title label(s) noenhanced, \
  2 with lines lc rgb 'black' title 'median', keyentry with lines lc rgb 'black' lw 0.7 title '90 %', \
  keyentry with points lc rgb 'black' pt 6 ps 0.4 * dot lw 0.6 title 'worst', \
  keyentry with lines ls 3 lw 1 title '±1 %'
unset multiplot
