/*
 * mj_step tends to a robot's trajectory as its step goes to 0, whatever ties, tendons, actuators,
 * friction and gravity compensation its model has: one model for each kind, from its keyframe.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robot_converge.h"

/* two links in the air, of which `elbow` says more */
#define LINK(name) "<geom name='" name "' type='capsule' size='.03' fromto='0 0 0 .3 0 0'/>"
#define ARM(elbow)                                                                                 \
  "<body name='upper' pos='0 0 1'><joint name='a' axis='0 1 0' damping='.02'/>" LINK(              \
      "upper") "<site name='mid' pos='.15 0 .03'/>"                                                \
               "<body name='lower' pos='.3 0 0'><joint name='b' axis='0 1 0' damping='.02' " elbow \
               "/>" LINK("lower") "<site name='tip' pos='.15 0 .03'/></body></body>"
#define AIR         "<mujoco><compiler angle='radian'/><option><flag contact='disable'/></option>"
#define WORLD(what) "<worldbody>" what "</worldbody>"
#define FLOOR       "<geom name='floor' type='plane' size='5 5 .1'/>"
#define KEY(what)   "<keyframe><key " what "/></keyframe></mujoco>"

/* at least so many events, libess at two tolerances apart by less than `least`, and mj_step at
 * 31 us off by less than `bound` */
static void kind(const char *name, const char *text, size_t events, double least, double bound) {
  double x[FIXTURE_STATES] = {0};
  robot *r = fixture_robot(text);
  assert_true(robot_keyframe(r, 0, x));
  robot_normalise(r, x);
  robot_close(r);
  converges(name, text, x, events, least, bound);
}

/* ---- what ties ------------------------------------------------------------------------------- */

static void test_connect(void **state) {
  (void)state;
  kind("connect",
       AIR WORLD(ARM(
           "") "<body name='crank' pos='.6 0 1'><joint axis='0 1 0'/>"
               "<geom type='capsule' size='.03' fromto='0 0 0 .1 0 -.4'/></body>") "<equality><"
                                                                                   "connect "
                                                                                   "body1='"
                                                                                   "lower' "
                                                                                   "body2='"
                                                                                   "crank' "
                                                                                   "anchor='.3 "
                                                                                   "0 "
                                                                                   "0'/></"
                                                                                   "equality"
                                                                                   ">" KEY("qvel"
                                                                                           "='0 "
                                                                                           "0 "
                                                                                           ".5"
                                                                                           "'"),
       0, 1e-5, 1e-3);
}

static void test_weld(void **state) {
  (void)state;
  kind("weld",
       "<mujoco>" WORLD(
           FLOOR
           "<body name='a' pos='0 0 .2'><freejoint/><geom size='.08'/></body>"
           "<body name='b' pos='.3 0 .2'><freejoint/><geom size='.06'/></body>") "<equality><"
                                                                                 "weld "
                                                                                 "body1='a' "
                                                                                 "body2='b' "
                                                                                 "solref='.05 "
                                                                                 "1'/></"
                                                                                 "equality"
                                                                                 ">" KEY("qpos"
                                                                                         "='0 "
                                                                                         "0 "
                                                                                         ".2 "
                                                                                         "1 0 "
                                                                                         "0 0 "
                                                                                         ".3 "
                                                                                         "0 "
                                                                                         ".2 "
                                                                                         "1 0 "
                                                                                         "0 "
                                                                                         "0' "
                                                                                         "qvel"
                                                                                         "='0 "
                                                                                         "0 0 "
                                                                                         "0 1 "
                                                                                         "0 0 "
                                                                                         "0 "
                                                                                         "-.3 "
                                                                                         "0 1 "
                                                                                         "0'"),
       2, 1e-5, 2e-3);
}

static void test_sites_tied(void **state) {
  (void)state;
  kind("sites",
       AIR WORLD("<body pos='0 1 1'><freejoint/><geom size='.1'/><site name='own'/></body>" ARM(
           "")) "<equality><weld site1='tip' site2='own' solref='.2 1' torquescale='.3'/>"
                "<weld site1='mid' site2='own' active='false'/></equality>"
                "<keyframe><key qvel='0 0 0 0 1 0 .5 .2'/></keyframe></mujoco>",
       0, 1e-4, 5e-3);
}

static void test_joints_tied(void **state) {
  (void)state;
  kind("joints",
       AIR WORLD(ARM("limited='true' range='-.4 .2'")) "<equality><joint joint1='b' joint2='a' "
                                                       "polycoef='0 -.8 .3 0 0'/></equality>" KEY(
                                                           "qvel='1.3 -1'"),
       1, 1e-5, 2e-3);
}

