# Work against precision on one model: RMS error against time, or against evaluations of field and
# guards, one line for each method, a point for each value of its knob. `model` and `contacts` choose
# the model (the first in the table), `cost` is time or evaluations, `name` the figure's file,
# `label_knobs` writes the knob's value where it is a power of ten, `methods` names those to draw.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = exists("name") ? name : 'work_precision'
needs = 'work_precision.csv:model,contacts,method,label,solver,variant,knob,value,status,'. \
  'coincides_with,rms_error,median_s,evaluations'
load ARG0[1:strlen(ARG0) - strlen('work_precision.gp')].'theme.gp'
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
here(_) = strcol("model") eq model && cell("contacts") == contacts
stands(_) = here(0) && strcol("coincides_with") eq ''
drawn = ''
refused = ''
same = ''
sort(_) = !here(0) ? 0 : !stands(0) ? (same = including(same, strcol("coincides_with").'='.strcol("variant")), 0) : \
  strcol("status") eq 'refused' ? (refused = including(refused, strcol("method")), 0) : \
  (drawn = including(drawn, strcol("method")), 0)
stats table using (sort(0)) nooutput
if (drawn.refused eq '') {
  print figure.': '.table.': no rows of '.model.sprintf(' with %g contacts', contacts)
  exit status 1
}
if (exists("methods")) {
  do for [m in methods] {
    if (!member(drawn, m)) {
      print figure.': '.table.": no rows of '".m."', only of ".drawn
      exit status 1
    }
  }
  drawn = methods
}

# what is said of each method drawn; a note says for which others it stands, and which solvers refuse
array title[words(drawn) + 1]
array solver[words(drawn) + 1]
array note[words(drawn) + 1]
notes = 0
longest = 0
do for [i = 1:words(drawn)] {
  stats table using (here(0) && strcol("method") eq word(drawn, i) ? \
    (title[i] = strcol("label"), solver[i] = strcol("solver"), 0) : 0) nooutput
  longest = strlen(title[i]) > longest ? strlen(title[i]) : longest
  twins = ''
  do for [pair in same] {
    equals = strstrt(pair, '=')
    twins = twins.(pair[1:equals - 1] eq word(drawn, i) ? ' = '.pair[equals + 1:*] : '')
  }
  if (twins ne '') {
    notes = notes + 1
    note[notes] = title[i].twins.', but for rounding'
  }
}
absent = ''
do for [m in refused] {
  stats table using (here(0) && strcol("method") eq m ? (text = strcol("solver"), 0) : 0) nooutput
  absent = member(drawn, m) ? absent : including(absent, text)
}
if (absent ne '') {
  notes = notes + 1
  note[notes] = 'cannot do this model:'
  do for [s in absent] {
    note[notes] = note[notes].(note[notes][strlen(note[notes]):*] eq ':' ? ' ' : ', ').label(s)
  }
}

# --- how they look --------------------------------------------------------------------------------

# a solver has a colour and a point, its methods a dash each
families = 'projection mujoco location cvode gsl listing hybrid smooth time-stepping'
family_colours = vermillion.' '.blue.' '.green.' '.purple.' '.orange.' #8C5A1E black #808080 #CC79A7 #56B4E9'
family_points = '7 5 9 11 13 15 7 5 9 7'
set dashtype 1 solid
set dashtype 2 (8, 4)
set dashtype 3 (2, 3)
set dashtype 4 (10, 3, 2, 3)
number(m) = place(drawn, m)
family(m) = member(families, solver[number(m)]) ? place(families, solver[number(m)]) : words(families) + 1
ordinal(m) = (sum [k = 1:number(m)] (solver[k] eq solver[number(m)] ? 1 : 0))
hue(m) = word(family_colours, family(m))
mark(m) = int(word(family_points, family(m)))
weight(m) = solver[number(m)] eq 'projection' ? 2.2 : 1.3
dash(m) = (ordinal(m) - 1) % 4 + 1

# --- what is drawn --------------------------------------------------------------------------------

spent(_) = positive(cost eq 'time' ? 1e3 * cell("median_s") : cell("evaluations"))
rms(_) = positive(cell("rms_error"))
good(_) = strcol("status") eq 'ok'
near(_) = strcol("status") eq 'crossings'
bad(_) = !good(0) && !near(0) && strcol("status") ne 'refused'

