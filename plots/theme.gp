# Shared theme of the figures: checks what a figure reads, names the engines' colours and dashes,
# lays out panels in inches. A figure sets `figure` (its name) and `needs` (file:column,column ...)
# and loads this file. All of them are called as
#   gnuplot -e "data='results'; out='results/figures'; format='svg'" plots/<figure>.gp
# SPDX-License-Identifier: GPL-3.0-or-later

if (!exists("data")) data = 'results'
if (!exists("out")) out = 'results/figures'
if (!exists("format")) format = 'svg'
if (format ne 'svg' && format ne 'pdf' && format ne 'png') {
  print figure.": format '".format."': accepted are svg, pdf and png"
  exit status 1
}

# --- what the figure reads -------------------------------------------------------------------------

# each file has its columns and at least one row; a tab never occurs, so a row is one cell
set decimalsign '.'
set datafile separator "\t"
do for [need in needs] {
  file = data.'/'.need[1:strstrt(need, ':') - 1]
  columns = need[strstrt(need, ':') + 1:*]
  rows = 0
  header = ''
  stats file using (rows = rows + 1, header = rows == 1 ? strcol(1) : header, 0) nooutput
  if (rows == 0) {
    print figure.': '.file.' is missing or empty'
    exit status 1
  }
  while (columns ne '') {
    comma = strstrt(columns.',', ',')
    if (strstrt(','.header.',', ','.columns[1:comma - 1].',') == 0) {
      print figure.': '.file." has no column '".columns[1:comma - 1]."', only ".header
      exit status 1
    }
    columns = columns[comma + 1:*]
  }
  if (rows == 1) {
    print figure.': '.file.' has a header but no rows'
    exit status 1
  }
}
set datafile separator ','
set datafile columnheaders
# a row that a filter turns to NaN, or an empty cell, does not exist: lines go on across it
set datafile missing NaN

# --- words, numbers, ranges -----------------------------------------------------------------------

# the number in this row under a header, where it is known and finite; column() alone makes stats
# complain of a table of "nan", and a range of "inf" is none
cell(name) = strstrt(' nan inf -inf ', ' '.strcol(name).' ') || strcol(name) eq '' ? NaN : column(name)

member(list, word) = strstrt(' '.list.' ', ' '.word.' ') > 0
including(list, word) = member(list, word) ? list : (list eq '' ? word : list.' '.word)
known(v) = v == v

# the range of the values seen since the last `eval restart`; positive(v) for logarithmic axes
restart = 'low = NaN; high = NaN'
see(v) = (low = known(v) && !(low <= v) ? v : low, high = known(v) && !(high >= v) ? v : high, 0)
positive(v) = v > 0 ? v : NaN

# `set range` commands that are never empty, whatever was seen. A logarithmic range of less than two
# decades is made whole decades, so that it has labels.
padding(share) = high > low ? share * (high - low) : (low == 0 ? 1 : 0.5 * abs(low))
range(axis, from, to) = sprintf('set %srange [%.15g:%.15g]', axis, from, to)
linear_range(axis, share) = !known(low) ? range(axis, 0, 1) : \
  range(axis, low - padding(share), high + padding(share))
decades(v) = log10(high / low) >= v
log_low(_) = !known(low) ? 0.1 : decades(2) ? low / 1.6 : 10**floor(log10(low / 1.05))
log_high(_) = !known(low) ? 1 : decades(2) ? high * 1.6 : 10**ceil(log10(high * 1.05))
log_range(axis) = sprintf('set logscale %s; ', axis). \
  (decades(5) ? sprintf('unset m%stics; ', axis) : '').range(axis, log_low(0), log_high(0))

# a number with so many significant digits, by mantissa and power of ten where that is shorter
exponent(v) = floor(log10(abs(v)) + 0.0002)
fixed(v, decimals) = sprintf(sprintf('%%.%df', decimals), v)
short(v, digits) = !known(v) ? 'n/a' : v == 0 ? '0' : abs(v) >= 0.01 && abs(v) < 1000 ? \
  fixed(v, exponent(v) < digits ? digits - 1 - exponent(v) : 0) : \
  fixed(v / 10.**exponent(v), digits - 1).sprintf('×10^{%d}', exponent(v))

