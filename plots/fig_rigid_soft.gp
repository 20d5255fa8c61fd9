# Rigid contacts against contact springs. Above, the block's angle over time on springs at two damping
# ratios, and the rate of rotation of a body that lands on two limbs; below, over the stiffness: how
# far the angle is from that on rigid contacts, the block's spin ratio, and field evaluations.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_rigid_soft'
needs = 'rigid_soft.csv:system,contacts,delta_t,damping_ratio,stiffness,angle_rms,spin_ratio,'. \
  'field_evaluations rigid_soft_paths.csv:system,contacts,delta_t,damping_ratio,stiffness,t,angle,rate'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/rigid_soft.csv'
paths = data.'/rigid_soft_paths.csv'

# damping ratios in their order; of the stiffnesses those whose paths are drawn
ratios = ''
found = ''
eval restart
stats table using (strcol("contacts") eq 'springs' ? (ratios = including(ratios, strcol("damping_ratio")), \
  found = including(found, strcol("stiffness")), see(cell("stiffness"))) : 0) nooutput
x_range = log_range('x')
n = words(found)
drawn = n < 3 ? found : word(found, 1 + n / 2).' '.word(found, n - 1).' '.word(found, n)
first = words(ratios) > 1 ? word(ratios, 2) : word(ratios, 1)
last = word(ratios, words(ratios))

rigid(s) = strcol("system") eq s && strcol("contacts") eq 'rigid' && !(cell("delta_t") > 0)
springs(s, z) = strcol("system") eq s && strcol("contacts") eq 'springs' && strcol("damping_ratio") eq z
path(s, z, k) = springs(s, z) && strcol("stiffness") eq k ? 1000 * cell("t") : NaN
shade(k) = word(orange.' '.green.' '.blue, place(drawn, k))
hue(z) = word(vermillion.' '.blue.' '.grey.' '.green.' '.purple, (place(ratios, z) - 1) % 5 + 1)
over(s, z) = springs(s, z) ? positive(cell("stiffness")) : NaN
power(k) = gprintf('10^{%T}', real(k)).' N/m'

number(text) = sprintf('%g', real(text))

left(k) = 0.76 + 2.28 * (k - 1)
eval canvas(7, 4.75)
set multiplot
do for [k = 1:3] {
  unset logscale; set autoscale
  system = k < 3 ? 'block' : 'trot'
  z = k == 2 ? last : first
  what = k < 3 ? 'angle' : 'rate'
  eval panel(left(k), 2.78, 1.48, 1.4)
  eval ylabel(k < 3 ? 'angle of the block, rad' : 'rate of rotation, rad/s')
  set label 98 (k < 3 ? 'block' : 'landing').', damping ratio '.number(z) at graph 0, 1.09 left
  set xlabel 'time, ms' offset 0, 0.4
  set xrange [k < 3 ? 0 : 200:k < 3 ? 350 : 400]
  set format '%g'
  set xtics k < 3 ? 100 : 50
  set ytics autofreq
  plot paths using (rigid(system) ? 1000 * cell("t") : NaN):(cell(what)) with lines lc rgb 'black' lw 2.4, \
    for [i in drawn] paths using (path(system, z, i)):(cell(what)) with lines lc rgb shade(i) lw 1.1
}
do for [k = 1:3] {
  unset logscale; set autoscale; eval restart
  column_name = word('angle_rms spin_ratio field_evaluations', k)
  level = NaN
  stats table using (rigid('block') ? (level = cell(column_name), 0) : 0, \
    see(positive(cell(column_name)))) nooutput
  eval panel(left(k), 0.45, 1.48, 1.4)
  eval x_range
  set format x '10^{%T}'
  set xtics 100
  if (k == 2) {
    unset logscale y; eval linear_range('y', 0.08); set format y '%g'; set ytics autofreq
  } else {
    eval log_range('y'); set format y '10^{%T}'; set ytics autofreq
  }
  eval ylabel(word('"angle from rigid, RMS, rad" "spin ratio of the block" "field evaluations"', k))
  unset label 98
  set xlabel 'stiffness, N/m' offset 0, 0.4
  set style data linespoints
  ruled = k > 1 && known(level) ? 'level with lines lc rgb "black" lw 1 dt (3, 3), ' : ''
  eval 'plot '.ruled.'for [z in ratios] table using (over("block", z)):(positive(cell(column_name))) '. \
    'lc rgb hue(z) lw 1.2 pt 5 ps 0.35 * dot'.(k == 2 ? '' : ', for [z in ratios] table using '. \
    '(over("trot", z)):(positive(cell(column_name))) lc rgb hue(z) lw 1.2 dt (4, 3) pt 6 ps 0.4 * dot')
}
unset label 98
eval legend(0.04, 4)
plot NaN with lines lc rgb 'black' lw 2.4 title 'rigid contacts', \
  for [i in drawn] NaN with lines lc rgb shade(i) lw 1.1 title power(i)
eval panel(0, 0, width, height).bare
set key at screen 0.5,2.24 / height center top horizontal maxcols 6 Left reverse samplen 2 width -1
plot for [z in ratios] NaN with lines lc rgb hue(z) lw 1.2 title 'ratio '.number(z), \
  NaN with linespoints lc rgb 'black' lw 1.2 pt 5 ps 0.35 * dot title 'block', \
  NaN with linespoints lc rgb 'black' lw 1.2 dt (4, 3) pt 6 ps 0.4 * dot title 'landing', \
  NaN with lines lc rgb 'black' lw 1 dt (3, 3) title 'block, rigid'
unset multiplot
