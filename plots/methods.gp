# What the figures that compare methods share: which methods have rows here, how they look, what is
# said of them. A figure sets `table` and of_figure(0), whether a row is one of its own, and loads
# this file, which sets here(0); legend.gp draws what is said beside and below the panels. A figure that sets
# `one_plain` has the event-unaware solvers as one: the cheapest at each abscissa(0), by spent(0). One of a
# few methods has MuJoCo's integrators as one, too, by contacts and by a callback. as_good(a, b) says
# that abscissa a serves who asks for b.
# SPDX-License-Identifier: GPL-3.0-or-later

if (!exists("one_plain")) one_plain = 0
one_mujoco = exists("few") && !exists("methods")
is_plain(_) = strcol("solver")[1:6] eq 'plain-'
is_mujoco(_) = member('mujoco mujoco-callback', strcol("solver"))
group(_) = one_plain && is_plain(0) ? 'plain' : one_mujoco && is_mujoco(0) ? strcol("solver") : ''
groups = 'plain mujoco mujoco-callback'
who(_) = group(0) ne '' ? group(0) : strcol("method")

# of a group's rows those remain that no good one of it beats: that serves for less, or for as much
# and at a better abscissa. A row that is not good costs more than any; one for which another stands
# is none; and MuJoCo says that it refuses.
beaten(_) = 0
if (one_plain || one_mujoco) {
  costly = 1e300
  price(_) = strcol("status") eq 'ok' && known(spent(0)) ? spent(0) : costly
  is_rival(_) = of_figure(0) && group(0) ne '' && strcol("status") eq 'ok' && known(abscissa(0))
  rivals = 0
  stats table using (is_rival(0) ? (rivals = rivals + 1, 0) : 0) nooutput
  array price_of[rivals + 1]
  array place_of[rivals + 1]
  array group_of[rivals + 1]
  rivals = 0
  note_rival(_) = (rivals = rivals + 1, price_of[rivals] = price(0), place_of[rivals] = abscissa(0), \
    group_of[rivals] = group(0), 0)
  stats table using (is_rival(0) ? note_rival(0) : 0) nooutput
  beats(k, s, a) = as_good(place_of[k], a) && (price_of[k] < s || (price_of[k] == s && place_of[k] < a))
  is_beaten(g, s, a) = rivals > 0 && (sum [k = 1:rivals] (group_of[k] eq g && beats(k, s, a))) > 0
  loses(_) = !known(abscissa(0)) || is_beaten(group(0), price(0), abscissa(0))
  refuses(_) = is_mujoco(0) && strcol("status") eq 'refused'
  beaten(_) = group(0) ne '' && !refuses(0) && (strcol("coincides_with") ne '' || loses(0))
}
here(_) = of_figure(0) && !beaten(0)

# methods with rows that stand for themselves, refused everywhere, or for which others stand
listed = ''
standing = ''
refused = ''
same = ''
sort(_) = strcol("coincides_with") ne '' ? (same = including(same, strcol("coincides_with").'='.who(0)), 0) : \
  strcol("status") eq 'refused' ? (refused = including(refused, who(0)), 0) : \
  (standing = including(standing, who(0)), 0)