static void test_tendons_tied(void **state) {
  (void)state;
  kind("tendons tied",
       AIR WORLD(ARM("") "<body pos='0 1 1'><joint name='c' axis='0 1 0'/>" LINK(
           "other") "</body>") "<tendon><fixed name='s'><joint joint='a' coef='1'/><joint "
                               "joint='b' coef='.5'/></fixed>"
                               "<fixed name='t'><joint joint='c' coef='-1'/></fixed></tendon>"
                               "<equality><tendon tendon1='s' tendon2='t'/></equality>" KEY(
                                   "qvel='0 0 .5'"),
       0, 1e-5, 2e-3);
}

/* ---- tendons --------------------------------------------------------------------------------- */

static void test_tendon_limits(void **state) {
  (void)state;
  kind("tendon limits",
       AIR WORLD("<site name='hook' pos='.1 0 1.2'/>" ARM(
           "")) "<tendon>"
                "<spatial name='cord' limited='true' range='0 .42' stiffness='10' damping='.5' "
                "solreflimit='.1 1'>"
                "<site site='hook'/><site site='tip'/></spatial><fixed name='sum' limited='true' "
                "range='-1 "
                ".5'>"
                "<joint joint='a' coef='.6'/><joint joint='b' coef='1'/></fixed></tendon>" KEY(
                    "qvel='0 0'"),
       2, 1e-4, 5e-3);
}

/* a tendon that nothing moves makes no row, though it is beyond its limit: the next one's is its
 * own
 */
static void test_still_tendon(void **state) {
  (void)state;
  kind(
      "a tendon that nothing moves",
      AIR WORLD(
          "<site name='low'/><site name='high' pos='0 0 1'/><site name='hook' pos='.1 0 1.2'/>" ARM(
              "")) "<tendon><spatial limited='true' range='0 .5'><site site='low'/><site "
                   "site='high'/>"
                   "</spatial><spatial limited='true' range='0 .35'><site site='hook'/>"
                   "<site site='tip'/></spatial></tendon>" KEY("qvel='0 0'"),
      1, 1e-4, 5e-3);
}

static void test_wrapping(void **state) {
  (void)state;
  kind("wrapping",
       AIR WORLD(
           "<site name='hook' pos='-.2 0 1.05'/><geom name='pulley' type='cylinder' "
           "size='.08 .1' pos='0 0 1' euler='1.5708 0 0'/><site name='over' pos='0 0 1.2'/>" ARM(
               "")) "<tendon><spatial name='cord' stiffness='200' springlength='.2 .3' "
                    "frictionloss='.2'><site site='hook'/><geom geom='pulley' "
                    "sidesite='over'/><site site='tip'/></spatial></tendon>" KEY("qvel='0 0'"),
       0, 1e-4, 5e-3);
}

static void test_pulley(void **state) {
  (void)state;
  kind("a pulley",
       AIR WORLD("<site name='left' pos='.1 0 1.2'/><site name='right' pos='.4 0 1.3'/>" ARM(
           "")) "<tendon><spatial stiffness='30 5 8' damping='.5 .3 .2' springlength='.2' "
                "limited='true' range='0 .6' margin='.05'><site site='left'/><site site='mid'/>"
                "<pulley divisor='2'/><site site='right'/><site site='tip'/></spatial>"
                "</tendon>" KEY("qvel='0 0'"),
       1, 1e-4, 5e-3);
}

static void test_heavy_tendon(void **state) {
  (void)state;
  kind("armature of a tendon",
       AIR WORLD("<site name='hook' pos='.1 0 1.2'/>" ARM(
           "")) "<tendon><spatial armature='.3'>"
                "<site site='hook'/><site site='tip'/></spatial></tendon>" KEY("qvel='.5 -1'"),
       0, 1e-5, 2e-3);
}

/* ---- actuators ------------------------------------------------------------------------------- */

static void test_muscles(void **state) {
  (void)state;
  kind("muscles",
       AIR WORLD("<site name='hook' pos='0 0 1.25'/>" ARM(
           "limited='true' range='-1 .5'")) "<tendon><spatial name='biceps'><site "
                                            "site='hook'/><site site='tip'/></spatial></tendon>"
                                            "<actuator><muscle tendon='biceps' lengthrange='.2 .6' "
                                            "force='60'/>"
                                            "<muscle joint='b' lengthrange='-1 1' force='4' "
                                            "timeconst='.03 .05'/></actuator>" KEY(
                                                "qpos='0 0' ctrl='.8 .3' act='.1 .5'"),
       0, 1e-5, 5e-3);
}

#define DRIVEN(actuators, key) AIR WORLD(ARM("")) "<actuator>" actuators "</actuator>" KEY(key)

