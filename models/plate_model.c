/*
 * The plate as a model: a rigid plate in the plane falling on a bed of springs (section 5.2 of
 * Anderson & Revzen, 2024); parameters and starts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plate.h"

#include <stdio.h>
#include <stdlib.h>

#include "plate_internal.h"

enum {
  CONTACTS,
  LAW,
  FIELD,
  STIFFNESS,
  DAMPING,
  PER_SPRING,
  MASS,
  INERTIA,
  GRAVITY,
  FREE_LENGTH,
  RADIUS,
  HALF_WIDTH,
  HEIGHT,
  TILT,
  SHIFT,
  DURATION,
  PARAMETER_COUNT
};

static const char *const laws[] = {[PLATE_ROLLER] = "roller", [PLATE_PAPER] = "paper", NULL};
static const char *const fields[] = {
    [PLATE_FIELD_CONTACTS] = "contacts", [PLATE_FIELD_AGGREGATED] = "aggregated", NULL};
static const char *const no_yes[] = {"no", "yes", NULL};

static const model_parameter parameters[PARAMETER_COUNT] = {
    [CONTACTS] = {"contacts", 10, 1, 100000, true, NULL, "number of springs"},
    [LAW] = {"law", PLATE_ROLLER, 0, 1, true, laws, "contact law"},
    [FIELD] =
        {"field", PLATE_FIELD_CONTACTS, 0, 1, true, fields,
         "evaluation of the forces: contact by contact, or from sums over the active contacts"},
    [STIFFNESS] = {"stiffness", 8000, 1e-3, 1e12, false, NULL, "stiffness of all springs, N/m"},
    [DAMPING] = {"damping", 60, 0, 1e9, false, NULL, "damping of all springs, N s/m"},
    [PER_SPRING] = {"per-spring", 0, 0, 1, true, no_yes,
                    "whether stiffness and damping are those of one spring"},
    [MASS] = {"mass", 10, 1e-3, 1e6, false, NULL, "mass of the plate, kg"},
    [INERTIA] = {"inertia", 10, 1e-3, 1e6, false, NULL, "moment of inertia, kg m^2"},
    [GRAVITY] = {"gravity", 9.81, 0, 1000, false, NULL, "gravity, m/s^2"},
    [FREE_LENGTH] = {"free-length", 1, 0, 100, false, NULL, "free length of the springs, m"},
    [RADIUS] = {"radius", 0.5, 0, 100, false, NULL, "radius of the rollers (law roller), m"},
    [HALF_WIDTH] = {"half-width", 1, 0, 100, false, NULL,
                    "half of the width over which springs are spaced, m"},
    [HEIGHT] = {"height", 2.5, -100, 100, false, NULL, "initial height, m"},
    [TILT] = {"tilt", 0.05, -1.5, 1.5, false, NULL, "initial tilt, rad"},
    [SHIFT] = {"shift", 0, -100, 100, false, NULL, "initial horizontal position, m"},
    [DURATION] = {"duration", 2, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

static const char *const state_names[PLATE_DIMENSION] = {"x", "z", "theta", "vx", "vz", "omega"};

const plate_parameters *plate_get(const model *m) {
  const plate_data *data = m->data;
  return &data->parameters;
}

double plate_spring_x(const plate_parameters *p, size_t i) {
  if (p->contacts < 2) return 0;
  const double last = (double)(p->contacts - 1);
  return p->half_width * (2 * (double)i - last) / last;
}

static plate_parameters read_parameters(const double value[]) {
  const size_t contacts = (size_t)value[CONTACTS];
  const double share = value[PER_SPRING] > 0 ? 1 : (double)contacts;
  const plate_law law = value[LAW] > 0 ? PLATE_PAPER : PLATE_ROLLER;
  return (plate_parameters){
      .contacts = contacts,
      .law = law,
      .field = value[FIELD] > 0 ? PLATE_FIELD_AGGREGATED : PLATE_FIELD_CONTACTS,
      .mass = value[MASS],
      .inertia = value[INERTIA],
      .gravity = value[GRAVITY],
      .stiffness = value[STIFFNESS] / share,
      .damping = value[DAMPING] / share,
      .free_length = value[FREE_LENGTH],
      .radius = law == PLATE_PAPER ? 0 : value[RADIUS],
      .half_width = value[HALF_WIDTH],
      .height = value[HEIGHT],
      .tilt = value[TILT],
      .shift = value[SHIFT],
  };
}

static ess_system system_of(plate_data *data) {
  const plate_parameters *q = &data->parameters;
  ess_system system = {.dimension = PLATE_DIMENSION,
                       .event_count = q->damping > 0 ? 2 * q->contacts : q->contacts,
                       .field = plate_field_contacts,
                       .field_jacobian = plate_field_jacobian,
                       .event_functions = plate_event_functions,
                       .event_jacobian = plate_guards_jacobian,
                       .event_rates = plate_event_rates,
                       .affine_in_signs = true,
                       .kinds = data->kinds,
                       .resets = q->damping > 0 ? &data->resets : NULL,
                       .start = q->damping > 0 ? plate_resets_start : NULL,
                       .params = data};
  if (q->field == PLATE_FIELD_AGGREGATED) {
    system.field = plate_field_aggregated;
    system.mode_changed = plate_field_mode_changed;
  }
  return system;
}

static void free_plate(plate_data *data) {
  if (!data) return;
  plate_resets_release(data);
  free(data->spring_x);
  free(data->weight);
  free(data);
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  const plate_parameters q = read_parameters(m->value);
  plate_data *new = calloc(1, sizeof *new);
  if (new) {
    new->parameters = q;
    new->unit = q.contacts > 1 ? q.half_width / (double)(q.contacts - 1) : 0;
    new->spring_x = calloc(q.contacts + PLATE_LANES, sizeof *new->spring_x);
    new->weight = calloc(q.contacts, sizeof *new->weight);
  }
  const bool damped = q.damping > 0;
  if (!new || !new->spring_x || !new->weight || (damped && plate_resets_prepare(new))) {
    free_plate(new);
    snprintf(message, MODEL_MESSAGE_SIZE, "plate: out of memory for %zu contacts", q.contacts);
    return -1;
  }
  for (size_t i = 0; i < q.contacts; i++) new->spring_x[i] = plate_spring_x(&q, i);
  m->data = new;
  m->system = system_of(new);
  return 0;
}

static void release(model *m) {
  free_plate(m->data);
}

static void initial_state(const model *m, double x0[]) {
  for (size_t i = 0; i < PLATE_DIMENSION; i++) x0[i] = 0;
  x0[PLATE_X] = m->value[SHIFT];
  x0[PLATE_Z] = m->value[HEIGHT];
  x0[PLATE_THETA] = m->value[TILT];
}

/* The paper's distribution (section 5.2): two draws, height first. */
static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  (void)m;
  for (size_t i = 0; i < PLATE_DIMENSION; i++) x0[i] = 0;
  x0[PLATE_Z] = 2 + gsl_rng_uniform(rng);
  x0[PLATE_THETA] = -0.1 + 0.2 * gsl_rng_uniform(rng);
}

