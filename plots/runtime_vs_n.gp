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
eval sweep_page(entries, 1)
set multiplot
do for [r = 1:words(protocols)] {
  p = word(protocols, r)
  eval survey(p, "ms('q25')", "see(ms('q75'))")
  banded = shown
  eval survey(p, "ms('median')", "see(ms('q25')), see(ms('q75'))")
  eval log_range('y')
  eval sweep_panel(r, 1)
  eval ylabel('median runtime (ms)')
  set format y '%g'
  eval 'plot 1e30 with lines'.curves(banded, "(ms('q25')):(ms('q75'))", band). \
    curves(shown, "(ms('median'))", line)

  eval survey(p, 'rms(0)', '0')
  eval log_range('y')
  eval sweep_panel(r, 2)
  eval ylabel('median RMS error')
  set format y '10^{%T}'
  eval 'plot 1e30 with lines'.curves(shown, '(rms(0))', line)
}

# what a run takes each where the contacts are most, by the last protocol
time_at_most(s) = sprintf("eval restart; stats sweep using (strcol('protocol') eq p && cell('contacts') == most && ". \
  "racer(0) eq '%s' ? see(ms('median')) : 0) nooutput", s)
unset logscale; set autoscale; eval restart
stats sweep using (strcol("protocol") eq p && member(solvers, racer(0)) ? see(cell("contacts")) : 0) nooutput
most = high
times = ''
spoken(s) = s eq 'plain' ? 'the '.label(s) : s eq 'mujoco-callback' ? 'by a callback' : s eq 'projection' ? "the paper's method" : label(s)
told = ''
do for [s in 'libess mujoco mujoco-callback '.solvers] { told = member(solvers, s) ? including(told, s) : told }
do for [s in told] {
  eval time_at_most(s)
  times = known(high) ? times.(times eq '' ? ' ' : ', ').spoken(s).' '.short(high, 2).' ms' : times
}
eval legend(0.24, entries)
if (times ne '') { set label 1 sprintf('%s, %g contacts:', p, most).times \
  at screen 0.5, 1 - 0.12 / height center }
plot for [s in solvers] keyentry with linespoints ls style(s) title label(s) noenhanced, \
  2 with lines lc rgb '#D0D0D0' lw 6 title 'quartiles'
unset multiplot
