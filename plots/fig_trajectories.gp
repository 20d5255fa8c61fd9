# The errors of trajectories of robots over time, by MuJoCo C and by MJX in single precision. The global error is the distance
# of the bodies from libess's solution from the first state on; the local error is that of a step from the state before it.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_trajectories'
needs = 'trajectories_time.csv:robot,by,t,local,total'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/trajectories_time.csv'

# a curve of MJX in double precision would cover one of these
steppers = '"MuJoCo C" "MJX float32"'
hue(k) = k == 1 ? mujoco_hue : vermillion
found = ''
eval restart
stats table using (found = including(found, strcol("robot")), see(cell("t"))) nooutput
robots = found
t_range = range('x', 0, high).sprintf('; set xtics %g', high / 5)
mm(column, r, k) = strcol("robot") eq r && strcol("by") eq word(steppers, k) ? positive(1e3 * cell(column)) : NaN
# an error below a nanometre is rounding
seen(column, k) = strcol("by") eq word(steppers, k) && 1e3 * cell(column) > 1e-6 ? 1e3 * cell(column) : NaN
eval restart
stats table using (see(seen("local", 1)), see(seen("local", 2)), see(seen("total", 1)), see(seen("total", 2))) nooutput
error_range = log_range('y')

across = 3
rows = ceil(words(robots) / (1. * across))
eval canvas(7.35, 0.95 + 1.85 * rows)
set multiplot
do for [k = 1:words(robots)] {
  r = word(robots, k)
  column = (k - 1) % across
  row = (k - 1) / across
  unset logscale; set autoscale; unset label
  eval panel(0.86 + column * 2.2, 0.5 + 1.85 * (rows - 1 - row), 1.95, 1.35)
  eval t_range
  eval error_range
  set format y (column == 0 ? '10^{%T}' : '')
  if (k + across > words(robots)) { set xlabel 'time (s)' offset 0, 0.4 } else { unset xlabel }
  if (column == 0) { eval ylabel('error (mm)') }
  eval heading(literal(r))
  plot 1e30 with lines, \
    for [w = 1:words(steppers)] table using (cell("t")):(mm("local", r, w)) with points lc rgb hue(w) pt (w == 1 ? 7 : 6) ps 0.22 * dot, \
    for [w = 1:words(steppers)] table using (cell("t")):(mm("total", r, w)) with lines lc rgb hue(w) lw (w == 1 ? 2.4 : 1.2)
}
eval legend(0.05, 4)
plot 2 with lines notitle, for [w = 1:words(steppers)] keyentry with lines lc rgb hue(w) lw (w == 1 ? 2.4 : 1.2) title word(steppers, w).', global error', \
  for [w = 1:words(steppers)] keyentry with points lc rgb hue(w) pt (w == 1 ? 7 : 6) ps 0.4 * dot title word(steppers, w).', local error'
unset multiplot
