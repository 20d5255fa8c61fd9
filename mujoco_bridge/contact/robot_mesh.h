/*
 * Private to the bridge: meshes, of which MuJoCo collides the convex hull.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_MESH_H
#define ROBOT_MESH_H

#include <mujoco/mujoco.h>
#include <stdbool.h>

/* Whether a mesh is its own hull, up to dents of a thousandth of its size; true where MuJoCo has
 * made no hull of it. */
bool robot_mesh_is_convex(const mjModel *m, int mesh);

#endif
