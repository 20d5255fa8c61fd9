# Fig. 3.1: the integrator's steps through two guards: dots where it integrates, arrows where it
# projects, both beside the exact path.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig3_1_projection'
needs = 'projection_path.csv:kind,x,y projection_exact.csv:x,y projection_guards.csv:guard,side,x,y'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
path = data.'/projection_path.csv'
exact = data.'/projection_exact.csv'
guards = data.'/projection_guards.csv'

# the axes hold both paths; guards are cut off where they leave (ranges are set after all stats)
eval restart
stats path using (see(cell("x"))) nooutput
stats exact using (see(cell("x"))) nooutput
x_range = linear_range('x', 0.08)
span = high - low
eval restart
stats path using (see(cell("y"))) nooutput
stats exact using (see(cell("y"))) nooutput
y_range = linear_range('y', 0.08)

# equal scales on both axes, unless that makes a strip
tall = 2.75 * (span > 0 ? (high - low) / span : 1)
tall = tall < 1.6 ? 1.6 : tall > 3.2 ? 3.2 : tall
eval canvas(3.4, tall + 1.05)
eval panel(0.54, 0.42, 2.75, tall)
eval key_top(3)
eval x_range
eval y_range

# a guard's lines, one side at a time; a projection starts where the step before it ended
side(k, s) = cell("guard") == k && cell("side") == s ? cell("x") : NaN
step_x = NaN
step_y = NaN
from(x, y) = (old_x = step_x, old_y = step_y, step_x = x, step_y = y, cell("kind") == 1 ? old_x : NaN)

colours = 'black #8A8A8A'
set style arrow 1 head filled size screen 0.016,20 lc rgb vermillion lw 1.4
set xlabel 'x' offset 0, 0.4
set ylabel 'y' offset 0.8, 0
set key width -2
plot guards using (side(1, 0)):(cell("y")) with lines lc rgb word(colours, 1) lw 2.4 dt solid title 'guard 1', \
  guards using (side(2, 0)):(cell("y")) with lines lc rgb word(colours, 2) lw 2.4 dt (6, 3) title 'guard 2', \
  for [k = 1:2] for [s = -1:1:2] guards using (side(k, s)):(cell("y")) with lines \
    lc rgb word(colours, k) lw 0.6 dt solid title k + s == 0 ? 'h = ±ε' : '', \
  exact using (cell("x")):(cell("y")) with lines ls 3 \
    title 'exact path', \
  path using (cell("kind") == 0 ? cell("x") : NaN):(cell("y")) with points \
    lc rgb vermillion pt 7 ps 0.45 * dot title 'integration step', \
  path using (from(cell("x"), cell("y"))):(old_y):(step_x - old_x):(step_y - old_y) \
    with vectors arrowstyle 1 title 'projection step'
