# Outcomes of an ensemble of runs: above, the mean outcome over the initial state, and the mean number of
# crossings; below, how both are distributed. Places where a run failed have a cross.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_ensemble'
needs = 'ensemble.csv:quantity,starts,min,max '. \
  'ensemble_distribution.csv:quantity,from,to,starts '. \
  'ensemble_map.csv:across_state,up_state,outcome_name,across,up,starts,failed,crossings,outcome'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/ensemble.csv'
bins = data.'/ensemble_distribution.csv'
map = data.'/ensemble_map.csv'

# the axes; how far one place is from the next
across = ''; up = ''; outcome = ''
stats map using (across = strcol("across_state"), up = strcol("up_state"), \
  outcome = strcol("outcome_name"), 0) nooutput
# the least distance between two values of a column, by way of its place in the order
spacing(name) = sprintf("before = NaN; step = NaN; stats map using (here = cell('%s'), ".\
  "apart = abs(here - before), step = apart > 0 && !(step <= apart) ? apart : step, before = here, 0) nooutput", name)
set datafile missing
eval spacing('across')
width_across = known(step) ? step : 1
eval spacing('up')
height_up = known(step) ? step : 1
set datafile missing NaN

# one column of panels for each quantity, with a map where the initial state has an axis
shown = outcome eq 'crossings' ? outcome : outcome.' crossings'
columns = words(shown)
mapped = across ne ''
# of a body in the plane units are known by the names
planar = member(across.' '.up.' '.outcome, 'theta')
unit_of(name) = planar && member('x z', name) ? 'm' : name eq 'theta' ? 'rad' : ''
# a Greek letter and a unit, where the state has them
letter(name) = name eq 'theta' ? 'θ' : name eq 'phi' ? 'φ' : literal(name)
in_unit(text, unit) = unit eq '' ? text : text.' ('.unit.')'
density_of(name) = in_unit('density', unit_of(name) eq '' ? '' : unit_of(name).'^{-1}')
title_of(name) = name eq 'crossings' ? 'crossings in a run' : in_unit('final '.letter(name), unit_of(name))
initial(name) = in_unit('initial '.letter(name), unit_of(name))
mean_in(name) = cell(name eq 'crossings' ? 'crossings' : 'outcome')
middle_up(_) = up eq '' ? 0.5 : cell("up")
# what has a sign diverges from white, by lightness as well; what is counted goes from light to dark
signed = "set palette defined (-1 '#053061', -0.5 '#4393C3', 0 '#F7F7F7', 0.5 '#D6604D', 1 '#67001F')"
counted = "set palette defined (0 '#F7FCF5', 0.5 '#41AB5D', 1 '#00441B')"
has_sign(_) = low < 0 && high > 0
symmetric(_) = (high = high > -low ? high : -low, low = -high)

# some four marks of an axis: a step of 1, 2 or 5 times a power of ten
mark(v) = (ten = 10.**floor(log10(v)), v < 2 * ten ? ten : v < 5 * ten ? 2 * ten : 5 * ten)
tics(_) = known(low) && high > low ? sprintf('set xtics %.15g', mark((high - low) / 3.)) : 'set xtics autofreq'

# density of a bin, of the runs that came to their end
of(name) = strcol("quantity") eq name
at(name) = of(name) ? 0.5 * (cell("from") + cell("to")) : NaN

eval canvas(columns == 1 ? 4.1 : 7, mapped ? 4.55 : 2.3)
set multiplot
do for [k = 1:columns] {
  name = word(shown, k)
  left = k == 1 ? 0.76 : 4.2
  if (mapped) {
    unset logscale; set autoscale; unset key
    eval panel(left, 2.5, 2.1, 1.7)
    eval restart
    stats map using (see(cell("across") - 0.5 * width_across), see(cell("across") + 0.5 * width_across)) nooutput
    eval linear_range('x', 0)
    eval tics(0)
    unset grid
    eval restart
    stats map using (see(middle_up(0) - 0.5 * height_up), see(middle_up(0) + 0.5 * height_up)) nooutput
    eval linear_range('y', 0)
    eval restart
    stats map using (see(mean_in(name))) nooutput
    drawn = known(low)
    divergent = drawn && has_sign(0)
    nothing = divergent ? symmetric(0) : 0
    eval divergent ? signed : counted
    eval linear_range('cb', 0)
    set colorbox user origin screen (left + 2.2) / width, screen 2.5 / height size screen 0.1 / width, screen 1.7 / height
    eval heading(name eq 'crossings' ? 'mean number of crossings' : 'mean '.title_of(name))
    set xlabel initial(across) offset 0, 0.4
    if (up eq '') { unset label 99; unset ytics } else { eval ylabel(initial(up)); set ytics }
    # places overlap by more than a pixel, so that none of the page shows between them
    failed = 0
    stats map using (failed = failed + cell("failed"), 0) nooutput
    eval 'plot '.(drawn ? 'map using (cell("across")):(middle_up(0)):(0.56 * width_across):(0.56 * height_up):(mean_in(name)) '. \
      'with boxxyerror fs solid noborder lc palette' : 'NaN').(failed > 0 ? \
      ', map using (cell("failed") > 0 ? cell("across") : NaN):(middle_up(0)) with points pt 2 ps 0.25 * dot lc rgb vermillion' : '')
    unset label 98
  }
  unset logscale; set autoscale; set ytics
  eval panel(left, 0.45, 2.1, 1.5)
  eval restart
  total = 0
  stats table using (of(name) ? (total = cell("starts"), see(cell("min")), see(cell("max"))) : 0) nooutput
  eval linear_range('x', 0.03)
  eval tics(0)
  set grid back ls 10
  eval restart
  found = 0
  stats bins using (found = of(name) ? found + 1 : found, 0) nooutput
  set yrange [0:*]
  set xlabel title_of(name) offset 0, 0.4
  eval ylabel(density_of(name))
  if (found) {
    plot bins using (at(name)):(cell("starts") / (cell("to") - cell("from")) / total):(cell("to") - cell("from")) \
      with boxes fs solid 0.6 noborder lc rgb libess_hue
  } else {
    set yrange [0:1]
    plot NaN
  }
}
unset multiplot
