/*
 * A second, independent integration of the plate: its equations written again from DESIGN's
 * formulas one contact at a time, integrated by GSL's rk8pd, and every sign change of every
 * contact's penetration and force located by Brent's method on re-integrated steps. Shares no code
 * with libess and none with models/.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ORACLE_PLATE_H
#define ORACLE_PLATE_H

#include <stdbool.h>
#include <stddef.h>

enum { ORACLE_PLATE_DIMENSION = 6, ORACLE_PLATE_CONTACTS_MAX = 200 };

/* SI units; stiffness and damping of one spring. */
typedef struct oracle_plate {
  size_t contacts;
  bool paper; /* the paper's law, else rollers */
  double mass, inertia, gravity, stiffness, damping, free_length, radius, half_width;
} oracle_plate;

/* Forces' accelerations and each contact's event functions at a state y, with the signs given:
 * dydt[6] under the signs p_on, f_on; p[i], p_rate[i], f[i] (F/k), f_rate[i]. */
void oracle_plate_derivatives(const oracle_plate *o, const double y[], const bool p_on[],
                              const bool f_on[], double dydt[]);
void oracle_plate_contact(const oracle_plate *o, size_t i, const double y[], const double dydt[],
                          double *p, double *p_rate, double *f, double *f_rate);

/*
 * States at times[count] (ascending, from the start's time) into states[count*6], with integration
 * steps of at most `longest`, and the number of crossings that changed the forces. 0, or -1 when a
 * step's own error estimate exceeds 1e-12, GSL fails, or contacts exceed ORACLE_PLATE_CONTACTS_MAX.
 */
int oracle_plate_integrate(const oracle_plate *o, const double y0[], const double times[],
                           size_t count, double longest, double states[], size_t *events);

#endif
