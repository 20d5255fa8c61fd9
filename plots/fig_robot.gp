# How wrong MuJoCo's trajectories of a robot are. Above: the error over the time step, for each of its
# integrators, and over the time that a run takes, beside libess by each base, and its first one without
# guards. Below, of the first start: the error over time, and the state that MuJoCo at its own step gets
# most wrong.
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

# integrators in their order, and what the reference itself errs by
variants = ''
estimate = NaN
stats mujoco using (variants = including(variants, strcol("variant")), estimate = positive(cell("estimate")), 0) nooutput
# MuJoCo's integrators are told apart by their points, libess's bases, too
hues = '#8DBFE0 '.mujoco_hue.' #003A5C #3F93C8 #1B4F72'
hue(v) = word(hues, (place(variants, v) - 1) % 5 + 1)
mark(v) = int(word(sprintf('%d 9 7 11 15', mujoco_mark), (place(variants, v) - 1) % 5 + 1))
of(v) = strcol("variant") eq v
ring = 'black'
# Euler and implicitfast are the same where no force depends on velocities: the first is drawn broad,
# behind the others
breadth(v) = place(variants, v) == 1 ? 3.6 : 1.2
size(v) = (place(variants, v) == 1 ? 0.75 : 0.4) * dot
# libess by each of its bases, in their order; where stability sets no step they are the same, too
bases = ''
stats libess using (bases = including(bases, strcol("base")), 0) nooutput
behind(b) = words(bases) > 1 && place(bases, b) == 1
base_hue(b) = behind(b) ? '#9BD8C4' : word(libess_hue.' '.libess_hue.' #005C44 #3DBE97 #003D2C', (place(bases, b) - 1) % 5 + 1)
base_breadth(b) = behind(b) ? 3.6 : 1.4
base_size(b) = (behind(b) ? 0.75 : 0.4) * dot
base_mark(b) = behind(b) ? 7 : int(word(sprintf('%d %d 9 15 5', libess_mark, libess_mark), (place(bases, b) - 1) % 5 + 1))
by(b) = strcol("base") eq b

# above a panel an entry has a row of its own: of the upper ones, as many as the right one needs
above = 0.17 * (words(variants) + words(bases) + 1)
eval canvas(7, 4.35 + above)
set multiplot

# --- the error over the time step, and over time spent ---------------------------------------------

eval restart
stats mujoco using (see(positive(cell("rms_error")))) nooutput
stats libess using (see(positive(cell("rms_error")))) nooutput
stats plain using (see(positive(cell("rms_error")))) nooutput
dummy = known(estimate) ? see(estimate) : 0
y_range = log_range('y')
ruled(name) = known(estimate) ? "estimate with lines lc rgb 'black' lw 1 dt (3, 3)".name.", " : ''

eval restart
stats mujoco using (see(positive(1e3 * cell("time_step")))) nooutput
eval panel(0.76, 2.75, 2.7, 1.6)
eval log_range('x')
eval y_range
set format '10^{%T}'
set xlabel 'time step, ms' offset 0, 0.4
eval ylabel('error, RMS')
eval key_over(1)
eval "plot ".ruled(' title "error of the reference"')."for [v in variants] mujoco using (of(v) ? 1e3 * cell('time_step') : NaN):(positive(cell('rms_error'))) ". \
  "with linespoints lc rgb hue(v) lw breadth(v) pt mark(v) ps size(v) title 'MuJoCo '.v, ". \
  "mujoco using (cell('own') == 1 ? 1e3 * cell('time_step') : NaN):(positive(cell('rms_error'))) ". \
  "with points lc rgb ring pt 6 ps 1.1 * dot lw 1.2 title 'the model as it is'"

unset logscale; set autoscale; eval restart
stats mujoco using (see(positive(1e3 * cell("seconds")))) nooutput
stats libess using (see(positive(1e3 * cell("seconds")))) nooutput
stats plain using (see(positive(1e3 * cell("seconds")))) nooutput
eval panel(4.3, 2.75, 2.5, 1.6)
eval log_range('x')
eval y_range
set format '10^{%T}'
set xlabel 'wall time of a run, ms' offset 0, 0.4
eval ylabel('error, RMS')
error = ":(positive(cell('rms_error'))) with linespoints "
spent(b) = "using (by(".b.") ? positive(1e3 * cell('seconds')) : NaN)".error
eval key_over(1)
eval "plot ".ruled('')."for [v in variants] mujoco using (of(v) ? positive(1e3 * cell('seconds')) : NaN):(positive(cell('rms_error'))) ". \
  "with linespoints lc rgb hue(v) lw breadth(v) pt mark(v) ps size(v) title 'MuJoCo '.v, ". \
  "mujoco using (cell('own') == 1 ? positive(1e3 * cell('seconds')) : NaN):(positive(cell('rms_error'))) ". \
  "with points lc rgb ring pt 6 ps 1.1 * dot lw 1.2, ". \
  "plain ".spent("word(bases, 1)")."lc rgb plain_hue lw 1.2 pt plain_mark ps 0.4 * dot title 'plain, '.word(bases, 1), ". \
  "for [b in bases] libess ".spent('b')."lc rgb base_hue(b) lw base_breadth(b) pt base_mark(b) ps base_size(b) title 'libess, '.b"

