/*
 * MuJoCo itself says which geoms may touch: it collides a copy of the model in which every geom but
 * planes is a sphere and every gap is wider than the world, and so lists each pair once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_status.h"
#include "robot_distance.h"
#include "robot_without.h"

/* the copy, which shares what it does not change */
typedef struct listing {
  mjModel model;
  mjData *data;
} listing;

static bool masks_meet(const mjModel *m, int a, int b) {
  return (m->geom_contype[a] & m->geom_conaffinity[b]) ||
         (m->geom_contype[b] & m->geom_conaffinity[a]);
}

/* no fewer than MuJoCo will list, counted up to just above the most that are accepted */
static size_t count_at_most(const mjModel *m) {
  size_t count = (size_t)m->npair;
  for (int a = 0; a < (int)m->ngeom; ++a)
    for (int b = a + 1; b < (int)m->ngeom && count <= ROBOT_PAIRS_MAX; ++b)
      count += masks_meet(m, a, b) &&
               m->body_weldid[m->geom_bodyid[a]] != m->body_weldid[m->geom_bodyid[b]];
  return count;
}

static void free_listing(listing *l) {
  if (l->data) mj_deleteData(l->data);
  free(l->model.geom_type);
  free(l->model.geom_gap);
  free(l->model.pair_gap);
}

/* everything is within each other's reach */
static const double wide = 1e9;

/* MuJoCo takes the option's margin, and no gap, of all pairs */
static bool is_overridden(const mjModel *m) {
  return m->opt.enableflags & mjENBL_OVERRIDE;
}

static bool widen(listing *l, const mjModel *m, size_t pairs) {
  const size_t geoms = (size_t)m->ngeom, given = (size_t)m->npair;
  l->model = *m;
  l->model.geom_type = malloc((geoms + 1) * sizeof *m->geom_type);
  l->model.geom_gap = malloc((geoms + 1) * sizeof *m->geom_gap);
  l->model.pair_gap = malloc((given + 1) * sizeof *m->pair_gap);
  if (!l->model.geom_type || !l->model.geom_gap || !l->model.pair_gap) return false;
  for (size_t i = 0; i < geoms; ++i) {
    l->model.geom_type[i] = m->geom_type[i] == mjGEOM_PLANE ? mjGEOM_PLANE : mjGEOM_SPHERE;
    l->model.geom_gap[i] = wide;
  }
  for (size_t i = 0; i < given; ++i) l->model.pair_gap[i] = wide;
  if (is_overridden(m)) l->model.opt.o_margin = wide;
  l->model.opt.disableflags |= mjDSBL_MIDPHASE;
  l->model.opt.enableflags &= ~mjENBL_SLEEP;

  // room for the contacts and for what finds them
  const size_t bodies = (size_t)m->nbody;
  l->model.narena += (mjtSize)(pairs * 4 * sizeof(mjContact) + 64 * bodies * bodies);
  return true;
}

static void list_all(void *context) {
  listing *l = context;
  l->data = mj_makeData(&l->model);
  mj_kinematics(&l->model, l->data);
  mj_comPos(&l->model, l->data);
  mj_collision(&l->model, l->data);
}

/* MuJoCo puts the lower type first, and spheres as they come */
static robot_pair pair_of(const mjModel *m, const mjContact *contact) {
  const int a = contact->geom[0], b = contact->geom[1];
  const bool turn = m->geom_type[a] > m->geom_type[b];
  robot_pair p = {
      .geom = {turn ? b : a, turn ? a : b}, .margin = contact->includemargin, .pattern = *contact};
  p.parts = robot_distance_points(m->geom_type[p.geom[0]], m->geom_type[p.geom[1]]);
  p.pattern.geom[0] = p.pattern.geom1 = p.geom[0];
  p.pattern.geom[1] = p.pattern.geom2 = p.geom[1];
  p.pattern.exclude = 0;
  if (is_overridden(m)) p.margin = p.pattern.includemargin = m->opt.o_margin;
  return p;
}

/* `ruled` or not */
static void take(robot_shared *shared, const listing *l, bool ruled) {
  const mjModel *m = shared->model;
  for (int i = 0; i < l->data->ncon; ++i) {
    const robot_pair p = pair_of(m, &l->data->contact[i]);
    if (robot_without_margin(p.margin)) continue;
    if (!robot_distance_collide(m->geom_type[p.geom[0]], m->geom_type[p.geom[1]])) continue;
    if ((p.parts > 0) == ruled) shared->pairs[shared->pair_count++] = p;
  }
}

/* ---- rods that are always parallel ----------------------------------------------------------- */

static bool are_capsules(const mjModel *m, const robot_pair *p) {
  return m->geom_type[p->geom[0]] == mjGEOM_CAPSULE && m->geom_type[p->geom[1]] == mjGEOM_CAPSULE;
}

/* what to look for, and where */
typedef struct looking {
  robot_shared *shared;
  listing *l;
} looking;

/* any pose at all, which needs no generator */
static void scatter(const listing *l, int round) {
  for (int i = 0; i < (int)l->model.nq; ++i)
    l->data->qpos[i] = l->model.qpos0[i] + sin(1.0 + 12.9898 * (i + 1) * (round + 1.7));
  mj_kinematics(&l->model, l->data);
}

/*
 * MuJoCo gives parallel capsules two points. Where no motion turns them against each other, as a
 * planar robot's that lie across its plane, they have these two always.
 */
static void find_parallel(void *context) {
  enum { ROUNDS = 6 };
  const looking *k = context;
  robot_shared *const s = k->shared;
  for (size_t i = 0; i < s->ruled_pairs; ++i)
    if (are_capsules(s->model, &s->pairs[i])) s->pairs[i].parts = 2;
  for (int round = 0; round < ROUNDS; ++round) {
    scatter(k->l, round);
    for (size_t i = 0; i < s->ruled_pairs; ++i)
      if (are_capsules(s->model, &s->pairs[i]) &&
          !robot_distance_parallel(k->l->data, s->pairs[i].geom))
        s->pairs[i].parts = 1;
  }
}

int robot_pairs_find(robot_shared *shared, char message[ROBOT_MESSAGE_SIZE]) {
  const mjModel *m = shared->model;
  const size_t pairs = count_at_most(m);
  listing l = {0};
  bridge_complaint complaint = {.text = "out of memory"};
  if (m->opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) return 0;
  if (pairs > ROBOT_PAIRS_MAX) {
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "more than %d pairs of its geoms may touch; exclude some by contype and "
             "conaffinity",
             ROBOT_PAIRS_MAX);
    return BRIDGE_FAILED;
  }
  bool good = widen(&l, m, pairs) && bridge_guarded(list_all, &l, &complaint);
  if (good) {
    shared->pairs = calloc((size_t)l.data->ncon + 1, sizeof *shared->pairs);
    good = shared->pairs != NULL;
  }
  if (good) {
    take(shared, &l, true);
    shared->ruled_pairs = shared->pair_count;
    take(shared, &l, false);
    good = bridge_guarded(find_parallel, &(looking){shared, &l}, &complaint);
  }
  if (!good)
    snprintf(message, ROBOT_MESSAGE_SIZE, "its contacts cannot be listed: %s", complaint.text);
  free_listing(&l);
  return good ? 0 : BRIDGE_FAILED;
}
