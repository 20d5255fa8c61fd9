# Error of MuJoCo's trajectories of a robot. Above: over the time step, by each of its integrators, and over the time
# of a run, beside libess by each of its step methods and the cheapest event-unaware solver. Below, of the first initial
# condition: the largest error so far over time, and the state in which MuJoCo by its own step has the largest error.
# SPDX-License-Identifier: GPL-3.0-or-later
figure = 'fig_robot'
needs = 'robot_mujoco.csv:variant,time_step,own,rms_error,seconds,estimate '. \
  'robot_libess.csv:base,rms_error,seconds robot_plain.csv:base,rms_error,seconds '. \
  'robot_errors.csv:who,knob,own,t,rms_error robot_paths.csv:t,state,unit,parts,reference,mujoco'
load ARG0[1:strlen(ARG0) - strlen(figure.'.gp')].'theme.gp'
mujoco = data.'/robot_mujoco.csv'
libess = data.'/robot_libess.csv'
plain = data.'/robot_plain.csv'
errors = data.'/robot_errors.csv'
paths = data.'/robot_paths.csv'

# integrators in their order, and the error of the reference itself
variants = ''
estimate = NaN
stats mujoco using (variants = including(variants, strcol("variant")), estimate = positive(cell("estimate")), 0) nooutput
# MuJoCo's integrators are told apart by their points, libess's step methods, too
hues = '#8DBFE0 '.mujoco_hue.' #003A5C #3F93C8 #1B4F72'
hue(v) = word(hues, (place(variants, v) - 1) % 5 + 1)
mark(v) = int(word(sprintf('%d 9 7 11 15', mujoco_mark), (place(variants, v) - 1) % 5 + 1))
of(v) = strcol("variant") eq v
ring = 'black'
# Euler and implicitfast are the same where no force depends on velocities: the first is drawn broad,
# behind the others
breadth(v) = place(variants, v) == 1 ? 3.6 : 1.2
size(v) = (place(variants, v) == 1 ? 0.75 : 0.4) * dot
# libess by each of its step methods, in their order; where stability sets no step they are the same, too
bases = ''
stats libess using (bases = including(bases, strcol("base")), 0) nooutput
behind(b) = words(bases) > 1 && place(bases, b) == 1
base_hue(b) = behind(b) ? '#9BD8C4' : word(libess_hue.' '.libess_hue.' #005C44 #3DBE97 #003D2C', (place(bases, b) - 1) % 5 + 1)
base_breadth(b) = behind(b) ? 3.6 : 1.4
base_size(b) = (behind(b) ? 0.75 : 0.4) * dot
base_mark(b) = behind(b) ? 7 : int(word(sprintf('%d %d 9 15 5', libess_mark, libess_mark), (place(bases, b) - 1) % 5 + 1))
by(b) = strcol("base") eq b


# of event-unaware solvers the rows that no other beats, which takes less time and has a smaller error
spent(_) = positive(1e3 * cell("seconds"))
off(_) = positive(cell("rms_error"))
rivals = 0
stats plain using (rivals = rivals + 1, 0) nooutput
array rival_spent[rivals + 1]
array rival_off[rivals + 1]
rivals = 0
stats plain using (rivals = rivals + 1, rival_spent[rivals] = spent(0), rival_off[rivals] = off(0), 0) nooutput
beats(k, t, e) = rival_spent[k] <= t && rival_off[k] <= e && (rival_spent[k] < t || rival_off[k] < e)
cheapest(_) = known(spent(0)) && (sum [k = 1:rivals] beats(k, spent(0), off(0))) == 0

array left[2] = [0.74, 3.32]
across = 1.88
eval canvas(7, 4.6)
set multiplot

# --- the error over the time step, and over time spent ---------------------------------------------

eval restart
stats mujoco using (see(off(0))) nooutput
stats libess using (see(off(0))) nooutput
stats plain using (see(off(0))) nooutput
dummy = known(estimate) ? see(estimate) : 0
y_range = log_range('y')
ruled = known(estimate) ? "estimate with lines lc rgb 'black' lw 1 dt (3, 3), " : ''
of_mujoco = "with linespoints lc rgb hue(v) lw breadth(v) pt mark(v) ps size(v)"
of_libess = "with linespoints lc rgb base_hue(b) lw base_breadth(b) pt base_mark(b) ps base_size(b)"
of_plain = "with linespoints lc rgb plain_hue lw 1.2 pt plain_mark ps 0.4 * dot"
of_own = "with points lc rgb ring pt 6 ps 1.1 * dot lw 1.2"

eval restart
stats mujoco using (see(positive(1e3 * cell("time_step")))) nooutput
eval panel(left[1], 2.75, across, 1.55)
eval log_range('x')
eval y_range
set format '10^{%T}'
set xlabel 'time step (ms)' offset 0, 0.4
eval ylabel(rms_label)
eval heading('over the time step')
eval "plot ".ruled."for [v in variants] mujoco using (of(v) ? 1e3 * cell('time_step') : NaN):(off(0)) ".of_mujoco.", ". \
  "mujoco using (cell('own') == 1 ? 1e3 * cell('time_step') : NaN):(off(0)) ".of_own

unset logscale; set autoscale; eval restart
stats mujoco using (see(spent(0))) nooutput
stats libess using (see(spent(0))) nooutput
stats plain using (cheapest(0) ? see(spent(0)) : 0) nooutput
eval panel(left[2], 2.75, across, 1.55)
eval log_range('x')
eval y_range
set format '10^{%T}'
set xlabel 'time of a run (ms)' offset 0, 0.4
unset label 99
eval heading('over the time of a run')
eval "plot ".ruled."for [v in variants] mujoco using (of(v) ? spent(0) : NaN):(off(0)) ".of_mujoco.", ". \
  "mujoco using (cell('own') == 1 ? spent(0) : NaN):(off(0)) ".of_own.", ". \
  "plain using (cheapest(0) ? spent(0) : NaN):(off(0)) smooth unique ".of_plain.", ". \
  "for [b in bases] libess using (by(b) ? spent(0) : NaN):(off(0)) ".of_libess

