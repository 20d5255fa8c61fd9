/*
 * Which meshes are their own convex hull.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_mesh.h"

#include <math.h>

/* a dent is none where it is less deep, of the mesh's size */
static const double flat = 1e-3;

typedef struct hull {
  const float *vertex; /* of the mesh */
  const int *on;       /* numbers of vertices that are the hull's */
  int count;
} hull;

/* MuJoCo's graph has the number of vertices and of faces, and the vertices behind the edges' places
 */
static hull hull_of(const mjModel *m, int mesh) {
  const int *const graph = m->mesh_graph + m->mesh_graphadr[mesh];
  return (hull){m->mesh_vert + 3 * (size_t)m->mesh_vertadr[mesh], graph + 2 + graph[0], graph[0]};
}

static void corner(const hull *h, int vertex, double out[3]) {
  for (int i = 0; i < 3; ++i) out[i] = h->vertex[3 * (size_t)vertex + (size_t)i];
}

static double size_of(const hull *h) {
  double first[3], other[3], most = 0.0;
  corner(h, h->on[0], first);
  for (int i = 1; i < h->count; ++i) {
    corner(h, h->on[i], other);
    most = fmax(most, mju_dist3(first, other));
  }
  return most;
}

/* whether the hull goes on for more than that on both sides of a face */
static bool is_cut(const hull *h, const int face[3], double deep) {
  double at[3][3], edge[2][3], normal[3], from[3], above = 0.0, below = 0.0;
  for (int i = 0; i < 3; ++i) corner(h, face[i], at[i]);
  for (int i = 0; i < 2; ++i) mju_sub3(edge[i], at[i + 1], at[0]);
  mju_cross(normal, edge[0], edge[1]);
  // a splinter has no direction
  if (mju_normalize3(normal) < deep * deep) return false;
  for (int i = 0; i < h->count; ++i) {
    corner(h, h->on[i], from);
    mju_subFrom3(from, at[0]);
    above = fmax(above, mju_dot3(from, normal));
    below = fmax(below, -mju_dot3(from, normal));
  }
  return above > deep && below > deep;
}

bool robot_mesh_is_convex(const mjModel *m, int mesh) {
  if (m->mesh_graphadr[mesh] < 0) return true;
  const hull h = hull_of(m, mesh);
  const double deep = flat * size_of(&h);
  const int *const face = m->mesh_face + 3 * (size_t)m->mesh_faceadr[mesh];
  for (int i = 0; i < m->mesh_facenum[mesh]; ++i)
    if (is_cut(&h, face + 3 * (size_t)i, deep)) return false;
  return true;
}
