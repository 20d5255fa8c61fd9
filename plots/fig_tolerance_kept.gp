# RMS error over the tolerance asked for, of every method of work-precision that has one, at 1e-2 to
# 1e-6. Left the median start, right the worst, beside the line where the tolerance is kept; a row
# for each model and number of contacts, at most four.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_tolerance_kept'
needs = 'work_precision.csv:model,contacts,method,label,solver,variant,knob,value,status,'. \
  'coincides_with,rms_error,rms_worst'
folder = ARG0[1:strlen(ARG0) - strlen(figure.'.gp')]
load folder.'theme.gp'
table = data.'/work_precision.csv'

of_figure(_) = (strcol("knob") eq 'tolerance' || strcol("knob") eq 'rtol') && cell("value") > 0.9e-6 && \
  cell("value") < 1.1e-2
load folder.'methods.gp'
over(name) = positive(cell(name) / cell("value"))

# models by name and number of contacts, and the range of all that is drawn
cases = ''
eval restart
stats table using (chosen(0) && known(over("rms_error")) ? \
  (cases = including(cases, strcol("model").'='.strcol("contacts")), see(over("rms_error")), \
  see(over("rms_worst"))) : 0) nooutput
low = low < 1 ? low : 1
high = high > 1 ? high : 1
y_range = log_range('y')
rows = words(cases) > 4 ? 4 : words(cases) < 1 ? 1 : words(cases)
case_at(_) = strcol("model").'='.strcol("contacts") eq one
at(m) = chosen(0) && case_at(0) && strcol("method") eq m ? cell("value") : NaN

eval canvas(7, 0.4 + 1.75 * rows + foot(0))
set multiplot
# a table without a tolerance has but a title
do for [r = 1:(words(cases) < rows ? words(cases) : rows)] {
  one = word(cases, r)
  equals = strstrt(one, '=')
  contacts = one[equals + 1:*]
  do for [k = 1:2] {
    quantity = k == 1 ? 'rms_error' : 'rms_worst'
    eval panel(k == 1 ? 0.76 : 2.98, foot(0) + 0.45 + 1.75 * (rows - r), 1.88, 1.3)
    set logscale x
    set xrange [5e-7:2e-2]
    eval y_range
    set format '10^{%T}'
    eval k == 1 ? ylabel('RMS error / tolerance') : 'unset label 99'
    if (k == 2) { set format y '' }
    eval heading(k == 1 ? one[1:equals - 1].(contacts > 1 ? ', '.contacts.' contacts' : '').': median' : 'worst')
    if (r == rows) { set xlabel 'tolerance' offset 0, 0.4 } else { unset xlabel }
    eval 'plot 1 with lines lc rgb "black" lw 0.8 dt (3, 3)'. \
      part(drawn, '(at(m)):(over(quantity))', line_of).part(drawn, '(at(m)):(over(quantity))', point_of)
  }
}
if (!words(cases)) {
  eval panel(0.76, 0.45, 4.1, 1.3).bare
  set label 1 'no method has a tolerance' at graph 0.5, graph 0.5 center
  plot 2 with lines
}
unset label 98
beside = 5.0
from_below = height - 0.3
load folder.'legend.gp'
unset multiplot
