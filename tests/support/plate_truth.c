/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plate_truth.h"

#include <stdlib.h>
#include <string.h>

/* Penetrations are A - X B, for a spring at X, and their derivatives by the tilt C - X E; those by
 * x and z are gx and gz, alike for all. */
static const char ROLLER[] =
    "a = (%.17g - z); A = %.17g + x*s + a*c; B = s; C = (x*c - a*s); E = c\n"
    "gx = s; gz = (-c)\n",
                  PAPER[] =
                      "A = %.17g + x*B - z; B = (s/c); C = x*E; E = (1/c^2); gx = B; gz = (-1)\n";

hybrid *plate_of(const plate_text *p, const double x0[]) {
  const size_t n = p->contacts;
  hybrid *const h = hybrid_of("x' = u; z' = w; q' = o; s = sin(q); c = cos(q)\n"
                              "from 0: x = %.17g, z = %.17g, q = %.17g, u = %.17g, w = %.17g, "
                              "o = %.17g",
                              x0[0], x0[1], x0[2], x0[3], x0[4], x0[5]);
  if (p->paper)
    hybrid_add(h, PAPER, p->free_length);
  else
    hybrid_add(h, ROLLER, p->free_length - p->radius, p->radius);
  for (size_t i = 0; i < n; i++)
    hybrid_add(h, "X%zu = %.17g", i,
               n > 1 ? p->half_width * (2.0 * (double)i / (double)(n - 1) - 1.0) : 0.0);
  hybrid_add(h, "each %zu: p@: A - X@*B", n);
  // the force over k, and the force
  hybrid_add(h,
             "D = (A + %.17g*(gx*u + gz*w + C*o)); G = (B + %.17g*E*o); each %zu: F@ = (D - X@*G)",
             p->damping / p->stiffness, p->damping / p->stiffness, n);
  if (p->damping > 0.0) hybrid_add(h, "each %zu: f@: F@", n);
  hybrid_add(h, "each %zu: P@ = %.17g*on(p@)%s*F@; push = sum(%zu: P@)", n, p->stiffness,
             p->damping > 0.0 ? "*on(f@)" : "", n);
  hybrid_add(h,
             "u' = -gx*push/%.17g; w' = -%.17g - gz*push/%.17g\n"
             "o' = (E*sum(%zu: X@*P@) - C*push)/%.17g",
             p->mass, p->gravity, p->mass, n, p->inertia);
  return h;
}

/* the sides of all event functions, and the crossings that changed the forces */
typedef struct sides {
  size_t contacts, count, events;
  bool on[HYBRID_EVENTS];
} sides;

static void note(const hybrid_record *r, void *context) {
  sides *const s = context;
  const size_t k = r->guard, n = s->contacts;
  s->on[k] = r->direction > 0;
  s->events += s->count == n || s->on[k < n ? k + n : k - n];
}

truth_status plate_truth(const plate_text *p, const double x0[], const double times[], size_t count,
                         double states[], size_t *events) {
  hybrid *const h = plate_of(p, x0);
  double values[HYBRID_EVENTS];
  sides of = {.contacts = p->contacts};
  const ess_system system = hybrid_system(h, HYBRID_GIVES_NONE);
  of.count = h->m;
  system.event_functions(0.0, x0, values, h);
  for (size_t k = 0; k < h->m; k++) of.on[k] = values[k] > 0.0;
  const truth_options options = {.margin = -1.0,
                                 .times = times,
                                 .time_count = count,
                                 .t1 = times[count - 1],
                                 .note = note,
                                 .context = &of};
  const truth_end end = truth_run(h, &options);
  if (!end.status) memcpy(states, end.states, count * h->n * sizeof *states);
  free(end.states);
  *events = of.events;
  hybrid_free(h);
  return end.status;
}
