# Fig. 5.1: the hopper at the calibrated epsilon. Height and velocity of the exact solution, MuJoCo
# and the projection integrator; below, the difference of each engine from the exact solution.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig5_1_calibration'
needs = 'calibration_trajectory.csv:t,z_exact,v_exact,z_mujoco,v_mujoco,z_projection,v_projection '. \
  'calibration.csv:main,epsilon'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
run = data.'/calibration_trajectory.csv'
table = data.'/calibration.csv'

# the row whose paths these are
epsilon = NaN
stats table using (cell("main") == 1 ? (epsilon = cell("epsilon"), 0) : 0) nooutput
if (!known(epsilon)) {
  print figure.': '.table.' has no row with main = 1 and an epsilon'
  exit status 1
}

# ranges of the five axes; set after all stats, which would otherwise obey them
difference(engine, v) = cell(v.'_'.engine) - cell(v.'_exact')
eval restart
stats run using (see(cell("t"))) nooutput
t_range = sprintf('set xrange [%.15g:%.15g]', low, high > low ? high : low + 1)
array top[2]
array bottom[2]
array quantity[2] = ['z', 'v']
do for [i = 1:2] {
  eval restart
  stats run using (see(cell(quantity[i].'_exact')), see(cell(quantity[i].'_mujoco')), \
    see(cell(quantity[i].'_projection'))) nooutput
  top[i] = linear_range('y', 0.06)
  eval restart
  stats run using (see(difference('mujoco', quantity[i])), \
    see(difference('projection', quantity[i]))) nooutput
  bottom[i] = linear_range('y', 0.06)
}

eval canvas(7, 3.95)
set multiplot
array name[2] = ['height (m)', 'velocity (m/s)']
array residual[2] = ['height residual (m)', 'velocity residual (m/s)']
do for [i = 1:2] {
  left = i == 1 ? 0.72 : 4.3
  eval t_range
  eval panel(left, 2.1, 2.6, 1.4)
  eval ylabel(name[i])
  eval top[i]
  unset xlabel
  set format x ''
  set format y '%g'
  plot run using (cell("t")):(cell(quantity[i].'_projection')) with lines ls 1 lw 4, \
    run using (cell("t")):(cell(quantity[i].'_mujoco')) with lines ls 2, \
    run using (cell("t")):(cell(quantity[i].'_exact')) with lines ls 3 lw 2, \
    i == 1 ? 1 : NaN with lines ls 11
  eval panel(left, 0.45, 2.6, 1.4)
  eval ylabel(residual[i])
  eval bottom[i]
  set format x '%g'
  set format y '%h'
  set xlabel 'time (s)' offset 0, 0.4
  plot 0 with lines ls 11, \
    run using (cell("t")):(difference('projection', quantity[i])) with lines ls 1, \
    run using (cell("t")):(difference('mujoco', quantity[i])) with lines ls 2
}

eval legend(0.04, 4)
plot 2 with lines ls 1 lw 4 title paper_method, keyentry with lines ls 2 title 'MuJoCo', \
  keyentry with lines ls 3 title 'exact', keyentry with lines ls 11 title 'contact height'
unset multiplot
