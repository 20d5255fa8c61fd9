/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot: how wrong MuJoCo's trajectories of a given robot are at which time step, and what
 * a right one costs, on the robot's own equations. */
#include <math.h>
#include <stdio.h>

#include "robot_columns.h"
#include "robot_study.h"
#include "studies.h"

static const study_option options[] = {
    {"time", "S", "how long a run is, s", OPTION_NUMBER, OPTION_AT(robot_settings, time),
     .initial = "1", .min = 1e-3, .max = 1e3, .result = "time"},
    {"output-step", "S", "between the times at which states are compared, s", OPTION_NUMBER,
     OPTION_AT(robot_settings, output_step), .initial = "0.002", .min = 1e-5, .max = 10,
     .result = "output_step"},
    {"starts", "COUNT",
     "starts: the first as --qpos, --height and --tilt say, others drawn around it", OPTION_WHOLE,
     OPTION_AT(robot_settings, starts), .initial = "10", .min = 1, .max = 1000, .result = "starts"},
    {"qpos", "X,Y",
     "pose that starts are made of (default: keyframe 0, else init_qpos, else qpos0)", OPTION_TEXT,
     OPTION_AT(robot_settings, qpos), .result = "qpos"},
    {"height", "M", "what can fall is raised by so much, m", OPTION_NUMBER,
     OPTION_AT(robot_settings, height), .initial = "0.05", .min = -1e3, .max = 1e3,
     .result = "height"},
    {"tilt", "RAD", "the first thing that falls is tilted by so much, rad", OPTION_NUMBER,
     OPTION_AT(robot_settings, tilt), .initial = "0.1", .min = -4, .max = 4, .result = "tilt"},
    {"ctrl", "X,Y|FILE",
     "of the actuators: a constant, or a csv with a row for each period (default: keyframe 0's, "
     "else 0)",
     OPTION_TEXT, OPTION_AT(robot_settings, control), .result = "ctrl"},
    {"period", "S", "control period: a row of --ctrl is held for so long, s", OPTION_NUMBER,
     OPTION_AT(robot_settings, period), .initial = "0.02", .min = 1e-4, .max = 1e3,
     .result = "period"},
    {"twin", "K,C",
     "contacts become springs and dampers of K N/m and C N s/m, in both engines (default: they are "
     "MuJoCo's own)",
     OPTION_TEXT, OPTION_AT(robot_settings, twin), .result = "twin"},
    {"without", "A,B|self",
     "these geoms or bodies never touch, in both engines; self: no two of one robot (default: all "
     "may)",
     OPTION_TEXT, OPTION_AT(robot_settings, without), .result = "without"},
    {"write", "FILE", "write the twin: an MJCF, or MuJoCo's binary where it ends in .mjb",
     OPTION_TEXT, OPTION_AT(robot_settings, written)},
    {"time-steps", "X,Y",
     "of mj_step, s, the largest first (default: every half from 8 ms to 1/32 ms)", OPTION_NUMBERS,
     OPTION_AT(robot_settings, time_steps),
     .initial = "0.008,0.004,0.002,0.001,0.0005,0.00025,0.000125,0.0000625,0.00003125", .min = 1e-7,
     .max = 1},
    {"integrators", "A,B", "of MuJoCo, beside the model's own", OPTION_NAMES,
     OPTION_AT(robot_settings, integrators), .initial = "Euler,implicitfast,RK4",
     .names = robot_integrators, .result = "integrators"},
    {"tolerances", "X,Y", "of libess, rtol = atol, the largest first", OPTION_NUMBERS,
     OPTION_AT(robot_settings, tolerances),
     .initial = "0.5,0.25,1e-1,1e-2,1e-3,1e-4,1e-5,1e-6,1e-7", .min = 1e-13, .max = 0.5},
    {"base", "A,B",
     "of libess's steps: dopri5, rkc (stabilised), chosen (stabilised where that is cheaper), or "
     "rodas (implicit)",
     OPTION_NAMES, OPTION_AT(robot_settings, bases), .initial = "dopri5,chosen,rkc",
     .names = robot_bases, .result = "base"},
    {"reference", "X", "tolerance of the reference", OPTION_NUMBER,
     OPTION_AT(robot_settings, reference), .initial = "1e-9", .min = 1e-13, .max = 1e-3,
     .result = "reference_tolerance"},
    {"check-step", "S", "of MuJoCo's RK4 that the reference is checked by, s", OPTION_NUMBER,
     OPTION_AT(robot_settings, check_step), .initial = "0.00000390625", .min = 1e-7, .max = 1,
     .result = "check_step"},
    {"all", NULL, "show all tables: what switches, errors by time step, costs (default: in brief)",
     OPTION_FLAG, OPTION_AT(robot_settings, all), .shows = true},
    {"derivative", NULL,
     "audit MuJoCo's derivatives instead, with the options of essbench robot-derivative",
     OPTION_FLAG, OPTION_AT(robot_settings, derivative), .shows = true},
    {"budget", "S", "a run that takes longer is left out, s", OPTION_NUMBER,
     OPTION_AT(robot_settings, budget), .initial = "10", .min = 1e-3, .max = 1e6},
    {0},
};

