# Work against precision on one model: RMS error against time, or against evaluations of field and
# guards, one line for each method, a point for each value of its knob. `model` and `contacts` choose
# the model (the first in the table), `cost` is time or evaluations, `name` the figure's file,
# `label_knobs` writes the knob's value where it is a power of ten, `methods` names those to draw,
# otherwise event-unaware solvers are one, the cheapest of them at each error; `few` says how many to draw at most, where
# MuJoCo's integrators are one, too; `numbered` says whether the model's contacts can be chosen, so that the
# title has their number.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = exists("name") ? name : 'work_precision'
needs = 'work_precision.csv:model,contacts,method,label,solver,variant,knob,value,status,'. \
  'coincides_with,rms_error,median_s,evaluations'
folder = ARG0[1:strlen(ARG0) - strlen('work_precision.gp')]
load folder.'theme.gp'
table = data.'/work_precision.csv'
if (!exists("cost")) cost = 'time'
if (cost ne 'time' && cost ne 'evaluations') {
  print figure.": cost '".cost."': accepted are time and evaluations"
  exit status 1
}
if (!exists("label_knobs")) label_knobs = 0

# --- which rows, and what they are ----------------------------------------------------------------

if (!exists("model")) {
  model = ''
  stats table using (model = model eq '' ? strcol("model") : model, 0) nooutput
}
if (!exists("contacts")) {
  contacts = NaN
  stats table using (strcol("model") eq model && !known(contacts) ? (contacts = cell("contacts")) : 0, 0) nooutput
}
of_figure(_) = strcol("model") eq model && cell("contacts") == contacts
found = 0
stats table using (found = found || of_figure(0)) nooutput
if (!found) {
  print figure.': '.table.': no rows of '.model.sprintf(' with %g contacts', contacts)
  exit status 1
}
spent(_) = positive(cost eq 'time' ? 1e3 * cell("median_s") : cell("evaluations"))
rms(_) = positive(cell("rms_error"))

one_plain = !exists("methods")
abscissa(_) = strcol("status") eq 'ok' && known(spent(0)) ? rms(0) : NaN
as_good(a, b) = a <= b
load folder.'methods.gp'

# --- what is drawn --------------------------------------------------------------------------------

# ranges; what has no error, or far too large a one, stands above them
set autoscale
eval restart
stats table using (chosen(0) && known(spent(0)) ? see(spent(0)) : 0) nooutput
x_range = log_range('x')
eval restart
stats table using (chosen(0) && (good(0) || near(0)) ? see(rms(0)) : 0) nooutput
eval above_seen
tops = ''
off_scale(_) = bad(0) && known(spent(0)) && !(rms(0) < strip)
stats table using (chosen(0) && off_scale(0) ? (tops = including(tops, who(0)), 0) : 0) nooutput
height_of(_) = off_scale(0) ? tier_of(tops, who(0)) : rms(0)
stats table using (known(spent(0)) ? collect(bad(0) ? height_of(0) : rms(0)) : 0) nooutput
stats table using (chosen(0) && bad(0) && known(spent(0)) ? see(height_of(0)) : 0) nooutput
nothing = see_strip(tops)
y_range = log_range('y')

at(m, kind) = chosen(0) && who(0) eq m && kind ? spent(0) : NaN
lines = ''
do for [m in goods.' '.nears] { lines = member(groups, m) ? lines : including(lines, m) }
# of several methods, whose points are in no order
mixed = ''
do for [m in groups] { mixed = member(goods, m) ? including(mixed, m) : mixed }
# powers of ten only: more would stand in each other's way
whole(v) = abs(log10(v) - floor(log10(v) + 0.5)) < 1e-6
knob(_) = whole(cell("value")) ? sprintf('1e%d', floor(log10(cell("value")) + 0.5)) : ''
knob_at = '(at(m, bad(0) || good(0) || near(0))):(bad(0) ? height_of(0) : rms(0)):(knob(0))'
label_of = 'labels font ",6" tc rgb hue(m) '
# a solver's methods by turns on either side of their points
over = ''
under = ''
do for [m in drawn] {
  if (dash(m) % 2) { over = including(over, m) } else { under = including(under, m) }
}

bad_means = 'cross: failed, diverged or too long to run'. \
  (tops eq '' ? '' : '; shaded: no error, or too large a one')
nothing = say_marks(0)
below = 0.45 + foot(0)
eval canvas(7, 3.95 + below)
set multiplot
eval panel(0.76, below, 4.1, 3.6)
eval x_range
eval y_range
eval shade(tops)
set format x cost eq 'time' ? '%g' : '10^{%T}'
set format y '10^{%T}'
set xlabel cost eq 'time' ? 'median time of a run (ms)' : \
  'evaluations of right-hand side and event functions in a run' offset 0, 0.4
eval ylabel('median '.rms_label)
if (!exists("numbered")) numbered = contacts > 1
eval heading(model.(numbered ? sprintf(', %d contact%s', contacts, contacts == 1 ? '' : 's') : ''))
eval 'plot 1e300 with lines'.part(lines, '(at(m, good(0) || near(0))):(rms(0))', line_of). \
  part(mixed, '(at(m, good(0))):(rms(0)) smooth unique', line_of). \
  part(goods, '(at(m, good(0))):(rms(0))', point_of). \
  part(nears, '(at(m, near(0))):(rms(0))', white_of). \
  part(nears, '(at(m, near(0))):(rms(0))', hollow_of). \
  part(bads, '(at(m, bad(0))):(height_of(0))', cross_of). \
  part(label_knobs ? over : '', knob_at, label_of.'left offset 0.4, 0.35'). \
  part(label_knobs ? under : '', knob_at, label_of.'right offset -0.4, -0.35')

beside = 5.0
from_below = below + 3.6
load folder.'legend.gp'
unset multiplot
