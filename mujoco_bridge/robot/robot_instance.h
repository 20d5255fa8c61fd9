/*
 * Private to the bridge: what a robot holds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_INSTANCE_H
#define ROBOT_INSTANCE_H

#include <mujoco/mujoco.h>
#include <stdatomic.h>

#include "robot.h"
#include "robot_distance.h"

/* Two geoms whose contacts have smooth distances, or are followed or watched as they have none. */
typedef struct robot_pair {
  int geom[2];       /* in the order MuJoCo's contact has them */
  size_t parts;      /* points that may touch, an event function each; 0: no rule, and one event */
  double margin;     /* includemargin */
  mjContact pattern; /* what mj_collision would say of such a contact, but for where it is */
} robot_pair;

typedef enum robot_event_of {
  ROBOT_OF_PAIR,   /* a point of a pair with a rule */
  ROBOT_OF_JOINT,  /* a limit */
  ROBOT_OF_TENDON, /* a limit */
  ROBOT_OF_WATCH,  /* a pair without a rule: it is followed, or the field fails where it acts */
  ROBOT_OF_FORCE   /* of a twin: the force at a point of a pair with a rule */
} robot_event_of;

/* Event functions: pairs first, then joints, then tendons, as MuJoCo orders its rows; then those
 * watched; then, of a twin, the forces of all pairs' points, in their order. */
typedef struct robot_event {
  robot_event_of of;
  int object; /* pair, joint or tendon */
  int part;   /* of a pair or force: the point; of a limit: -1 lower, 1 upper */
  int fixed;  /* its sign, where no motion changes its distance; else 0 */
  char name[ROBOT_NAME_SIZE];
} robot_event;

/* What all clones share, and nobody writes after robot_open. */
typedef struct robot_shared {
  atomic_size_t owners;
  mjModel *model; /* as compiled */
  robot_pair *pairs;
  size_t pair_count, ruled_pairs; /* those with a rule come first */
  robot_event *events;
  bool *distances; /* [event_count]: those of contacts, as ess_system has it */
  size_t event_count, contact_events, row_events; /* those of pairs; and of all that make rows */
  size_t force_events;                            /* those before the forces */
  int *placed; /* geoms whose places are all that event functions are of; NULL: they are of more */
  size_t placed_count;
  size_t *row_start, *row_guard; /* of a twin: what crossings arm, as ess_reset_matrix has it */
  signed char *row_effect;
  double stiffness, damping;       /* of a twin's contacts; 0: they are MuJoCo's own */
  size_t left_out;                 /* pairs that --without has taken away */
  char *twin_text;                 /* the twin as an MJCF; NULL: it is none */
  char pose[ROBOT_NAME_SIZE + 16]; /* "keyframe NAME", where one is chosen; else "" */
  char unfit[ROBOT_MESSAGE_SIZE];  /* why the model is no field of its state; "": it is one */
  robot_finding *findings;
  size_t finding_count;
} robot_shared;

/* What mjData holds, and so need not be computed again. */
typedef struct robot_stage {
  bool places;                     /* of data->qpos, of what robot_places finds alone */
  bool poses, kinematics, inertia; /* of data->qpos; poses are kinematics without axes of joints */
  bool constraints;                /* of data->qpos, and of `acting` */
  bool velocities;                 /* of bodies, of data->qpos and data->qvel */
} robot_stage;

/* A matrix by the pattern of MuJoCo's inertia, at some positions. */
typedef struct robot_matrix {
  bool is_known;
  double *q, *value; /* [nq], [nC] */
} robot_matrix;

struct robot {
  robot_shared *shared;

  /* The field's model: the compiled one's arrays, but options and ranges of limits of its own. */
  mjModel model;
  mjData *data;
  double *joint_range, *tendon_range;
  robot_stage stage;
  bool has_world;              /* data has where the world's own geoms are, as MuJoCo puts them */
  double *acting;              /* [events], the latched signs that the constraints are of */
  int *contact_end;            /* [events], of these: how many contacts there were after each */
  double *speed;               /* [nv] */
  double *shifted;             /* [dimension], and [2 * events] behind it: room for differences */
  double *along, *change;      /* [6 * bodies], robot_twist's */
  double *load;                /* [6 * bodies], a twin's forces on them */
  robot_touch *touch;          /* [contact_events], where points are by data->qpos */
  bool *touch_known;           /* [contact_events], those that are there */
  double *held;                /* [nu], controls over a reset */
  robot_matrix last, node;     /* M of the last field, and of the node that the factors are of */
  robot_matrix damping;        /* D, where positions were near those of the node */
  double *springs, *added;     /* K and A there */
  double *mass;                /* M + A */
  double *damped_sign;         /* [events], those that these are of */
  double *factors;             /* of M + A + c D + c^2 K */
  double factored;             /* that c; NAN where there are none */
  double *arrow;               /* [3 * nv + 1], a contact's Jacobian, or a product, in fours */
  struct robot_forces *forces; /* robot_forces.c */
  ess_reset_matrix resets;     /* a twin's */
  ess_system system;
  char failure[ROBOT_MESSAGE_SIZE];
};

/* robot_open.c: the search for constraints' forces goes on to rounding. */
void robot_solve_exactly(mjOption *o);

/* robot_open.c: no sensor is computed. None acts on the motion, and a file may have so many that
 * they are most of a step's time; whoever is timed against another goes without them. */
void robot_leave_sensors(mjOption *o);

#endif
