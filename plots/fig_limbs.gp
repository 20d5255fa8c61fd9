# Outcome of a landing on two feet over the initial rotation, above, and its derivative, below: on
# rigid limbs, on soft ones that are decoupled, and on soft ones that are coupled.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_limbs'
needs = 'limbs.csv:limbs,inertia,coupling,tilt,vz,omega,d_vz,d_omega'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
table = data.'/limbs.csv'

# the inertias of rigid limbs, and which couplings soft ones have
rigid = ''
soft = ''
eval restart
stats table using (strcol("limbs") eq 'rigid' ? (rigid = including(rigid, strcol("inertia")), 0) : \
  (soft = including(soft, strcol("coupling")), 0), see(1000 * cell("tilt"))) nooutput
x_range = linear_range('x', 0.02)

# the rows of one body; a row whose flow jumps has no number, and the line ends there
of_rigid(i) = strcol("limbs") eq 'rigid' && strcol("inertia") eq i
of_soft(c) = strcol("limbs") eq 'soft' && strcol("coupling") eq c
is_coupled(k) = k == 3
in_panel(k) = k == 1 ? strcol("limbs") eq 'rigid' : \
  strcol("limbs") eq 'soft' && (cell("coupling") > 0) == is_coupled(k)
quantity(k, row) = cell((row == 2 ? 'd_' : '').(is_coupled(k) ? 'vz' : 'omega'))
# the level initial condition has the derivative to its right: where there are two, it is not the left line's
side(s, k, row) = s * cell("tilt") > 0 || (cell("tilt") == 0 && (s > 0 || !(is_coupled(k) && row == 2))) ? \
  1000 * cell("tilt") : NaN
hue(i) = shade_of(libess_shades, place(rigid, i), words(rigid))

names = '"rigid limbs" "soft limbs, decoupled" "soft limbs, coupled"'
what(k, row) = row == 1 ? (is_coupled(k) ? 'speed upward (m/s)' : 'rate of rotation (rad/s)') : \
  (is_coupled(k) ? 'derivative (m/s/rad)' : 'derivative (rad/s/rad)')

left(k) = 0.72 + 2.34 * (k - 1)
# of bodies alike the first shows on both sides of the next
breadth(i) = place(rigid, i) < 4 ? 4.1 - 0.9 * place(rigid, i) : 0.6

eval canvas(7, 4.1)
set multiplot
do for [row = 1:2] {
  do for [k = 1:3] {
    unset logscale; set autoscale; eval restart
    stats table using (in_panel(k) ? see(quantity(k, row)) : 0) nooutput
    y_range = linear_range('y', 0.08)
    eval panel(left(k), row == 1 ? 2.2 : 0.45, 1.54, 1.35)
    eval x_range
    eval y_range
    set format '%g'
    set ytics autofreq
    set label 99 what(k, row) at screen (left(k) - 0.6) / width, graph 0.5 center rotate
    if (row == 1) {
      eval heading(word(names, k))
      unset xlabel
    } else {
      unset label 98
      set xlabel 'initial rotation (mrad)' offset 0, 0.4
    }
    # either side by itself: the line is not drawn across a jump
    if (k == 1) {
      plot for [i in rigid] for [s = -1:1:2] table using (of_rigid(i) ? side(s, k, row) : NaN):(quantity(k, row)) \
        with lines lc rgb hue(i) lw breadth(i)
    } else {
      plot for [s = -1:1:2] table using (in_panel(k) ? side(s, k, row) : NaN):(quantity(k, row)) \
        with lines lc rgb libess_hue lw 1.4
    }
  }
}
unset label 98
eval legend(0.04, words(rigid))
plot 2 with lines, for [i in rigid] keyentry with lines lc rgb hue(i) lw breadth(i) title 'inertia '.i.' kg m^2'
unset multiplot
