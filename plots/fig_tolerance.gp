# RMS error over the tolerance, of the median and the worst initial condition, for each number of contacts,
# beside the line of proportion; below, the same over the tolerance. A column for each damping.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_tolerance'
needs = 'tolerance.csv:contacts,damping,tolerance,rms_median,rms_worst'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/tolerance.csv'

# the first and the last damping; of many numbers of contacts at most five, ends among them
found = ''
dampings = ''
eval restart
stats table using (found = including(found, strcol("contacts")), \
  dampings = including(dampings, strcol("damping")), see(positive(cell("tolerance")))) nooutput
x_range = log_range('x')
many = decades(5)
shown = words(dampings) < 2 ? dampings : word(dampings, 1).' '.word(dampings, words(dampings))
columns = words(shown)
n = words(found) < 5 ? words(found) : 5
chosen = ''
do for [i = 1:n] {
  chosen = chosen.' '.word(found, n < 2 ? 1 : 1 + (words(found) - 1) * (i - 1) / (n - 1))
}

at(m, c) = strcol("contacts") eq m && strcol("damping") eq c ? positive(cell("tolerance")) : NaN
# the error itself, or over the tolerance
of(name, k) = positive(k == 1 ? cell(name) : cell(name) / cell("tolerance"))
hue(m) = shade_of(libess_shades, place(chosen, m), n)
mark(m) = int(word(sprintf('7 %d 9 15 11', libess_mark), place(chosen, m)))
lines = 'linespoints lc rgb hue(m) lw 1.2 pt mark(m) ps 0.3 * dot'
crosses = 'points lc rgb hue(m) lw 0.9 pt 2 ps 0.35 * dot'
series(name, how) = ', for [m in drawn] table using (at(m, damping)):(of("'.name.'", k)) with '.how

top = 0.04 + 0.17 * ceil(n / (columns == 1 ? 2. : 4.))
eval canvas(columns == 1 ? 4.1 : 7, 4.5 + top)
set multiplot
do for [k = 1:2] {
  unset logscale; set autoscale; eval restart
  stats table using (see(of("rms_median", k)), see(of("rms_worst", k))) nooutput
  if (k == 2) { low = low < 1 ? low : 1; high = high > 1 ? high : 1 }
  y_range = log_range('y')
  do for [j = 1:columns] {
    damping = word(shown, j)
    unset logscale; set autoscale
    # numbers of contacts with a point in this panel
    drawn = ''
    stats table using (known(at(strcol("contacts"), damping)) && member(chosen, strcol("contacts")) && \
      known(of("rms_median", k)) ? (drawn = including(drawn, strcol("contacts")), 0) : 0) nooutput
    eval panel(j == 1 ? 0.76 : 4.32, k == 1 ? 2.2 : 0.45, columns == 1 ? 3.1 : 2.5, k == 1 ? 1.75 : 1.3)
    eval x_range
    eval y_range
    eval ylabel(k == 1 ? rms_label : 'RMS error / tolerance')
    if (k == 1) {
      eval heading('damping '.damping.' N s/m')
      unset xlabel
    } else {
      unset label 98
      set xlabel 'tolerance' offset 0, 0.4
    }
    set format '10^{%T}'
    if (many) { set xtics 100 }
    eval 'plot (k == 1 ? x : 1) with lines lc rgb "black" lw 0.8 dt (3, 3)'. \
      (drawn eq '' ? '' : series('rms_median', lines).series('rms_worst', crosses))
  }
}

legend_rows(entries) = ceil(entries / (columns == 1 ? 2. : 4.))
eval legend(0.04, n)
plot 2 with lines, for [m in chosen] keyentry with linespoints lc rgb hue(m) lw 1.2 pt mark(m) \
  ps 0.5 * dot title m.' contacts'
eval legend(top, 2)
plot 2 with lines, \
  keyentry with points lc rgb 'black' lw 0.9 pt 2 ps 0.5 * dot title 'worst initial condition', \
  keyentry with lines lc rgb 'black' lw 0.8 dt (3, 3) title 'error = tolerance'
unset multiplot
