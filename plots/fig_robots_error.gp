# The error of MuJoCo at the settings of each model of a list: of the bodies in mm, and of the hinges in mrad, with its
# bound as a bar. A hollow point has MuJoCo's own fine steps as its reference. Of an error below its bound an arrow
# shows the largest value that it may have.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_robots_error'
needs = 'robots_error.csv:name,verdict,bodies,bodies_bound,hinges,hinges_bound'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
models = data.'/robots_error.csv'

# what is smaller than this is none, mm and mrad
none = 1e-5
# a number in mm or mrad, where it is above its bound and, as asked, by fine steps or not
fine(_) = strcol("verdict") eq "MuJoCo's fine steps"
off(part) = 1e3 * cell(part)
bound(part) = 1e3 * cell(part.'_bound')
clear(part) = off(part) > bound(part) && off(part) > none ? off(part) : NaN
by(part, how) = fine(0) == how ? clear(part) : NaN
most(part) = known(off(part)) && !known(clear(part)) && off(part) + bound(part) > none ? off(part) + bound(part) : NaN
low_end(part) = off(part) - bound(part)
high_end(part) = off(part) + bound(part)

rows = 0
stats models using (rows = rows + 1, 0) nooutput
step = 0.142
bar = 'vectors nohead lc rgb mujoco_hue lw 1.2'
hollow = sprintf('lc rgb mujoco_hue pt 4 ps %.3f lw 0.9', 0.4 * dot)
eval canvas(7, 1.1 + step * rows)
set multiplot
do for [part in 'bodies hinges'] {
  unset logscale
  set autoscale
  eval restart
  some = 0
  steps = 0
  arrows = 0
  stats models using (see(clear(part)), see(most(part)), some = some + known(by(part, 0)), \
    steps = steps + known(by(part, 1)), arrows = arrows + known(most(part)), 0) nooutput
  eval panel(part eq 'bodies' ? 1.62 : 4.52, 0.5, 2.35, step * rows)
  set yrange [rows - 0.5:-0.5]
  eval log_range('x')
  set format x '10^{%T}'
  set xlabel (part eq 'bodies' ? 'error of the bodies (mm)' : 'error of the hinges (mrad)') offset 0, 0.4
  if (part eq 'bodies') {
    eval heading('error of MuJoCo, by model')
    set ytics scale 0 font ",6"
  } else {
    unset label 98
    set ytics scale 0 font ",1" format ''
  }
  # names of the rows stand beside points that nobody sees
  names = sprintf('models using (%.15g):0:ytic(%s) with points pt 0 lc rgb "white"', log_low(0), \
    part eq 'bodies' ? 'literal(strcol("name"))' : '""')
  eval 'plot '.names. \
    (some ? ', models using (known(by(part, 0)) ? low_end(part) : NaN):0:(2 * bound(part)):(0) with '.bar. \
      ', models using (by(part, 0)):0 with points ls 2' : ''). \
    (steps ? ', models using (known(by(part, 1)) ? low_end(part) : NaN):0:(2 * bound(part)):(0) with '.bar. \
      ', models using (by(part, 1)):0 with points '.hollow : ''). \
    (arrows ? ', models using (most(part)):0:(-0.5 * most(part)):(0) with vectors filled head size screen 0.006, 30 '. \
      'lc rgb mujoco_hue lw 1' : '')
}
unset label 98
eval legend(0.06, 3)
eval "plot 2 with lines, keyentry with points ls 2 title 'reference by libess'". \
  ", keyentry with points ".hollow." title \"by MuJoCo's fine steps\"". \
  ", keyentry with lines lc rgb mujoco_hue lw 1.2 title 'bound; an arrow: at most'"
unset multiplot