# methods with points of each kind, and the ranges; what has no error, or far too large a one, stands
# at the upper edge
having(list, v) = known(v) ? including(list, strcol("method")) : list
goods = ''
nears = ''
bads = ''
chosen(_) = here(0) && member(drawn, strcol("method"))
set autoscale
eval restart
stats table using (chosen(0) && known(spent(0)) ? see(spent(0)) : 0) nooutput
x_range = log_range('x')
eval restart
stats table using (chosen(0) && (good(0) || near(0)) ? see(rms(0)) : 0) nooutput
edge = known(high) ? 4 * high : 1
stats table using (!chosen(0) || !known(spent(0)) ? 0 : \
  good(0) ? (goods = having(goods, rms(0)), 0) : near(0) ? (nears = having(nears, rms(0)), 0) : \
  bad(0) ? (bads = including(bads, strcol("method")), see(edge)) : 0) nooutput
y_range = log_range('y')
height_of(_) = known(rms(0)) && rms(0) < edge ? rms(0) : edge

at(m, kind) = chosen(0) && strcol("method") eq m && kind ? spent(0) : NaN
lines = ''
do for [m in goods.' '.nears] { lines = including(lines, m) }
# powers of ten only: more would stand in each other's way
whole(v) = abs(log10(v) - floor(log10(v) + 0.5)) < 1e-6
knob(_) = whole(cell("value")) ? sprintf('1e%d', floor(log10(cell("value")) + 0.5)) : ''
with_labels = label_knobs ? lines : ''
part(list, values, how) = list eq '' ? '' : \
  sprintf(", for [m in '%s'] table using %s with %s", list, values, how)

# --- the page -------------------------------------------------------------------------------------

# above the panel: methods, what the marks mean, notes
fitting = int(6.9 / (0.55 + 0.068 * longest))
legend_columns = fitting > 4 ? 4 : fitting < 1 ? 1 : fitting
method_rows = ceil(words(drawn) * 1. / legend_columns)
mark_rows = nears.bads eq '' ? 0 : 1
step = 0.155
title_height = 0.2
head_height = 0.12 + title_height + step * (method_rows + mark_rows + notes)
eval canvas(7, 4.15 + head_height)
set multiplot
eval panel(0.76, 0.45, 6.14, 3.6)
eval x_range
eval y_range
set format x cost eq 'time' ? '%g' : '10^{%T}'
set format y '10^{%T}'
set xlabel cost eq 'time' ? 'median time of a run (ms)' : \
  'evaluations of field and guards in a run' offset 0, 0.4
eval ylabel('median RMS error')
eval 'plot 1e300 with lines'. \
  part(lines, '(at(m, good(0) || near(0))):(rms(0))', 'lines lc rgb hue(m) lw weight(m) dt dash(m)'). \
  part(goods, '(at(m, good(0))):(rms(0))', 'points lc rgb hue(m) pt mark(m) ps 0.55 * dot'). \
  part(nears, '(at(m, near(0))):(rms(0))', 'points lc rgb "white" pt mark(m) ps 0.55 * dot'). \
  part(nears, '(at(m, near(0))):(rms(0))', 'points lc rgb hue(m) pt mark(m) - 1 ps 0.55 * dot lw 0.8'). \
  part(bads, '(at(m, bad(0))):(height_of(0))', 'points lc rgb hue(m) pt 2 ps 0.7 * dot lw 1.5'). \
  part(with_labels, '(at(m, good(0) || near(0))):(rms(0)):(knob(0))', \
    'labels font ",6" tc rgb hue(m) left offset 0.4, 0.35')

# each part of the legend is a panel of its own
from_top(inches) = 1 - (title_height + inches) / height
eval panel(0, 0, width, height).bare
set label notes + 1 '{/:Bold '.model.(contacts > 1 ? sprintf(', %d contacts', contacts) : '').'}' \
  at screen 0.5, from_top(-0.06) center
do for [i = 1:notes] {
  set label i note[i] at screen 0.5, from_top(0.05 + step * (method_rows + mark_rows + i - 0.5)) \
    center noenhanced
}
set key at screen 0.5, from_top(0.04) center top horizontal maxcols legend_columns Left reverse \
  samplen 3.2 width 0 spacing 1.05
eval 'plot 2 with lines'.(drawn eq '' ? '' : ', for [m in drawn] keyentry with linespoints '. \
  'lc rgb hue(m) lw weight(m) dt dash(m) pt mark(m) ps 0.55 * dot title title[number(m)] noenhanced')
unset label
if (mark_rows) {
  set key at screen 0.5, from_top(0.04 + step * method_rows) center top horizontal maxcols 2 Left \
    reverse samplen 1 width 2
  plot 2 with points lc rgb 'black' pt 6 ps 0.55 * dot lw 0.8 \
      title nears eq '' ? '' : 'hollow: crossings off by more than 1 %', \
    2 with points lc rgb 'black' pt 2 ps 0.7 * dot lw 1.5 \
      title bads eq '' ? '' : 'failed or diverged'
}
unset multiplot
