# The calibrated epsilon over stiffness, with the penetration it must stay below and the paper's own
# value; beside it the RMS errors of both engines, which coincide where a calibration succeeded.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'calibration_epsilon'
needs = 'calibration.csv:stiffness_over_mass,main,epsilon,rms_error_mujoco,'. \
  'rms_error_projection,penetration,status'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/calibration.csv'
paper_epsilon = 0.13

# values of the rows whose calibration succeeded; ranges are set after all stats
good(v) = strcol("status") eq 'ok' ? positive(cell(v)) : NaN
rows = 0
failed = 0
eval restart
stats table using (see(good("stiffness_over_mass")), rows = rows + 1, \
  failed = failed + (strcol("status") ne 'ok'), 0) nooutput
if (failed == rows) {
  print figure.': '.table." has no row with status 'ok'"
  exit status 1
}
x_range = log_range('x')
eval restart
nothing = see(paper_epsilon)
stats table using (see(good("epsilon")), see(good("penetration"))) nooutput
epsilon_range = log_range('y')
eval restart
stats table using (see(good("rms_error_mujoco")), see(good("rms_error_projection"))) nooutput
rms_range = log_range('y')

# MuJoCo's square stands around the projection's point; a ring marks the row whose paths fig5_1 draws
set style line 8 lc rgb mujoco_hue lw 0.8 dt solid pt mujoco_mark - 1 ps 0.75 * dot
set style line 9 lc rgb 'black' lw 0.8 pt 6 ps 0.9 * dot
eval canvas(7, 2.78)
set multiplot
eval x_range
set xlabel 'stiffness over mass, k/m (s^{-2})' offset 0, 0.4
set format x '%g'
set format y '10^{%T}'
eval panel(0.76, 0.45, 2.5, 1.7)
eval ylabel('ε′, penetration (m)')
eval epsilon_range
plot paper_epsilon with lines ls 3, \
  table using (good("stiffness_over_mass")):(good("penetration")) smooth unique with lines ls 11 dt (12, 3, 2, 3), \
  table using (good("stiffness_over_mass")):(good("epsilon")) smooth unique with linespoints ls 1, \
  table using (cell("main") == 1 ? good("stiffness_over_mass") : NaN):(good("epsilon")) \
    with points ls 9

eval panel(4.32, 0.45, 2.5, 1.7)
eval ylabel(rms_label)
eval rms_range
if (failed) {
  set label 98 sprintf('not shown: %d of %d without a solution', failed, rows) at graph 0, 1.06 left
}
plot table using (good("stiffness_over_mass")):(good("rms_error_projection")) smooth unique with linespoints ls 1, \
  table using (good("stiffness_over_mass")):(good("rms_error_mujoco")) smooth unique with linespoints ls 8

eval legend(0.04, 5)
plot 2 with linespoints ls 1 title paper_method, keyentry with linespoints ls 8 title 'MuJoCo', \
  keyentry with points ls 9 title 'k/m of the trajectories', \
  keyentry with lines ls 11 dt (12, 3, 2, 3) title 'penetration', \
  keyentry with lines ls 3 title sprintf("paper's ε′ = %g m", paper_epsilon)
unset multiplot
