# The legend above the panels of a figure that compares methods (methods.gp): `headline`, its sentences, one
# entry for each method, what the marks mean (bad_means, for crosses), notes. Loaded last in a multiplot.
# SPDX-License-Identifier: GPL-3.0-or-later

# each part of the legend is a panel of its own
from_top(inches) = 1 - (title_height + said_height(0) + inches) / height
eval panel(0, 0, width, height).bare
set label notes + 1 '{/:Bold '.headline.'}' at screen 0.5, from_top(-0.06 - said_height(0)) center
do for [i = 1:sentences] {
  set label notes + 1 + i sentence[i] at screen 0.5, from_top(-0.06 - 0.18 * (sentences - i)) center
}
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
  set key at screen 0.5, from_top(0.04 + step * method_rows) center top vertical maxcols 1 Left \
    reverse samplen 1 width 0
  plot 2 with points lc rgb 'black' pt 6 ps 0.55 * dot lw 0.8 \
      title nears eq '' ? '' : 'hollow: crossings off by more than 1 %', \
    2 with points lc rgb 'black' pt 2 ps 0.7 * dot lw 1.5 \
      title bads eq '' ? '' : bad_means
}