static const study_word words[] = {
    {"base", "the first free joint: how far it is off at most, along one axis"},
    {"worst joint", "the hinge or slide that is off the most, in mrad or mm"},
    {"bodies, hinges", "root mean squares over all of them: origins of bodies, angles of hinges"},
    {"begins at", "when a tenth of the first start's largest error is there"},
    {"reference", "the right motion, by libess at a tolerance at which its error is small; and "
                  "known, by a looser "
                  "tolerance and by MuJoCo at ever smaller steps"},
    {"libess", "what computes it: its steps end where contacts and limits begin and end"},
    {"event function", "its zero is where a contact or a limit begins or ends"},
    {"plain", "libess without event functions, on the same equations"},
    {"dopri5, rkc, chosen, rodas", "how libess steps: see --base"},
    {"error", "root mean square of positions and velocities, m, rad, m/s and rad/s in one"},
    {"order", "n: with half the step the error is a 2^n-th"},
    {"ratio", "MuJoCo's time over libess's for the same error"},
    {"fields", "calls of the equations by libess in one run"},
    {"guarded", "that switches where an event function says"},
    {"followed", "its touching has an event function, jumps of its points have none"},
    {"kink", "that switches, and only the error control sees it"},
    {"refused", "where that touches the reference ends"},
    {0},
};

/* ---- cells: one start each, whose reference serves all ----------------------------------------
 */

static int check(study_run *run) {
  const int status = robot_case_open(run);
  return status ? status : robot_outlook(run);
}

