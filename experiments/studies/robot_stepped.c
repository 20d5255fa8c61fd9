/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a robot on the output times, by MuJoCo's steps. */
#include <stdint.h>
#include <string.h>

#include "robot_study.h"

int robot_follow_steps(study_run *run, const robot_entry *e, const double x0[],
                       const robot_track *along, robot_track *t) {
  const robot_case *const c = run->own;
  const double none = 0.0;
  robot_steps_request request = {.integrator = e->variant,
                                 .time_step = e->knob,
                                 .x0 = x0,
                                 .controls = &c->controls,
                                 .dt = c->output_step,
                                 .count = t->asked,
                                 .states = t->states,
                                 .at_end = t->at_end};
  if (along) {
    request.stops = along->stops ? along->stop : &none;
    request.stop_count = along->stops;
    request.exactly = true;
  }
  robot_steps_report report;
  if (robot_steps_run(c->steps, &request, &report))
    return measure_fail(run->message, "%s", report.message);
  t->reached = report.reached;
  t->until = t->reached ? (double)(t->reached - 1) * c->output_step : 0.0;
  t->status = *report.message ? study_text(run, "%s", report.message) : "success";
  t->seconds = report.seconds;
  t->steps = (double)report.steps;
  t->evaluations = t->steps * (strcmp(e->variant, "RK4") == 0 ? 4.0 : 1.0);
  return 0;
}
