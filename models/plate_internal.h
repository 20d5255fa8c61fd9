/*
 * The plate's own data and the duties its files share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_PLATE_INTERNAL_H
#define MODEL_PLATE_INTERNAL_H

#include <stdint.h>

#include "plate.h"

enum { PLATE_X, PLATE_Z, PLATE_THETA, PLATE_VX, PLATE_VZ, PLATE_OMEGA, PLATE_DIMENSION };

/* A prepared plate: what model.data and system.params point to. */
/* contacts that the field sums at a time */
enum { PLATE_LANES = 4 };

typedef struct plate_data {
  plate_parameters parameters;
  double *spring_x; /* [contacts], and zeros to fill the last lanes */

  /*
   * Sums over the contacts that act, for the aggregated field. Spring i stands at
   * unit*(2i - (N-1)): sums of those whole numbers, and of their squares, are exact, however often
   * they change. Steps through crossings give contacts weights that are neither 0 nor 1, for as
   * long as a call takes: those are summed by themselves, from 0 each time.
   */
  double unit;
  int64_t active_count, active_sum, active_squares;
  size_t partly; /* how many have such weights */
  double partly_count, partly_sum, partly_squares;
  double *weight; /* [contacts] */

  ess_reset_matrix resets; /* with damping */
  ess_guard_kind *kinds;   /* likewise; else NULL */
} plate_data;

/* system.field in its two forms, and system.mode_changed of the aggregated one. */
int plate_field_contacts(double t, const double x[], const double sign[], double dxdt[],
                         void *params);
int plate_field_aggregated(double t, const double x[], const double sign[], double dxdt[],
                           void *params);
int plate_field_jacobian(double t, const double x[], const double sign[], double J[], void *params);
int plate_field_by_state(const model *m, const double x[], double dxdt[]);
int plate_contact_force(const model *m, const double x[], double force[]);
int plate_field_mode_changed(const double sign[], size_t guard, void *params);

/* The other callbacks of system. */
int plate_event_functions(double t, const double x[], double h[], void *params);
int plate_guards_jacobian(double t, const double x[], double Dh[], void *params);
int plate_event_rates(double t, const double x[], double vt, const double v[], const size_t which[],
                      size_t count, double h[], double rate[], void *params);

/* model_type.active_contacts and penetrations */
void plate_active_contacts(const model *m, const double x[], unsigned char active[]);
void plate_penetrations(const model *m, const double x[], double p[], double gradient[]);

/* The damped plate's reset matrix, into data->resets; 0, or -1 when out of memory. */
int plate_resets_prepare(plate_data *data);
int plate_resets_start(double t, const double x[], double sign[], bool armed[], void *params);
void plate_resets_release(plate_data *data);

/* model_type.reference */
int plate_reference(const model *m, const double x0[], model_reference *out,
                    char message[MODEL_MESSAGE_SIZE]);

#endif