static int plan(study_run *run, size_t stage) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  if (stage == 0 && *c->warning && !study_is_worker(run)) fprintf(stderr, "%s", c->warning);
  for (size_t i = 0; stage == 0 && i < s->starts; i++)
    if (study_cell(run, &i, "start=%zu", i)) return -1;
  return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define ABOUT(member, kind, unit, ...)                                                             \
  COLUMN_AS("reference." #member, robot_top, member, kind, unit, __VA_ARGS__)

#define OFF(member, kind, unit, ...)                                                               \
  COLUMN_AS("off." #member, robot_top, off.member, kind, unit, __VA_ARGS__)

#define COST(member, meaning)                                                                      \
  COLUMN_AS("cost." #member "_s", robot_top, bounds.cost.member, AMOUNT, "s", meaning)

static const column top_columns[] = {
    COLUMN(robot_top, file, TEXT, "", "the model, as given"),
    COLUMN(robot_top, pose, TEXT, "",
           "that starts are made of: qpos, keyframe 0, init_qpos or qpos0"),
    COLUMN_AS("positions", robot_top, sizes.nq, COUNT, "", "nq"),
    COLUMN_AS("velocities", robot_top, sizes.nv, COUNT, "", "nv"),
    COLUMN_AS("activations", robot_top, sizes.na, COUNT, "", "na"),
    COLUMN_AS("actuators", robot_top, sizes.nu, COUNT, "", "nu"),
    COLUMN_AS("bodies", robot_top, sizes.bodies, COUNT, "", "the world among them"),
    COLUMN_AS("events", robot_top, sizes.events, COUNT, "", "event functions"),
    COLUMN_AS("time_step", robot_top, sizes.time_step, AMOUNT, "s", "the model's own"),
    COLUMN_AS("integrator", robot_top, sizes.integrator, TEXT, "", "the model's own"),
    COLUMN(robot_top, twin_gap, AMOUNT, "",
           "of a twin: RMS difference of its field from MuJoCo's, over the field's RMS"),
    COLUMN(robot_top, twin_text_gap, AMOUNT, "",
           "the same from the twin's own text, whose contacts have an added mass"),
    COLUMN(robot_top, broken, AMOUNT, "",
           "the most by which the first start, as its pose, breaks an equality: m, rad, or a "
           "tendon's length"),
    COLUMN(robot_top, growth, AMOUNT, "",
           "of a disturbance of 1e-8 of the velocities, at most, by MuJoCo's steps; median"),
    COLUMN(robot_top, reached, COUNT, "", "starts whose reference reaches the end"),
    ABOUT(until, AMOUNT, "s", "what the reference of every start reaches"),
    ABOUT(status, TEXT, "", "success, or why the shortest reference ends there"),
    ABOUT(contact, TEXT, "", "where that happens"),
    ABOUT(size, AMOUNT, "",
          "of its states: root mean square over positions and velocities and the output times; "
          "median"),
    ABOUT(estimate, AMOUNT, "",
          "of its error: the larger of the two below, start by start; median over the starts"),
    ABOUT(estimate_worst, AMOUNT, "", "of all starts"),
    ABOUT(bodies_estimate, AMOUNT, "m", "likewise, of the bodies' origins; median"),
    ABOUT(hinges_estimate, AMOUNT, "rad", "likewise, of the hinges' angles; median"),
    ABOUT(tolerances_apart, AMOUNT, "", "from libess at ten times its tolerance; median"),
    ABOUT(mujoco_apart, AMOUNT, "",
          "from mj_step at its smallest steps, two of them extrapolated where that is nearer; "
          "median"),
    ABOUT(
        check_step, AMOUNT, "s",
        "the smallest of those, by RK4: --check-step, or what --budget lets it be; the largest of "
        "the starts"),
    ABOUT(jumps, AMOUNT, "",
          "jumps of the points of followed contacts, of which no event function tells; median"),
    ABOUT(refused, AMOUNT, "",
          "share of its steps that were tried in vain, there and elsewhere; median"),
    OFF(base, AMOUNT, "m",
        "how far the base of the first start is off at most, along one axis, by the model's own "
        "step; not known where nothing floats or is off"),
    OFF(axis, TEXT, "", "that axis"),
    OFF(name, TEXT, "", "of the joint that is off the most"),
    OFF(joint, AMOUNT, "", "how far that is, at most, in the unit that follows"),
    OFF(unit, TEXT, "", "m or rad"),
    OFF(from, AMOUNT, "s", "when its error is a tenth of its largest"),
    OFF(after, TEXT, "", "the last touch-down before"),
    OFF(after_time, AMOUNT, "s", "its time"),
    COST(field, "a call of the field at a new state: the four that follow, along the first start"),
    COST(kinematics, "poses of bodies, lengths of tendons"),
    COST(inertia, "its factors, and transmissions"),
    COST(rows, "of contacts and limits that act"),
    COST(forces, "velocities, actuators, and the search for the rows' forces"),
    COST(guards, "event functions, at a state not seen before"),
    COST(rates, "their rates, after the field"),
    COST(step, "mj_step by Euler, along the same states"),
    COLUMN_AS("cost.acting", robot_top, bounds.cost.acting, AMOUNT, "",
              "contacts and limits that act there, the mean"),
    COLUMN_AS("stiffness.spectral_radius", robot_top, bounds.radius, AMOUNT, "1/s",
              "of the field's Jacobian there, the mean"),
    COLUMN_AS("stiffness.evaluations", robot_top, bounds.evaluations, AMOUNT, "1/s",
              "that dopri5 takes in a second where stability alone sets its steps"),
    {0},
};

/* ---- the study --------------------------------------------------------------------------------
 */

const study robot_study = {
    .name = "robot",
    .summary = "how wrong MuJoCo's trajectory of an MJCF is by its time step; a right one's cost",
    .example = "essbench robot ant.xml --starts 3",
    .file = "robot",
    .schema = "essbench-robot-1",
    .operand = "FILE",
    .own_models = true,
    .printable = true,
    .pinned = true,
    .processes = 1,
    .table = "show what is known, also of a start under way; measure nothing",
    .cells = "starts",
    .options = options,
    .words = words,
    .settings_size = sizeof(robot_settings),
    .cell_size = sizeof(size_t),
    .tables =
        {
            [ROBOT_SAMPLES] = STUDY_ROWS(robot_sample, .meaning = "one run of one start"),
            [ROBOT_TOP] = STUDY_TABLE(top_columns, robot_top, .json = "",
                                      .meaning = "the model, and its reference"),
            [ROBOT_FINDINGS] =
                STUDY_ROWS(robot_finding_row, .json = "survey",
                           .meaning = "what switches in the model, and what is made of it"),
            [ROBOT_MUJOCO_ROWS] =
                STUDY_ROWS(robot_mujoco_row, .json = "mujoco", .csv = "robot_mujoco.csv",
                           .meaning = "one integrator at one time step"),
            [ROBOT_LIBESS_ROWS] =
                STUDY_ROWS(robot_libess_row, .json = "libess", .csv = "robot_libess.csv",
                           .meaning = "one base and tolerance of libess"),
            [ROBOT_PLAIN_ROWS] = STUDY_ROWS(
                robot_libess_row, .json = "plain", .csv = "robot_plain.csv",
                .meaning = "one base and tolerance of libess on MuJoCo's field, without guards"),
            [ROBOT_ORDERS] = STUDY_ROWS(robot_order_row, .json = "orders",
                                        .meaning = "one of MuJoCo's integrators"),
            [ROBOT_REACH] = STUDY_ROWS(robot_reach_row, .json = "reach", .csv = "robot_reach.csv",
                                       .meaning = "an error that is asked for"),
            [ROBOT_HELD_OUT] = STUDY_ROWS(
                robot_held_out, .csv = "robot_held_out.csv",
                .meaning = "an error that is asked for, at a start that no setting is chosen by"),
            [ROBOT_TOUCHDOWNS] =
                STUDY_ROWS(robot_touchdown_row, .json = "touchdowns", .csv = "robot_touchdowns.csv",
                           .meaning = "a touch-down"),
            [ROBOT_ERRORS] = STUDY_ROWS(robot_time_row, .csv = "robot_errors.csv",
                                        .meaning = "one run of the first start at one time"),
            [ROBOT_PATHS] = STUDY_ROWS(robot_path_row, .csv = "robot_paths.csv",
                                       .meaning = "one state of the first start at one time"),
        },
    .check = check,
    .plan = plan,
    .run = robot_measure,
    .derive = robot_derive,
    .show = robot_show,
    .show_table = robot_show_runs,
    .show_part = robot_show_part,
    .release = robot_case_close,
};