# --- the first initial condition ------------------------------------------------------------------

# libess at so many of its tolerances that they are told apart, MuJoCo at its own step
unset logscale; set autoscale; eval restart
knobs = ''
stats errors using (strcol("who") eq 'libess' ? (knobs = including(knobs, strcol("knob"))) : '', \
  see(positive(cell("rms_error") < 1e-12 ? NaN : cell("rms_error")))) nooutput
t_end = 0
stats errors using (t_end = cell("t") > t_end ? cell("t") : t_end, 0) nooutput
# each of libess's is named at its end by the tolerance: none of these names covers another, so that one may stand
# lower than its curve ends, to which a thin line leads
ends(_) = known(low) ? log10(log_high(0) / log_low(0)) : 1
named = words(knobs)
array ending[named + 1]
array height_at[named + 1]
is_so(k) = strcol("who") eq 'libess' && strcol("knob") eq k
do for [i = 1:named] {
  most = NaN
  k = word(knobs, i)
  stats errors using (is_so(k) && cell("rms_error") > 0 ? (most = most > cell("rms_error") ? most : cell("rms_error"), 0) : 0) nooutput
  ending[i] = sprintf('%g', real(k))
  height_at[i] = known(most) ? log10(most / log_low(0)) / ends(0) : 0
}
do for [i = 2:named] {
  do for [j = i:2:-1] {
    if (height_at[j] > height_at[j - 1]) {
      above = height_at[j]; height_at[j] = height_at[j - 1]; height_at[j - 1] = above
      text = ending[j]; ending[j] = ending[j - 1]; ending[j - 1] = text
    }
  }
}
# the largest error so far, of the rows for which a plot asks
so_far = 0
so_far_of(v) = (so_far = v > so_far ? v : so_far, positive(so_far < 1e-12 ? NaN : so_far))
up_to(wanted, v) = ($0 == 0 ? (so_far = 0) : 0, wanted ? so_far_of(v) : NaN)
eval panel(left[1], 0.45, across - 0.32, 1.55)
set xrange [0:t_end > 0 ? t_end : 1]
eval log_range('y')
set format x '%g'
set format y '10^{%T}'
set xlabel 'time (s)' offset 0, 0.4
eval ylabel(rms_label)
eval heading('largest error so far')
ceiling = 1
do for [i = 1:named] {
  ceiling = height_at[i] < ceiling ? height_at[i] : ceiling
  set arrow 100 + i from graph 1, graph height_at[i] to graph 1.045, graph ceiling nohead lc rgb grey lw 0.5
  set label 100 + i ending[i] at graph 1.05, graph ceiling left font ',6' tc rgb libess_hue
  ceiling = ceiling - 0.075
}
eval 'plot '.(knobs eq '' ? '' : 'for [k in knobs] errors using (cell("t")):(up_to(is_so(k), cell("rms_error"))) '. \
  'with lines lc rgb libess_hue lw 1, ').'errors using (cell("t")):(up_to(cell("own") == 1, cell("rms_error"))) '. \
  'with lines lc rgb mujoco_hue lw 1.8'
do for [i = 1:named] { unset label 100 + i; unset arrow 100 + i }

unset logscale; set autoscale
name = ''
unit = ''
eval restart
stats paths using (cell("parts") == 1 ? (name = strcol("state"), unit = strcol("unit"), see(cell("reference")), see(cell("mujoco"))) : 0) nooutput
eval panel(left[2], 0.45, across, 1.55)
set xrange [0:t_end > 0 ? t_end : 1]
eval linear_range('y', 0.05)
set format '%g'
set xlabel 'time (s)' offset 0, 0.4
unset label 99
set label 98 '{/:Bold '.literal(name[1:2] eq 'd ' ? 'velocity of '.name[3:*] : name). \
  (unit eq '' ? '' : ' ('.unit.')').'}' at graph 0, graph 1 offset character 0, 0.9 left
plot paths using (cell("parts") == 1 ? cell("t") : NaN):(cell("reference")) with lines lc rgb word(libess_shades, 1) lw 3.4, \
  paths using (cell("parts") == 1 ? cell("t") : NaN):(cell("mujoco")) with lines lc rgb mujoco_hue lw 1.2
unset label 98

# what is which, beside the upper panels and the lower ones
beside = left[2] + across + 0.08
eval key_beside(beside, 4.34).'; set key font ",7"'
eval "plot 2 with lines, for [b in bases] keyentry ".of_libess." title 'libess, '.b, ". \
  "for [v in variants] keyentry ".of_mujoco." title 'MuJoCo, '.v, keyentry ".of_own." title 'the model as it is', ". \
  "keyentry ".of_plain." title 'cheapest event-unaware'".(ruled eq '' ? '' : \
  ", keyentry with lines lc rgb 'black' lw 1 dt (3, 3) title 'error of the reference'")
eval key_beside(beside, 2.04).'; set key font ",7"'
plot 2 with lines lc rgb libess_hue lw 1 title 'libess, by tolerance', \
  keyentry with lines lc rgb mujoco_hue lw 1.8 title 'MuJoCo, as it is', \
  keyentry with lines lc rgb word(libess_shades, 1) lw 3.4 title 'reference (libess)'
unset multiplot
