/*
 * What the robots' tests share: MJCFs, states, and calls that must succeed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_FIXTURE_H
#define ROBOT_FIXTURE_H

#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "robot.h"

enum { FIXTURE_STATES = 64, FIXTURE_EVENTS = 256 };

static inline robot *fixture_robot(const char *text) {
  char message[ROBOT_MESSAGE_SIZE];
  robot *r = NULL;
  if (robot_open(NULL, text, NULL, &r, message)) fail_msg("%s", message);
  assert_true(robot_size(r).dimension <= FIXTURE_STATES);
  assert_true(robot_size(r).events <= FIXTURE_EVENTS);
  return r;
}

static inline double fixture_between(gsl_rng *rng, double low, double high) {
  return low + (high - low) * gsl_rng_uniform(rng);
}

/* the signs that x has */
static inline void fixture_signs(robot *r, const double x[], double sign[]) {
  const ess_system *s = robot_system(r);
  double h[FIXTURE_EVENTS];
  assert_int_equal(s->event_functions(0.0, x, h, s->params), 0);
  for (size_t k = 0; k < s->event_count; ++k) sign[k] = h[k] > 0.0 ? 1.0 : -1.0;
}

static inline void fixture_field(robot *r, const double x[], const double sign[], double dxdt[]) {
  const ess_system *s = robot_system(r);
  if (s->field(0.0, x, sign, dxdt, s->params)) fail_msg("%s", robot_failure(r));
}