static void test_dynamics(void **state) {
  (void)state;
  kind("filters",
       DRIVEN("<general joint='a' dyntype='filter' dynprm='.05' gainprm='4' biastype='affine' "
              "biasprm='0 -3 -.2'/><general joint='b' dyntype='filterexact' dynprm='.02' "
              "gainprm='1'/>",
              "ctrl='1 -1' act='.2 .4'"),
       0, 1e-5, 5e-3);
  kind("integrators",
       DRIVEN("<intvelocity joint='a' kp='8' kv='.3' actrange='-.15 .15'/>"
              "<general joint='b' dyntype='integrator' gainprm='3' actearly='true'/>",
              "ctrl='1.5 -.7'"),
       0, 1e-4, 5e-3);
  kind("cylinders",
       DRIVEN("<cylinder joint='a' timeconst='.08' area='2'/><position joint='b' kp='3' kv='.1' "
              "timeconst='.04'/>",
              "ctrl='.8 -.6'"),
       0, 1e-5, 5e-3);
}

static void test_ranges(void **state) {
  (void)state;
  kind("ranges of forces and controls",
       DRIVEN("<position joint='a' kp='60' forcerange='-1.5 1.5'/><damper joint='b' kv='.4' "
              "ctrlrange='0 1'/><velocity joint='b' kv='.5' ctrlrange='-1 1'/>",
              "qvel='2 -1' ctrl='.4 .7 3'"),
       0, 1e-5, 5e-3);
  kind("friction loss",
       AIR WORLD(ARM("frictionloss='.15' actuatorfrcrange='-.3 .3'")) "<actuator><motor joint='b' "
                                                                      "gear='.5'/></actuator>" KEY(
                                                                          "qvel='0 2' ctrl='1'"),
       0, 1e-5, 5e-3);
}

static void test_motors(void **state) {
  (void)state;
  kind("a controller with an integral",
       DRIVEN("<pid joint='a' kp='8' ki='50' kv='.3' imax='.2' input='pos vel ff'/>"
              "<pid joint='b' kp='3' kv='.1'/>",
              "ctrl='.5 .3 .2 .1'"),
       0, 1e-5, 5e-3);
  kind("motors of direct current",
       DRIVEN("<dcmotor joint='a' resistance='2' motorconst='.05' inductance='.01' gear='30'/>"
              "<dcmotor joint='b' resistance='2' motorconst='.05' cogging='.01 6 0' gear='9'/>",
              "ctrl='6 2'"),
       0, 1e-5, 5e-3);
  kind("actuators with a mass and a damper",
       DRIVEN("<motor joint='a' armature='.05' damping='.1 .05 .02'/><motor joint='b' "
              "armature='.02'/>",
              "qvel='3 -4' ctrl='.3 -.2'"),
       0, 1e-5, 5e-3);
}

/* a body on a joint that has three axes, or six */
#define TURNING(joint, actuators, key)                                                             \
  AIR WORLD("<body pos='0 0 1'><joint name='q' " joint "/>"                                        \
            "<geom type='box' size='.1 .05 .2' pos='.1 0 -.2'/></body>") "<actuator>" actuators    \
                                                                         "</actuator>" KEY(key)

static void test_turning(void **state) {
  (void)state;
  kind("motors of a ball joint",
       TURNING("type='ball' damping='.01' stiffness='.3' frictionloss='.05' range='0 1' "
               "limited='true'",
               "<motor joint='q' gear='1 .3 .2'/><motor jointinparent='q' gear='.2 .5 1'/>"
               "<position joint='q' gear='0 1 0' kp='2'/>",
               "qpos='.9 .2 .3 .1' qvel='1 2 3' ctrl='.3 .2 .5'"),
       1, 1e-4, 5e-3);
  kind("a servo of orientation",
       TURNING("type='ball'", "<orientation joint='q' kp='3' kv='.2'/>",
               "qpos='.9 .2 .3 .1' ctrl='.3 .2 .5'"),
       0, 1e-5, 5e-3);
  kind("motors of a free joint",
       TURNING("type='free' damping='.1'",
               "<motor joint='q' gear='1 2 3 .3 .2 .1'/>"
               "<motor jointinparent='q' gear='0 0 1 .2 .3 .1'/>",
               "qpos='0 0 1 1 0 0 0' qvel='0 0 0 1 2 3' ctrl='.3 .2'"),
       0, 1e-5, 5e-3);
}

static void test_site_forces(void **state) {
  (void)state;
  kind("forces on sites",
       DRIVEN("<general site='tip' gear='0 1 0 0 .05 0' gainprm='.3'/>"
              "<general site='tip' refsite='mid' gear='1 0 0 0 0 0' gainprm='2' biastype='affine' "
              "biasprm='0 -5 -.2'/>",
              "ctrl='1 .3'"),
       0, 1e-5, 5e-3);
}

/* ---- forces on bodies ------------------------------------------------------------------------ */

