# The marginal cost of a contact by each protocol, with its confidence band, and the RMS error of the
# same runs beside it. Fig. 5.2 as the paper has it is fig5_2_marginal.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'marginal_cost'
needs = 'sweep.csv:contacts,solver,protocol,marginal_s,marginal_lo_s,marginal_hi_s,rms_error'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'

cost(v) = 1e6 * cell('marginal'.v.'_s')
sunk(v) = v <= 0 ? v : NaN
# a cost whose interval reaches 0: that goes on below the axis
endless(_) = cell('marginal_lo_s') <= 0 ? positive(cost('')) : NaN
rms(_) = positive(cell("rms_error"))
entries = words(solvers) + 1
eval sweep_page(entries)
set multiplot
do for [r = 1:words(protocols)] {
  p = word(protocols, r)

  # engines an order of magnitude apart need a logarithmic axis, whatever the noise. The costs make
  # its range: a band adds three times as much at most, and a cost below 0 stands at the bottom.
  eval survey(p, "sunk(cost(''))", '0')
  sinking = shown
  eval survey(p, "endless(0)", '0')
  reaching = shown
  eval survey(p, "positive(cost(''))", '0')
  rising = shown
  lowest = low
  highest = high
  inside(v) = v < lowest / 3 ? lowest / 3 : v > highest * 3 ? highest * 3 : v
  if (rising ne '') {
    eval survey(p, "inside(cost('_lo'))", "see(inside(cost('_hi')))")
    banded = shown
    nothing = see(lowest) + see(highest)
  } else {
    banded = ''
  }
  eval log_range('y')
  bottom = log_low(0)
  top = log_high(0)
  cut(v) = v < bottom ? bottom : v > top ? top : v
  eval sweep_panel(r, 1)
  eval ylabel('marginal cost (µs per contact)')
  set format y (rising eq '' ? '' : '%g')
  if (rising.sinking eq '') {
    set label 97 'no marginal cost from one N' at graph 0.5, 0.5 center
  }
  if (sinking ne '') {
    set label 97 'hollow: not above 0' at graph 1, screen panel_top(r) right
  }
  eval 'plot 1e30 with lines'.curves(banded, "(cut(cost('_lo'))):(cut(cost('_hi')))", band). \
    curves(rising, "(positive(cost('')))", line). \
    curves(reaching, "(endless(0)):(0):(bottom - cost(''))", 'vectors head filled size char 0.6,20 lw 0.8 lc rgb colour(s)'). \
    curves(sinking, "(known(sunk(cost(''))) ? bottom : NaN)", 'points pt hollow(s) ps 0.7 * dot lc rgb colour(s)')
  unset label 97

  eval survey(p, 'rms(0)', '0')
  eval log_range('y')
  eval sweep_panel(r, 2)
  eval ylabel('median '.rms_label)
  set format y '10^{%T}'
  eval 'plot 1e30 with lines'.curves(shown, '(rms(0))', line)
}

eval legend(0.04, entries)
plot for [s in solvers] keyentry with linespoints ls style(s) title label(s) noenhanced, \
  2 with lines lc rgb '#D0D0D0' lw 6 title 'confidence band'
unset multiplot