# --- the first start ------------------------------------------------------------------------------

# libess at so many of its tolerances that they are told apart, MuJoCo at its own step
unset logscale; set autoscale; eval restart
knobs = ''
stats errors using (strcol("who") eq 'libess' ? (knobs = including(knobs, strcol("knob"))) : '', \
  see(positive(cell("rms_error") < 1e-12 ? NaN : cell("rms_error")))) nooutput
t_end = 0
stats errors using (t_end = cell("t") > t_end ? cell("t") : t_end, 0) nooutput
# each of libess's is named at its end by the tolerance, to which a thin line leads: none of these names
# covers another, so that one may stand lower than its curve ends
ends(_) = known(low) ? log10(log_high(0) / log_low(0)) : 1
named = words(knobs) + 1
array ending[named]
array height_at[named]
do for [i = 1:named] {
  end = NaN
  k = word(knobs, i)
  stats errors using ((i < named ? strcol("who") eq 'libess' && strcol("knob") eq k : cell("own") == 1) ? \
    (end = known(positive(cell("rms_error"))) ? cell("rms_error") : end, 0) : 0) nooutput
  ending[i] = i < named ? sprintf('%.0e', real(k)) : 'MuJoCo'
  height_at[i] = known(end) ? log10(end / log_low(0)) / ends(0) : 0
}
do for [i = 2:named] {
  do for [j = i:2:-1] {
    if (height_at[j] > height_at[j - 1]) {
      above = height_at[j]; height_at[j] = height_at[j - 1]; height_at[j - 1] = above
      text = ending[j]; ending[j] = ending[j - 1]; ending[j - 1] = text
    }
  }
}
eval panel(0.76, 0.45, 2.36, 1.5)
set xrange [0:t_end > 0 ? t_end : 1]
eval log_range('y')
set format x '%g'
set format y '10^{%T}'
set xlabel 'time, s' offset 0, 0.4
eval ylabel('error, first start')
error = "(positive(cell('rms_error'))) with lines "
curve = "errors using (strcol('who') eq 'libess' && strcol('knob') eq k ? cell('t') : NaN):".error
ceiling = 1
do for [i = 1:named] {
  ceiling = height_at[i] < ceiling ? height_at[i] : ceiling
  set arrow 100 + i from graph 1, graph height_at[i] to graph 1.045, graph ceiling nohead lc rgb grey lw 0.5
  set label 100 + i ending[i] at graph 1.05, graph ceiling left font ',6' tc rgb (ending[i] eq 'MuJoCo' ? mujoco_hue : libess_hue)
  ceiling = ceiling - 0.085
}
eval key_over(2)
eval 'plot '.(knobs eq '' ? '' : 'for [k in knobs] '.curve.'lc rgb libess_hue lw 0.8, '. \
  'NaN with lines lc rgb libess_hue lw 0.8 title "libess by tolerance", ')."errors using (cell('own') == 1 ? cell('t') : NaN):".error."lc rgb mujoco_hue lw 1.4 title 'MuJoCo, the model as it is'"

do for [i = 1:named] { unset label 100 + i; unset arrow 100 + i }

unset logscale; set autoscale
name = ''
unit = ''
eval restart
stats paths using (cell("parts") == 1 ? (name = strcol("state"), unit = strcol("unit"), see(cell("reference")), see(cell("mujoco"))) : 0) nooutput
eval panel(4.3, 0.45, 2.5, 1.5)
set xrange [0:t_end > 0 ? t_end : 1]
eval linear_range('y', 0.05)
set format '%g'
set xlabel 'time, s' offset 0, 0.4
eval ylabel((name[1:2] eq 'd ' ? 'velocity of '.name[3:*] : name).(unit eq '' ? '' : ', '.unit)).' noenhanced'
eval key_over(2)
plot paths using (cell("parts") == 1 ? cell("t") : NaN):(cell("reference")) with lines lc rgb libess_hue lw 3.4 title 'reference (libess)', \
  paths using (cell("parts") == 1 ? cell("t") : NaN):(cell("mujoco")) with lines lc rgb mujoco_hue lw 1.2 title 'MuJoCo'
unset multiplot