stats table using (here(0) ? (listed = including(listed, who(0)), sort(0)) : 0) nooutput
drawn = ''
do for [m in listed] {
  if (member(standing, m)) { drawn = including(drawn, m) }
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
# for a talk: at most `few`, of these the first that are there
if (exists("few")) {
  all_drawn = drawn
  drawn = ''
  do for [m in 'libess mujoco mujoco-callback plain projection-1 location-brent cvode-adams smooth hybrid ode'] {
    drawn = member(all_drawn, m) && words(drawn) < few ? including(drawn, m) : drawn
  }
}

drawn = in_order(drawn)

# the projection is libess by the paper's method
renamed(text) = text[1:10] eq 'projection' ? "libess, paper's".text[11:*] : \
  text[1:6] eq 'plain ' ? 'event-unaware'.text[6:*] : text
# what is said of each method drawn; a note says for which others it stands, and which solvers refuse
array title[words(drawn) + 1]
array solver[words(drawn) + 1]
array note[words(drawn) + 6]
notes = 0
do for [i = 1:words(drawn)] {
  stats table using (here(0) && who(0) eq word(drawn, i) ? \
    (title[i] = group(0) ne '' ? label(group(0)) : renamed(strcol("label")), \
    solver[i] = group(0) ne '' ? group(0) : strcol("solver"), 0) : 0) nooutput
  twins = ''
  do for [pair in same] {
    equals = strstrt(pair, '=')
    twin = pair[equals + 1:*]
    if (pair[1:equals - 1] eq word(drawn, i) && !member(drawn, twin)) {
      stats table using (here(0) && who(0) eq twin ? (text = strcol("variant"), 0) : 0) nooutput
      twins = twins.' = '.text
    }
  }
  if (twins ne '') {
    notes = notes + 1
    note[notes] = title[i].twins.', but for rounding'
  }
}
# a solver by its own name when all its methods are refused, or else the method
known_solvers = ''
do for [i = 1:words(drawn)] { known_solvers = including(known_solvers, solver[i]) }
absent = ''
names = ''
do for [m in refused] {
  if (!member(drawn, m)) {
    stats table using (here(0) && who(0) eq m ? \
      (text = strcol("solver"), text_of_method = strcol("label"), 0) : 0) nooutput
    partly = member(known_solvers, text)
    name_of = partly ? text_of_method : label(text)
    names = partly || !member(absent, text) ? names.(names eq '' ? '' : ', ').name_of : names
    absent = including(absent, text)
  }
}
if (names ne '') {
  notes = notes + 1
  note[notes] = 'refused: '.names
}

# --- how they look --------------------------------------------------------------------------------

# a solver has a colour and a point, its methods a dash each
families = 'projection mujoco location cvode gsl listing hybrid smooth time-stepping ode libess plain-euler '. \
  'plain-rk4 plain-dopri5 plain-cvode plain-heun plain-adams2 plain-lit plain mujoco-callback'
family_colours = vermillion.' '.mujoco_hue.' '.orange.' '.purple.' #8A8AD8'. \
  ' #8C5A1E black #808080 #B8A100 #6B8E23 '.libess_hue.' '.plain_hue.' '.plain_hue.' '.plain_hue. \
  ' '.plain_hue.' '.plain_hue.' '.plain_hue.' '.plain_hue.' '.plain_hue.' '.callback_hue.' #AAAAAA'
family_points = sprintf('%d %d 9 11 13 15 7 5 9 11 %d 7 7 5 9 11 13 15 %d %d 9', paper_mark, mujoco_mark, libess_mark, \
  plain_mark, callback_mark)
set dashtype 1 solid
set dashtype 2 (8, 4)
set dashtype 3 (2, 3)
set dashtype 4 (10, 3, 2, 3)
number(m) = place(drawn, m)
family(m) = member(families, solver[number(m)]) ? place(families, solver[number(m)]) : words(families) + 1
ordinal(m) = (sum [k = 1:number(m)] (solver[k] eq solver[number(m)] ? 1 : 0))
hue(m) = word(family_colours, family(m))
mark(m) = int(word(family_points, family(m)))
weight(m) = member('libess projection', solver[number(m)]) ? 2.2 : 1.3
dash(m) = (ordinal(m) - 1) % 4 + 1

# --- rows and marks -------------------------------------------------------------------------------

good(_) = strcol("status") eq 'ok'
near(_) = strcol("status") eq 'crossings'
bad(_) = !good(0) && !near(0) && strcol("status") ne 'refused'
chosen(_) = here(0) && member(drawn, who(0))

# methods with points of each kind that have a value, which a figure collects by collect(v)
goods = ''
nears = ''
bads = ''
collect(v) = !chosen(0) || !known(v) ? 0 : good(0) ? (goods = including(goods, who(0)), 0) : \
  near(0) ? (nears = including(nears, who(0)), 0) : \
  bad(0) ? (bads = including(bads, who(0)), 0) : 0

# a part of a plot command for a list of methods, which may be empty; `values` and `how` are of m
part(list, values, how) = list eq '' ? '' : \
  sprintf(", for [m in '%s'] table using %s with %s", reversed(list), values, how)
line_of = 'lines lc rgb hue(m) lw weight(m) dt dash(m)'
point_of = 'points lc rgb hue(m) pt mark(m) ps 0.55 * dot'
hollow_of = 'points lc rgb hue(m) pt mark(m) - 1 ps 0.55 * dot lw 0.8'
white_of = 'points lc rgb "white" pt mark(m) ps 0.55 * dot'
# crosses that have no height of their own stand in a shaded strip above what was seen, where heights
# mean nothing: on a tier for each method of a list, so that none covers another's
above_seen = 'strip = known(high) ? 1.8 * high : 1; tier = high > 300 * low ? (high / low)**0.045 : 1.3'
tier_of(list, m) = strip * tier**(place(list, m) - 0.4)
see_strip(list) = list eq '' ? 0 : see(strip * tier**(words(list) + 0.1))
shade(list) = list eq '' ? 'unset object 1' : sprintf('set object 1 rectangle from graph 0, first %.15g '. \
  'to graph 1, graph 1 behind fillcolor rgb "#ECECEC" fillstyle solid noborder', strip)
cross_of = 'points lc rgb hue(m) pt 2 ps 0.7 * dot lw 1.5'

# --- below the panels -----------------------------------------------------------------------------

# what the marks mean, and notes, each in a line: so many inches of them
say(text) = (notes = notes + 1, note[notes] = text, 0)
say_marks(_) = (nears eq '' ? 0 : say('hollow: crossings off by more than 1 %'), bads eq '' ? 0 : say(bad_means))
step = 0.135
foot(_) = notes == 0 ? 0 : 0.04 + step * notes
