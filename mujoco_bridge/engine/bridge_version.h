/*
 * Private to the bridge: everything in which MuJoCo's versions differ.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BRIDGE_VERSION_H
#define BRIDGE_VERSION_H

#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stddef.h>

/* 0 when header and library are of one release, or -1 with one line. */
int bridge_version_check(char *message, size_t size);

/* Compiles MJCF from memory, with `files` as room to work in: megabytes in some versions, a pointer
 * in others, the caller's because an error of MuJoCo's leaves by a jump. NULL, and MuJoCo's own
 * words in `error`, on failure. */
mjModel *bridge_version_load(mjVFS *files, const char *text, char *error, int size);

/* Integrators this MuJoCo has, separated by ", ". */
const char *bridge_version_integrators(void);
bool bridge_version_has_integrator(const char *name);

/* Leaves out work no scene of ours needs and that the text cannot name in every version; forces of
 * springs stay where there are any, or a callback adds them (`passive`), and dampers of joints
 * unless it is the callback (`bare`), to which no geoms are left to fall asleep. Before
 * mj_makeData. */
void bridge_version_lean(mjModel *m, bool passive, bool bare);

/* MuJoCo's flags by its own names, as features: on means not disabled, or enabled. Before
 * mj_makeData. */
bool bridge_version_has_flag(const char *name);
void bridge_version_flag(mjModel *m, const char *name, bool on);

/* The line search of the constraint solver: "ls_iterations" or "ls_tolerance". False where this
 * version has no such option. */
bool bridge_version_line_search(mjModel *m, const char *name, double value);

/* MuJoCo's text for a kind of warning d has counted. */
const char *bridge_version_warning(const mjData *d, int kind);

/* Actuators: one has several controls from 3.11 on. */
size_t bridge_version_actuators(const mjModel *m);

/* Whether actuator i limits its own rate by the time step. */
bool bridge_version_limits_rate(const mjModel *m, int i);

/* Why a model is no field of its state, by what some versions alone have; or NULL. */
const char *bridge_version_no_field(const mjModel *m);

/* Whether surfaces of geoms move against their bodies; and, of a contact, by how much in its frame.
 * From 4.0 on: before, contacts do not say it, and such a model is no field. */
bool bridge_version_surfaces_move(const mjModel *m);
void bridge_version_set_surface(mjContact *contact, const double velocity[3]);

/* Six numbers of a geom: how its surface moves and turns. */
const double *bridge_version_surface(const mjModel *m, int geom);

/* Before 3.2.7 the depth of a sphere in a box is at most the sphere's radius. */
enum { BRIDGE_DEPTH_IS_LIMITED = mjVERSION_HEADER < 327 };

/* Whether a contact at d's present position is too deep for this version to measure. */
bool bridge_version_too_deep(const mjModel *m, const mjData *d);

#endif
