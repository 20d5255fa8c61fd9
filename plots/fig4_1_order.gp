# Fig. 4.1: RMS error of the projection integrator against 1/epsilon, a line of the fitted slope of each
# projection order, and one of the paper's slope beside it.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig4_1_order'
needs = 'order.csv:epsilon,projection_order,rms_error,in_fit '. \
  'order_fit.csv:projection_order,slope,intercept,fit_min,fit_max,paper_slope'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
errors = data.'/order.csv'
fits = data.'/order_fit.csv'

eval restart
stats errors using (see(1 / cell("epsilon"))) nooutput
x_range = log_range('x')
eval restart
stats errors using (see(positive(cell("rms_error")))) nooutput
largest = high
high = 30 * high # room for the legend
y_range = log_range('y')

# what was fitted, by row of the table
n = 0
array order[9]
array slope[9]
array intercept[9]
array fit_min[9]
array fit_max[9]
array paper[9]
keep(o) = (n = n + 1, order[n] = o, slope[n] = cell("slope"), intercept[n] = cell("intercept"), \
  fit_min[n] = cell("fit_min"), fit_max[n] = cell("fit_max"), paper[n] = cell("paper_slope"), 0)
stats fits using (keep(cell("projection_order"))) nooutput

eval canvas(4.4, 3.5)
eval panel(0.72, 0.45, 3.5, 2.75)
set key at graph 1, 0.99 right top vertical Left reverse samplen 2.5 width (format eq 'svg' ? 0 : -3)
eval heading('path through three event functions')
eval x_range
eval y_range
set xlabel '1/ε' offset 0, 0.4
eval ylabel('RMS error of the state')
set format '10^{%T}'

# a fit goes on beyond its range, which is that of the filled points, up to the largest error; the
# paper's slope stands a decade above the range it is for
fit(i, x) = 10**(intercept[i] - slope[i] * log10(x))
seen_fit(i, x) = fit(i, x) <= 3 * largest ? fit(i, x) : NaN
middle(i) = 1 / sqrt(fit_min[i] * fit_max[i])
paper_line(i, x) = x >= 1 / fit_max[i] && x <= 1 / fit_min[i] ? \
  10 * fit(i, middle(i)) * (x / middle(i))**-paper[i] : NaN
filled = '7 9 13'
hollow = '6 8 12'
chosen(i, used) = cell("projection_order") == order[i] && (cell("in_fit") != 0) == used ? \
  1 / cell("epsilon") : NaN
set samples 500
plot for [i = 1:n] errors using (chosen(i, 1)):(positive(cell("rms_error"))) with points \
    lc rgb shade_of(paper_shades, i, n) pt int(word(filled, i)) ps 0.5 * dot lw 0.6 \
    title sprintf('order %d', order[i]), \
  for [i = 1:n] errors using (chosen(i, 0)):(positive(cell("rms_error"))) with points \
    lc rgb shade_of(paper_shades, i, n) pt int(word(hollow, i)) ps 0.5 * dot lw 0.6, \
  for [i = 1:n] seen_fit(i, x) with lines lc rgb 'black' lw 0.8 dt (7, 3) \
    title i == 1 ? 'fit to the filled points' : '', \
  for [i = 1:n] paper_line(i, x) with lines ls 3 \
    title known(paper[i]) ? "the paper's slope" : ''