static size_t contact_count(const model *m) {
  return plate_get(m)->contacts;
}

static void mechanics(const model *m, model_mechanics *out) {
  const plate_parameters *q = plate_get(m);
  *out = (model_mechanics){.coordinates = PLATE_DIMENSION / 2,
                           .contacts = q->contacts,
                           .inverse_mass = {1 / q->mass, 1 / q->mass, 1 / q->inertia},
                           .free_acceleration = {0, -q->gravity, 0},
                           .stiffness = q->stiffness,
                           .damping = q->damping};
}

/* With damping a crossing of one of a contact's two guards counts only while the other allows the
 * force. */
static bool changes_field(const model *m, size_t guard, const double sign[]) {
  const plate_parameters *q = plate_get(m);
  if (!(q->damping > 0)) return true;
  return sign[guard < q->contacts ? guard + q->contacts : guard - q->contacts] > 0;
}

const model_type plate_type = {
    .name = "plate",
    .summary = "a plate falling on a bed of springs (section 5.2)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = PLATE_DIMENSION,
    .state_names = state_names,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = plate_reference,
    .contact_count = contact_count,
    .active_contacts = plate_active_contacts,
    .mechanics = mechanics,
    .penetrations = plate_penetrations,
    .mode_of_state = true,
    .field_by_state = plate_field_by_state,
    .contact_force = plate_contact_force,
    .changes_field = changes_field,
};