static inline double fixture_distance(const double a[], const double b[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static inline double fixture_length(const double a[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) sum += a[i] * a[i];
  return sqrt(sum);
}

/* a body that falls and turns on the shapes that have rules, with margins, priorities, all numbers
 * of friction directions; limits of every kind, one of them with a margin; actuators with and
 * without a state; an equality; a tendon */
#define FIXTURE_ZOO(cone, jacobian)                                                                \
  "<mujoco><compiler angle='radian'/><option cone='" cone "' jacobian='" jacobian                  \
  "' impratio='2'/>"                                                                               \
  "<default><geom density='500' margin='0.002'/><joint damping='0.1'/></default><worldbody>"       \
  "<geom name='floor' type='plane' size='5 5 .1' condim='3' solimp='.8 .9 .02' margin='.01'/>"     \
  "<geom name='post' type='box' size='.1 .1 .3' pos='.6 0 .1' condim='4' priority='1'"             \
  "  solref='.03 .8'/>"                                                                            \
  "<body name='torso' pos='0 0 .4'><freejoint/>"                                                   \
  "  <geom name='box' type='box' size='.2 .1 .05' condim='1'/>"                                    \
  "  <body name='ball' pos='.3 0 0'><joint name='ball' type='ball' limited='true' range='0 .6'"    \
  "    armature='.01'/><geom name='sphere' type='sphere' size='.08' pos='.1 0 0' condim='6'/>"     \
  "  </body>"                                                                                      \
  "  <body name='thigh' pos='-.3 0 0'><joint name='hip' axis='0 1 0' limited='true'"               \
  "    range='-.5 .4' margin='.05'/><geom name='thigh' type='capsule' size='.04'"                  \
  "    fromto='0 0 0 0 0 -.3'/>"                                                                   \
  "    <body name='shin' pos='0 0 -.35'><joint name='knee' axis='0 1 0' limited='true'"            \
  "      range='-.3 .3' solreflimit='.01 1'/><geom name='shin' type='capsule' size='.03'"          \
  "      fromto='0 0 0 .2 0 -.1' solmix='3' friction='.5 .01 .001' condim='6'/>"                   \
  "      <site name='toe' pos='.2 0 -.1'/></body></body>"                                          \
  "  <body name='arm' pos='0 .3 0'><joint name='slide' type='slide' axis='0 1 0' limited='true'"   \
  "    range='-.1 .1'/><geom name='egg' type='ellipsoid' size='.06 .08 .1'/></body>"               \
  "  <site name='back' pos='-.2 0 .05'/>"                                                          \
  "</body>"                                                                                        \
  "<body name='rod' pos='.1 .5 .3'><freejoint/>"                                                   \
  "  <geom name='rod' type='capsule' size='.05 .2' euler='.3 1.2 0'/></body>"                      \
  "</worldbody>"                                                                                   \
  "<contact><pair geom1='sphere' geom2='egg' condim='3'/>"                                         \
  "  <pair geom1='sphere' geom2='rod' friction='.9 .8 .01 .001 .002' margin='.02'/>"               \
  "  <exclude body1='ball' body2='thigh'/><exclude body1='ball' body2='shin'/></contact>"          \
  "<tendon><spatial name='cord' limited='true' range='.42 .5' stiffness='20'><site site='back'/>"  \
  "  <site site='toe'/></spatial></tendon>"                                                        \
  "<equality><joint joint1='knee' joint2='hip' polycoef='0 .5 0 0 0'/></equality>"                 \
  "<actuator><motor joint='hip' gear='20' ctrllimited='true' ctrlrange='-1 1'/>"                   \
  "  <general joint='knee' dyntype='filter' dynprm='.05' gainprm='10'/>"                           \
  "  <position tendon='cord' kp='30'/></actuator></mujoco>"

/* a body on two legs of capsules, the joints held by actuators, one limit reached soon; and a quad
 * on a free joint */
#define FIXTURE_WALKER                                                                             \
  "<mujoco><compiler angle='radian'/><option timestep='.002'/><default><geom friction='.7 .1 .1'"  \
  " density='1000'/><joint damping='.5' armature='.01'/></default><worldbody>"                     \
  "<geom name='floor' type='plane' size='5 5 .1'/><body name='torso' pos='0 0 .9'>"                \
  "<joint name='x' type='slide' axis='1 0 0' damping='0'/>"                                        \
  "<joint name='z' type='slide' axis='0 0 1' damping='0'/>"                                        \
  "<joint name='tilt' axis='0 1 0' damping='0'/>"                                                  \
  "<geom name='torso' type='capsule' size='.05' fromto='0 0 0 0 0 .4'/>"                           \
  "<body name='left'><joint name='left_hip' axis='0 1 0' limited='true' range='-.6 .3'/>"          \
  "<geom name='left' type='capsule' size='.04' fromto='0 .1 0 0 .1 -.8'/></body>"                  \
  "<body name='right'><joint name='right_hip' axis='0 1 0' limited='true' range='-.6 .3'/>"        \
  "<geom name='right' type='capsule' size='.04' fromto='0 -.1 0 0 -.1 -.7'/></body>"               \
  "</body></worldbody>"                                                                            \
  "<contact><exclude body1='left' body2='right'/></contact>"                                       \
  "<actuator><position joint='left_hip' kp='40'/><position joint='right_hip' kp='40'/>"            \
  "</actuator></mujoco>"

#define FIXTURE_LEG(name, x, y)                                                                    \
  "<body name='" name "' pos='" x " " y " 0'><joint axis='0 1 0' stiffness='20'/>"                 \
  "<geom name='" name "' type='capsule' size='.03' fromto='0 0 0 " x " " y " -.3'/></body>"
#define FIXTURE_QUAD                                                                               \
  "<mujoco><compiler angle='radian'/><option timestep='.002' cone='elliptic'/><default>"           \
  "<geom density='500'/><joint damping='.5' armature='.01'/></default><worldbody>"                 \
  "<geom name='floor' type='plane' size='5 5 .1'/><body name='torso' pos='0 0 .45'><freejoint/>"   \
  "<geom name='torso' type='sphere' size='.15'/>" FIXTURE_LEG("a", ".2", ".2")                     \
      FIXTURE_LEG("b", "-.2", ".2") FIXTURE_LEG("c", ".2", "-.2")                                  \
          FIXTURE_LEG("d", "-.2", "-.2") "</body></worldbody></mujoco>"

#endif
