/*
 * MuJoCo as a solver of the models: the scene xmlgen writes, compiled in memory, its contacts
 * turned into the model's springs and dampers, stepped beside the other solvers. No MuJoCo type
 * leaves this room.
 *
 * MuJoCo's contact carries an added mass d/((1-d) A) that the model has not. Scaling the compiled
 * inverse weight A and the contact's stiffness and damping by s divides it by s and changes nothing
 * else; solver_settings.scaling is that s.
 *
 * The bridge takes MuJoCo's process-wide error and warning handlers for itself, so that neither
 * ends the process or writes a log file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include "bridge_library.h"
#include "mjcf.h"
#include "solver.h"

/* The solver named "mujoco". Reads time_step, scaling and variant (the integrator by MJCF's name)
 * of the settings; everything else is mjcf_options_default(). A step longer than the output step is
 * a whole number of those; between its ends, states are on the chord. */
extern const solver_type bridge_solver;

/*
 * The solver named "mujoco-callback": the same, but that the bodies are all of the scene, and
 * model_type.contact_force, added to MuJoCo's passive forces, is what contacts do. It refuses a
 * model that has no such force. Reads time_step and variant.
 *
 * The callback is process-wide, in force during a run alone, and given back afterwards: nothing
 * else of MuJoCo's may run meanwhile. Its force is no part of the derivatives that implicit
 * integrators step by.
 */
extern const solver_type bridge_callback_solver;

/* Whether a solver is one of these two. */
bool bridge_is(const solver_type *solver);

/*
 * As bridge_solver.prepare, with a scene of the caller's: `scene` (NULL: the default) says how it
 * is written, its time_step and integrator being overruled by the settings; `text`, when not NULL,
 * is compiled instead of what mjcf_write writes. Release with bridge_solver.release, and run with
 * bridge_solver.run, whatever it is that acts.
 */
int bridge_prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   const mjcf_options *scene, const char *text, void **instance,
                   char message[SOLVER_MESSAGE_SIZE]);

/* How far MuJoCo's instantaneous acceleration is from the model's field. */
typedef struct bridge_gap {
  double gap;            /* RMS of the difference in acceleration, over the field's RMS; or the
                            same of q', where that is not just the velocity and differs more */
  double worst;          /* largest difference in any component, over the field's RMS */
  double rms;            /* RMS of the field's accelerations, m/s^2 or rad/s^2 */
  size_t states;         /* compared */
  size_t touching;       /* of them with at least one force acting */
  double inverse_weight; /* A as compiled, before scaling, 1/kg; NaN: there are no contacts */
  double scaling;        /* s in force; likewise */
} bridge_gap;

/* The largest gap at which the two are the same mechanical system. */
#define BRIDGE_GAP_MAX 1e-7

/*
 * Compares the fields of a model and of one of the two solvers at `states` >= 1 states drawn (by
 * `seed`) from the region trajectories visit: three in four or so in contact, velocities scaled at
 * random by up to 1.5 either way. 0 whatever the gap is, or a solver_status with one line when
 * MuJoCo refuses the model or complains.
 */
int bridge_field_gap(const solver_type *engine, const model *m, const solver_settings *settings,
                     size_t states, unsigned long seed, bridge_gap *out,
                     char message[SOLVER_MESSAGE_SIZE]);

/* The same of an instance from bridge_prepare. */
int bridge_instance_gap(void *instance, size_t states, unsigned long seed, bridge_gap *out,
                        char message[SOLVER_MESSAGE_SIZE]);

/* As bridge_solver.prepare, on the race's settings, or with `own` on MuJoCo's own defaults, and
 * with changes of them: "NAME=VALUE ..." by the names of mjcf_options and of MuJoCo's flags, with
 * on and off for whether and for flags. SOLVER_REFUSED when this MuJoCo has no such setting. */
int bridge_variant_prepare(bool own, const char *changes, const model *m,
                           const solver_settings *settings, const solver_output *output,
                           void **instance, char message[SOLVER_MESSAGE_SIZE]);

/* Whether this MuJoCo has a flag of that name, as its table of disable and enable flags spells it:
 * "Midphase", "Sleep". */
bool bridge_has_flag(const char *name);

/* Switches what a flag stands for on or off in an instance, whatever bridge_prepare made of it. 0,
 * or a solver_status with one line: SOLVER_REFUSED when this MuJoCo has no such flag. */
int bridge_instance_flag(void *instance, const char *name, bool on,
                         char message[SOLVER_MESSAGE_SIZE]);

/* Sets "ls_iterations" or "ls_tolerance", of the line search of MuJoCo's constraint solver. The
 * same. */
int bridge_instance_line_search(void *instance, const char *name, double value,
                                char message[SOLVER_MESSAGE_SIZE]);

enum { BRIDGE_TIMERS_MAX = 32, BRIDGE_NO_TIMER = -1 };

/* One of MuJoCo's timers: time between its two readings of the clock, summed. */
typedef struct bridge_timer {
  const char *name; /* MuJoCo's own; static storage */
  int parent;      /* the timer this one is a part of, which stands before it; or BRIDGE_NO_TIMER */
  uint64_t calls;  /* each reads the clock twice */
  double duration; /* in the clock's unit */
} bridge_timer;

/* Start from a zeroed one. */
typedef struct bridge_profile {
  size_t count;
  bridge_timer timer[BRIDGE_TIMERS_MAX];
} bridge_profile;

/*
 * As bridge_solver.run, with MuJoCo's timers running on `clock` (any unit, any origin), and adds
 * what they show to *out. Readings make the run slower: never time one. The clock is
 * process-wide and given back afterwards; nothing else of MuJoCo's may run meanwhile.
 */
int bridge_profiled_run(void *instance, const double x0[], const solver_output *output,
                        double (*clock)(void), bridge_profile *out, solver_report *report);

#endif