static void test_gravity_compensation(void **state) {
  (void)state;
  kind("gravity compensation",
       "<mujoco>" WORLD(FLOOR
                        "<body pos='0 0 .3' gravcomp='.6'><freejoint/><geom type='capsule' "
                        "size='.05 .1'/><body pos='.1 0 0' gravcomp='1.3'><joint axis='0 1 0' "
                        "damping='.05' actuatorgravcomp='true'/><geom type='capsule' size='.03' "
                        "fromto='0 0 0 .3 0 0'/></body></body>")
           KEY("qpos='0 0 .3 1 0 0 0 0' qvel='.2 0 -2 0 1 0 0'"),
       1, 1e-4, 5e-3);
}

static void test_fluid(void **state) {
  (void)state;
  kind("a fluid",
       "<mujoco><option density='1.2' viscosity='.05' wind='2 0 0'/>" WORLD(
           "<body pos='0 0 2'><freejoint/><geom type='ellipsoid' size='.2 .1 .02' density='5' "
           "fluidshape='ellipsoid'/></body><body pos='1 0 2'><freejoint/><geom type='box' "
           "size='.2 .1 .02' density='5'/></body>")
           KEY("qpos='0 0 2 1 .2 0 0 1 0 2 1 .2 0 0' qvel='0 0 0 1 2 0 0 0 0 1 2 0'"),
       0, 1e-5, 5e-3);
}

/* ---- friction -------------------------------------------------------------------------------- */

/* a ball that slides, rolls and spins, onto a floor and a post */
#define BALL(cone, dim)                                                                            \
  "<mujoco><option cone='" cone "' impratio='2'/><default><geom condim='" dim                      \
  "' friction='.4 .02 .01'/></default>" WORLD(                                                     \
      FLOOR "<geom type='capsule' size='.05' fromto='.25 0 0 .25 0 .3'/>"                          \
            "<body pos='0 0 .14'><freejoint/><geom size='.1'/></body>")                            \
      KEY("qpos='0 0 .14 1 0 0 0' qvel='1 0 -.5 3 4 20'")

static void test_friction(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
  } balls[] = {
      {"pyramids, condim 1", BALL("pyramidal", "1")},
      {"pyramids, condim 3", BALL("pyramidal", "3")},
      {"pyramids, condim 4", BALL("pyramidal", "4")},
      {"pyramids, condim 6", BALL("pyramidal", "6")},
      {"ellipses, condim 1", BALL("elliptic", "1")},
      {"ellipses, condim 3", BALL("elliptic", "3")},
      {"ellipses, condim 4", BALL("elliptic", "4")},
      {"ellipses, condim 6", BALL("elliptic", "6")},
  };
  for (size_t i = 0; i < sizeof balls / sizeof *balls; ++i)
    kind(balls[i].name, balls[i].text, 2, 5e-4, 5e-3);
}

/* surfaces that move against their bodies: a belt that turns, too, and a roll with a drive */
static void test_belts(void **state) {
  (void)state;
  kind("a belt",
       "<mujoco><option cone='elliptic'/><default><geom condim='4'/></default>" WORLD(
           "<geom type='plane' size='5 5 .1' surfacevel='1 .3 0 0 0 2'/>"
           "<body><freejoint/><geom size='.1'/></body>")
           KEY("qpos='.1 .2 .12 1 .1 0 0' qvel='0 0 -.5 0 0 0'"),
       1, 1e-4, 5e-3);
  kind("a roll",
       "<mujoco>" WORLD(FLOOR "<body><freejoint/><geom type='capsule' size='.1 .2' "
                              "surfacevel='0 0 0 0 0 3'/></body>")
           KEY("qpos='0 0 .13 1 .8 .05 0' qvel='0 0 -.3 0 0 0'"),
       1, 1e-4, 5e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_connect),
                                     cmocka_unit_test(test_weld),
                                     cmocka_unit_test(test_sites_tied),
                                     cmocka_unit_test(test_joints_tied),
                                     cmocka_unit_test(test_tendons_tied),
                                     cmocka_unit_test(test_tendon_limits),
                                     cmocka_unit_test(test_still_tendon),
                                     cmocka_unit_test(test_wrapping),
                                     cmocka_unit_test(test_pulley),
                                     cmocka_unit_test(test_heavy_tendon),
                                     cmocka_unit_test(test_muscles),
                                     cmocka_unit_test(test_dynamics),
                                     cmocka_unit_test(test_motors),
                                     cmocka_unit_test(test_ranges),
                                     cmocka_unit_test(test_turning),
                                     cmocka_unit_test(test_site_forces),
                                     cmocka_unit_test(test_gravity_compensation),
                                     cmocka_unit_test(test_fluid),
                                     cmocka_unit_test(test_friction),
                                     cmocka_unit_test(test_belts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
