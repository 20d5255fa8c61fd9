/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of MuJoCo's that are tried. */
#include "mujoco.h"
#include "solvers.h"

/* what each step from MuJoCo's own defaults to the race's buys, then every single change of the
 * race's, then those that may go together */
const mujoco_variant mujoco_variants[MUJOCO_VARIANTS] = {
    {true, ""},
    {false, ""},
    {true, "jacobian=dense"},
    {true, "warmstart=off"},
    {true, "tall=on"},
    {true, "pairs=on"},
    {true, "lean=on"},

    {false, "pairs=on"},
    {false, "pairs=off"},
    {false, "pairs=off Midphase=on"},
    {false, "jacobian=sparse"},
    {false, "jacobian=auto"},
    {false, "cone=elliptic"},
    {false, "solver=CG"},
    {false, "solver=CG jacobian=sparse"},
    {false, "solver=PGS"},
    {false, "tolerance=0 iterations=10"},
    {false, "tolerance=1e-10"},
    {false, "tolerance=1e-6"},
    {false, "tolerance=1e-4"},
    {false, "iterations=2"},
    {false, "ls_iterations=5"},
    {false, "ls_iterations=10"},
    {false, "ls_tolerance=0.1"},
    {false, "ls_tolerance=1e-4"},
    {false, "warmstart=on"},
    {false, "tall=off"},
    {false, "lean=off"},

    {false, "Equality=on"},
    {false, "Frictionloss=on"},
    {false, "Limit=on"},
    {false, "Passive=on"},
    {false, "Spring=on Damper=on"},
    {false, "Clampctrl=on"},
    {false, "Filterparent=on"},
    {false, "Actuation=on"},
    {false, "Refsafe=on"},
    {false, "Sensor=on"},
    {false, "Midphase=on"},
    {false, "Eulerdamp=on"},
    {false, "AutoReset=on"},
    {false, "NativeCCD=on"},
    {false, "MultiCCD=on"},
    {false, "Island=on"},
    {false, "Sleep=off"},
    {false, "Speculative=on"},

    {false, "timestep=0.001"},
    {false, "timestep=0.004"},
    {false, "integrator=implicit"},
    {false, "integrator=implicitfast"},
    {false, "integrator=discrete"},
    {false, "integrator=RK4"},
};

const char *mujoco_variant_base(const mujoco_variant *v) {
  return v->own ? "mujoco" : "race";
}

/* ---- as those who race: a variant is known by its changes -------------------------------------
 */

static int prepare_own(const model *m, const solver_settings *settings, const solver_output *output,
                       void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return bridge_variant_prepare(true, settings->variant, m, settings, output, instance, message);
}

static int prepare_race(const model *m, const solver_settings *settings,
                        const solver_output *output, void **instance,
                        char message[SOLVER_MESSAGE_SIZE]) {
  return bridge_variant_prepare(false, settings->variant, m, settings, output, instance, message);
}

static int run_variant(void *instance, const double x0[], const solver_output *output,
                       solver_report *report) {
  return bridge_solver.run(instance, x0, output, report);
}

static void release_variant(void *instance) {
  bridge_solver.release(instance);
}

race_entry mujoco_variant_entry(const mujoco_variant *v) {
  static const solver_type bases[] = {
      {.name = "mujoco", .prepare = prepare_race, .run = run_variant, .release = release_variant},
      {.name = "mujoco", .prepare = prepare_own, .run = run_variant, .release = release_variant}};
  race_entry entry = {.solver = &bases[v->own], .settings = solver_settings_default()};
  entry.settings.variant = v->changes;
  return entry;
}
