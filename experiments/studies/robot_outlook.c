/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What MuJoCo's own steps tell before anything is measured: that nothing moves, or that the
 * reference will end at a contact that is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "robot_study.h"

/* the steps may take so long, and so may the look for contacts, s of the thread's own time; and
 * what moves less in all its states does not move */
static const double steps_s = 0.4, look_s = 0.6, still = 1e-12;

/* where one would end, by MuJoCo's own steps */
typedef struct outlook {
  double time; /* NAN: nothing is seen */
  const robot_finding *contact;
} outlook;

static double seconds_since(uint64_t start_ns) {
  return 1e-9 * (double)(measure_thread_ns() - start_ns);
}

/* ever longer runs, until one goes to the end or they have taken too long */
static int follow_briefly(study_run *run, const double x0[], robot_track *t) {
  const robot_case *const c = run->own;
  const robot_entry own = {ROBOT_MUJOCO, c->size.integrator, c->size.time_step, true};
  const uint64_t start = measure_thread_ns();
  int status = 0;
  for (t->asked = 2; !status; t->asked *= 2) {
    if (t->asked > c->outputs) t->asked = c->outputs;
    status = robot_follow(run, &own, x0, false, t);
    if (t->asked == c->outputs || t->reached < t->asked || seconds_since(start) > steps_s) break;
  }
  return status;
}

static outlook look_ahead(const study_run *run, const double x0[], const robot_track *t) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const uint64_t start = measure_thread_ns();
  for (size_t i = 0; i < t->reached && (i == 0 || seconds_since(start) < look_s); i++) {
    const double *const x = i ? t->states + i * c->size.dimension : x0;
    const robot_finding *const contact = robot_refused_contact(c->robot, x);
    if (contact) return (outlook){(double)i * s->output_step, contact};
  }
  return (outlook){NAN, NULL};
}

/* ---- nothing moves --------------------------------------------------------------------------- */

static bool is_still(const study_run *run, const double x0[], const robot_track *t) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  for (size_t i = 0; i < t->reached * n; i++)
    if (!(fabs(t->states[i] - x0[i % n]) < still)) return false;
  return t->reached == c->outputs;
}

static int refuse_still(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  char actuators[160] = "it has no actuators";
  if (c->size.nu > 0)
    snprintf(actuators, sizeof actuators, "its %zu actuator%s (%s%s given %s", c->size.nu,
             c->size.nu > 1 ? "s" : "", robot_actuator_name(c->robot, 0),
             c->size.nu > 1 ? ", ...) are" : ") is", s->control ? "what --ctrl says" : "nothing");
  measure_message(run->message,
                  "%.200s: nothing moves within %g s of the first start, so there is nothing to "
                  "compare: %s; --starts 10 draws velocities, --qpos another pose, --ctrl steers",
                  run->operand, s->time, actuators);
  return SOLVER_FAILED;
}

/* ---- a contact that is refused --------------------------------------------------------------- */

/* what a user can do about it */
static const char *remedy(study_run *run, const robot_finding *f) {
  const robot_case *const c = run->own;
  const char *const between = strstr(f->name, " - ");
  return study_text(run, "--without '%.*s,%s' leaves this pair out of both engines%s",
                    between ? (int)(between - f->name) : 0, f->name, between ? between + 3 : "",
                    robot_event_is_within(c->robot, f->first_event)
                        ? ", --without self all pairs within one robot"
                        : "; a sphere or a capsule in its place would have an event function");
}

/* whether it touches at once from all starts */
static bool ends_at_once(study_run *run, double x[]) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  for (size_t i = 0; i < s->starts; i++) {
    const robot_start from = {s->qpos, s->height, s->tilt, i, run->seed};
    if (robot_start_state(c->robot, &from, x, run->message)) return false;
    if (!robot_refused_contact(c->robot, x)) return false;
  }
  return true;
}

static int tell(study_run *run, const outlook *o, double x[]) {
  if (o->time == 0.0 && ends_at_once(run, x)) {
    measure_message(
        run->message,
        "%.160s: the reference ends at 0 s, so there is nothing to compare: %s touch, and "
        "%s; %s",
        run->operand, o->contact->name, o->contact->why, remedy(run, o->contact));
    return SOLVER_FAILED;
  }
  robot_case *const c = run->own;
  snprintf(c->warning, sizeof c->warning,
           "warning: the reference of the first start will end at about %.3f s: %s touch, and %s; "
           "all is compared up to there; %s\n",
           o->time, o->contact->name, o->contact->why, remedy(run, o->contact));
  return 0;
}

/* ---- a first answer -------------------------------------------------------------------------- */

/* a reference by which mm are told, how long it may take, and from which time of it on a first
 * answer is worth a line, s */
static const double coarse_tolerance = 1e-4, coarse_s = 10.0, worth_s = 0.05;

int robot_coarse(study_run *run, const double x0[]) {
  const robot_case *const c = run->own;
  const robot_entry own = {ROBOT_MUJOCO, c->size.integrator, c->size.time_step, true};
  const robot_entry coarse = {ROBOT_LIBESS, robot_bases[ESS_BASE_DOPRI5], coarse_tolerance, false};
  robot_track t = {0}, of = {0};
  int status = robot_track_alloc(run, &of);
  if (!status) status = robot_track_alloc(run, &t);
  of.most_s = coarse_s;
  if (!status) status = robot_follow(run, &coarse, x0, false, &of);
  t.asked = of.reached;
  if (!status && of.seconds > worth_s && of.reached > 1)
    status = robot_follow(run, &own, x0, false, &t);
  if (!status && t.reached > 1)
    fprintf(stderr,
            "progress: a first, coarse answer, by libess at a tolerance of %g and unchecked: up to "
            "%.3g s the bodies "
            "are off by %.2g mm; the reference follows, which takes longer\n",
            coarse_tolerance, of.until, 1e3 * robot_apart(run, &t, &of, t.reached).bodies);
  robot_track_free(&t);
  robot_track_free(&of);
  return status;
}

int robot_outlook(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const robot_start first = {s->qpos, s->height, s->tilt, 0, run->seed};
  double *const x0 = calloc(2 * c->size.dimension + 1, sizeof *x0);
  robot_track t = {0};
  int status = x0 ? 0 : study_out_of_memory(run);
  if (!status) status = robot_start_state(c->robot, &first, x0, run->message);
  if (!status) status = robot_track_alloc(run, &t);
  if (!status) status = follow_briefly(run, x0, &t);
  if (!status && s->starts == 1 && is_still(run, x0, &t)) status = refuse_still(run);
  if (!status && c->refuses) {
    const outlook o = look_ahead(run, x0, &t);
    if (o.contact) status = tell(run, &o, x0 + c->size.dimension);
  }
  robot_track_free(&t);
  free(x0);
  return status;
}