# a name as it is, not as markup
literal(text) = text eq '' ? '' : (strstrt('_^{}@&~\', text[1:1]) ? '\' : '').text[1:1].literal(text[2:*])

# --- engines --------------------------------------------------------------------------------------

# Okabe and Ito's palette: told apart by the colour-blind; in black by their points
vermillion = '#D55E00'
blue = '#0072B2'
grey = '#404040'
green = '#009E73'
purple = '#8E3A80'
orange = '#E69F00'
# an engine has one of them in every figure, one point, hollow one below it, and a solid line
libess_hue = green
mujoco_hue = blue
plain_hue = '#D55E9A'
libess_mark = 13
mujoco_mark = 5
plain_mark = 11
# MuJoCo with the contact force as a callback is a lighter MuJoCo
callback_hue = '#56B4E9'
callback_mark = 9
paper_mark = 7
palette = vermillion.' '.mujoco_hue.' '.grey.' '.libess_hue.' '.plain_hue.' '.callback_hue.' black'
# several curves of one engine are its colour from light to dark: n of them, the k-th
libess_shades = '#8FD6BE #3DBE97 #009E73 #006B4E #003D2C'
mujoco_shades = '#9CCBEA #4B9CD3 #0072B2 #004A75 #00263D'
paper_shades = '#F2B48A #E88B45 #D55E00 #943F00 #542400'
shade_of(shades, k, n) = word(shades, n < 2 ? 3 : 1 + int((words(shades) - 1) * ((k - 1) % n) / (n - 1.) + 0.5))

# the size 1 of a point, which SVG draws smaller
dot = format eq 'svg' ? 4. / 3 : 1
set style line 1 lc rgb vermillion lw 1.6 dt solid pt paper_mark ps 0.4 * dot
set style line 2 lc rgb mujoco_hue lw 1.6 dt solid pt mujoco_mark ps 0.33 * dot
set style line 3 lc rgb grey lw 1.6 dt (1.5, 4) pt 2 ps 0.45 * dot
set style line 4 lc rgb libess_hue lw 1.6 dt solid pt libess_mark ps 0.5 * dot
set style line 5 lc rgb plain_hue lw 1.6 dt solid pt plain_mark ps 0.45 * dot
set style line 6 lc rgb callback_hue lw 1.6 dt solid pt callback_mark ps 0.45 * dot
set style line 7 lc rgb 'black' lw 1.2 dt (3, 3) pt 1 ps 0.45 * dot
set style line 10 lc rgb '#DADADA' lw 0.5 dt solid
set style line 11 lc rgb grey lw 0.7 dt solid

# an engine's line style: the racers, the reference and event-unaware solvers have theirs, others take what follows
engines = 'projection mujoco reference libess plain mujoco-callback'
place(list, word) = words((' '.list)[1:strstrt(' '.list.' ', ' '.word.' ')]) + 1
style(engine) = (engines = including(engines, engine), (place(engines, engine) - 1) % 7 + 1)
colour(engine) = word(palette, style(engine))
hollow(engine) = int(word('6 4 3 12 10 8 2', style(engine)))
# libess is what people know: the projection is its way by the paper's method
paper_method = "libess, paper's method"
label(engine) = engine eq 'mujoco' ? 'MuJoCo' : engine eq 'mujoco-callback' ? 'MuJoCo by callback' : \
  engine eq 'projection' ? paper_method : \
  engine eq 'plain' ? 'cheapest event-unaware solver' : engine
# all figures list them in one order: these first, by their names or with what follows a dash, and then others
house_order = 'libess projection mujoco mujoco-callback plain'
is_one(m, s) = m eq s || (m[1:strlen(s) + 1] eq s.'-' && (s ne 'mujoco' || m[1:15] ne 'mujoco-callback'))
ranked(m) = (sum [k = 1:words(house_order)] is_one(m, word(house_order, k))) > 0
rest(list) = list[strlen(word(list, 1)) + 2:*]
all_of(list, s) = words(list) == 0 ? '' : (is_one(word(list, 1), s) ? word(list, 1).' ' : '').all_of(rest(list), s)
unranked(list) = words(list) == 0 ? '' : (ranked(word(list, 1)) ? '' : word(list, 1).' ').unranked(rest(list))
in_order(list) = all_of(list, 'libess').all_of(list, 'projection').all_of(list, 'mujoco'). \
  all_of(list, 'mujoco-callback').all_of(list, 'plain').unranked(list)
# the first of a list is drawn last, above the others
reversed(list) = words(list) == 0 ? '' : reversed(rest(list)).' '.word(list, 1)

# of states that mix metres, radians and their rates
rms_label = 'RMS error (SI units)'

# --- the page -------------------------------------------------------------------------------------

# sizes are inches in print, type is 8 pt there; PNG has 200 dots per inch, SVG the web's 96
# each terminal measures type, lines, dashes and points by its own unit
# one family everywhere, which tools/setup installs
font = 'DejaVu Sans,8'
svg(w, h) = sprintf("svg enhanced size %d,%d font '%s' fontscale %.4f linewidth %.4f dashlength 0.75", \
  w * 96, h * 96, font, 96. / 72, 96. / 72)
pdf(w, h) = sprintf("pdfcairo enhanced size %gin,%gin font '%s' fontscale 0.75 linewidth 2 dashlength 1.4", \
  w, h, font)
png(w, h) = sprintf("pngcairo enhanced size %d,%d font '%s' fontscale %.4f linewidth %.4f pointscale %.4f", \
  w * 200, h * 200, font, 200. / 96, 200. / 72, 200. / 72).' dashlength 1.4'
canvas(w, h) = (width = w, height = h, 'set terminal '. \
  (format eq 'svg' ? svg(w, h) : format eq 'pdf' ? pdf(w, h) : png(w, h)). \
  " background 'white'; set output out.'/'.figure.'.'.format")

# a panel's axes by left, bottom, width and height in inches, its label beside the y axis, its heading above;
# what says which line is which stands in a panel of its own, or beside all, and never covers data
panel(l, b, w, h) = (panel_left = l, sprintf('set lmargin at screen %.5f; set rmargin at screen %.5f; ', \
  l / width, (l + w) / width).sprintf('set bmargin at screen %.5f; set tmargin at screen %.5f', \
  b / height, (b + h) / height))
ylabel(text) = sprintf("set label 99 '%s' at screen %.5f, graph 0.5 center rotate", text, \
  (panel_left - 0.61) / width)
heading(text) = "set label 98 '{/:Bold ".text."}' at graph 0, graph 1 offset character 0, 0.9 left"
# SVG knows no text's width, and guesses it too small
legend_rows(entries) = ceil(entries / 4.)
bare = '; unset border; unset tics; unset grid; unset label; unset object; unset logscale; unset xlabel; '. \
  'set xrange [0:1]; set yrange [0:1]; '
legend(top, entries) = panel(0, 0, width, height).bare.sprintf('set key at screen 0.5,%.5f '. \
  'center top horizontal maxcols %d Left reverse samplen 2.5 width %d spacing 1.1', \
  1 - top / height, ceil(entries * 1. / legend_rows(entries)), format eq 'svg' ? 2 : -1)

# what stands above a panel is of this panel alone
key_over(columns) = sprintf('set key at graph 0.5, 1.03 center bottom horizontal maxcols %d Left reverse '. \
  'samplen 2 width %d spacing 1.05', columns, format eq 'svg' ? 1 : -1)

# beside the panels, from so many inches from the left and the bottom
key_beside(x, y) = panel(0, 0, width, height).bare.sprintf('set key at screen %.5f, %.5f left top vertical '. \
  'maxcols 1 Left reverse samplen 2 width 0 spacing 1.05', x / width, y / height)

# in a figure of one panel it stands above the axes, in columns of so many rows
key_top(rows) = sprintf('set key at screen 0.5,%.5f center top vertical maxrows %d', \
  1 - 0.06 / height, rows)

set encoding utf8
set border 3 lw 0.7 lc rgb 'black'
set tics out nomirror scale 0.6, 0.35
set grid back ls 10
set key samplen 3 spacing 1.1 Left reverse noautotitle
# a line is drawn between two points outside as well
set clip two
set style fill noborder

# --- the sweep's table ----------------------------------------------------------------------------

# its solvers in the house's order and its protocols as they appear, unless the caller names them: one row of
# panels for each protocol. Rows of one solver and protocol stand in ascending order of contacts. Event-unaware
# solvers are one, of which a sweep has the cheapest for each number of contacts.
racer(_) = strcol("solver")[1:6] eq 'plain-' ? 'plain' : strcol("solver")
if (needs[1:9] eq 'sweep.csv') {
  sweep = data.'/sweep.csv'
  found_solvers = ''
  found_protocols = ''
  eval restart
  stats sweep using (found_solvers = including(found_solvers, racer(0)), \
    found_protocols = including(found_protocols, strcol("protocol")), see(cell("contacts"))) nooutput
  # contacts are whole numbers, which gnuplot halves where they are few
  contacts_range = linear_range('x', 0.03).(high - low < 10 ? '; set xtics 1' : '')
  # at most some twenty points to a line
  every_th = ceil(STATS_records / 20. / words(found_solvers) / words(found_protocols))
  solvers = exists("solvers") ? solvers : in_order(found_solvers)
  protocols = exists("protocols") ? protocols : found_protocols
  do for [name in solvers.' '.protocols] {
    if (!member(found_solvers.' '.found_protocols, name)) {
      print figure.': '.sweep.": no rows of '".name."', only of ".found_solvers.' '.found_protocols
      exit status 1
    }
  }
}

# the contacts in the rows of solver s and protocol p
at(s) = racer(0) eq s && strcol("protocol") eq p ? cell("contacts") : NaN

# a plot command's part for a list of solvers, which may be empty: gnuplot would read the file, and
# complain, even for an empty loop. `values` is text in the form "(y)" or "(low):(high)".
curves(list, values, how) = list eq '' ? '' : \
  sprintf(", for [s in '%s'] sweep using (at(s)):%s with %s", reversed(list), values, how)
band = 'filledcurves fs transparent solid 0.2 lc rgb colour(s)'
line = 'linespoints ls style(s) pi every_th'

# text to evaluate: `shown`, the solvers of protocol p that have value v, and the range of v and of
# what `also` sees. Both are text themselves.
survey(p, v, also) = sprintf("unset logscale; set autoscale; ".restart."; ". \
  "shown = ''; stats sweep using (strcol('protocol') eq '%s' && member(solvers, racer(0)) && known(%s) ? ". \
  "(shown = including(shown, racer(0)), see(%s), %s) : 0) nooutput", p, v, v, also)

# the rows of panels: a page for them and a legend; the left and the right panel of row r, the protocol
# above the left one
sweep_page(entries) = canvas(7, 0.35 + 0.17 * legend_rows(entries) + 2.2 * words(protocols))
sweep_bottom(r) = 0.45 + 2.2 * (words(protocols) - r)
panel_top(r) = (sweep_bottom(r) + 1.81) / height
sweep_panel(r, side) = panel(side == 1 ? 0.76 : 4.32, sweep_bottom(r), 2.58, 1.7).'; '.contacts_range. \
  (side == 2 ? '; unset label 98' : \
  sprintf("; set label 98 '{/:Bold protocol: %s}' at graph 0, screen %.5f left", word(protocols, r), panel_top(r))).\
  (r == words(protocols) ? "; set xlabel 'number of contacts' offset 0, 0.4" : '; unset xlabel')
