# What a figure that compares methods (methods.gp) says: below its panels, a line for each note; beside them, from
# `beside` and `from_below` inches on, an entry for each method that is drawn. Loaded last in a multiplot.
# SPDX-License-Identifier: GPL-3.0-or-later

eval key_beside(beside, from_below).'; set key font ",7"'
do for [i = 1:notes] {
  set label i note[i] at screen 0.15 / width, screen (0.04 + step * (notes - i + 0.5)) / height left \
    font ',7' noenhanced
}
eval 'plot 2 with lines'.(drawn eq '' ? '' : ', for [m in drawn] keyentry with linespoints '. \
  'lc rgb hue(m) lw weight(m) dt dash(m) pt mark(m) ps 0.5 * dot title title[number(m)] noenhanced')
unset label
