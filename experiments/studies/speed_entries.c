/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The systems of essbench speed, and who races on them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "solvers.h"
#include "speed.h"

const char speed_yardstick[] = "Euler-2ms", speed_yardstick_rk4[] = "RK4-2ms",
           speed_fixed[] = "fixed-tolerance";

const char *const speed_form_names[SPEED_FORMS] = {"contacts", "aggregated"};

/* what models have by default, and contacts of the plate with other springs */
static const double hopper_stiffness = 800.0, plate_stiffness = 8000.0, plate_damping = 60.0;
enum { STIFF_CONTACTS = 10 };

size_t speed_systems(const speed_settings *s) {
  return s->contacts.count + 2 + 2 * s->stiff.count + s->many.count;
}

speed_system speed_system_at(const speed_settings *s, size_t index) {
  const size_t last = s->contacts.count;
  const size_t other = index > last + 1 ? index - last - 2 : 0;
  if (other >= 2 * s->stiff.count && index > last + 1)
    return (speed_system){.model = "plate",
                          .contacts = (size_t)s->many.value[other - 2 * s->stiff.count],
                          .forms = SPEED_FORMS,
                          .damping = plate_damping,
                          .stiffness = plate_stiffness,
                          .in_errors = true};
  if (!index)
    return (speed_system){.model = "hopper",
                          .contacts = 1,
                          .forms = 1,
                          .damping = NAN,
                          .with_mujoco = true,
                          .in_errors = true,
                          .stiffness = hopper_stiffness};
  if (index > last + 1)
    return (speed_system){.model = other % 2 ? "plate" : "hopper",
                          .contacts = other % 2 ? STIFF_CONTACTS : 1,
                          .forms = other % 2 ? SPEED_FORMS : 1,
                          .damping = other % 2 ? plate_damping : NAN,
                          .stiffness = s->stiff.value[other / 2],
                          .with_mujoco = true,
                          .stiff = true};
  return (speed_system){.model = "plate",
                        .contacts = s->contacts.contacts[(index < last ? index : last) - 1],
                        .forms = SPEED_FORMS,
                        .damping = index > last ? 0.0 : plate_damping,
                        .stiffness = plate_stiffness,
                        .with_mujoco = true,
                        .in_errors = index <= last,
                        .largest = index == last,
                        .in_series = index <= last};
}

/* ---- entries --------------------------------------------------------------------------------- */

bool speed_is(const speed_sample *entry, speed_whose whose) {
  const solver_type *const solver = solver_find(entry->solver);
  const speed_whose is = solver == &libess_solver  ? SPEED_OURS
                         : solver_is_plain(solver) ? SPEED_PLAIN
                                                   : SPEED_MUJOCO;
  return is == whose;
}

speed_form speed_form_of(const speed_sample *entry) {
  return strcmp(entry->field, speed_form_names[SPEED_AGGREGATED]) == 0 ? SPEED_AGGREGATED
                                                                       : SPEED_CONTACTS;
}

solver_settings speed_settings_of(const speed_sample *entry) {
  solver_settings s = solver_settings_default();
  if (speed_is(entry, SPEED_MUJOCO)) s.variant = entry->variant;
  if (!isnan(entry->rtol)) s.rtol = s.atol = entry->rtol;
  if (!isnan(entry->time_step)) s.time_step = entry->time_step;
  return s;
}

size_t speed_entry_of(const speed_sample entry[], size_t count, const char *protocol,
                      speed_whose whose, const char *field) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(entry[i].protocol, protocol) == 0 && speed_is(&entry[i], whose) &&
        (whose == SPEED_MUJOCO || strcmp(entry[i].field, field) == 0))
      return i;
  return SIZE_MAX;
}

/* those that the choice of a system gave */
static size_t chosen(const study_run *run, size_t system, speed_sample entry[]) {
  size_t count;
  const speed_sample *const all = study_samples(run, system, &count);
  if (count > SPEED_ENTRIES_MAX) count = SPEED_ENTRIES_MAX;
  memcpy(entry, all, count * sizeof *entry);
  return count;
}

/* an entry with the setting that serves every number of contacts: MuJoCo's at the largest, or the
 * finest of libess's tolerances */
static bool fixed_entry(const study_run *run, const char *field, speed_sample *out) {
  const speed_settings *const s = run->settings;
  bool found = false;
  for (size_t i = 0; i < speed_systems(s); i++) {
    speed_sample entry[SPEED_ENTRIES_MAX];
    if (!speed_system_at(s, i).in_series) continue;
    const size_t at = speed_entry_of(entry, chosen(run, i, entry), "equal-error",
                                     field ? SPEED_OURS : SPEED_MUJOCO, field);
    if (at == SIZE_MAX) return false;
    if (!found || !field || entry[at].rtol < out->rtol) *out = entry[at];
    found = true;
  }
  out->protocol = speed_fixed;
  return found;
}

size_t speed_entries(const study_run *run, size_t system, speed_sample entry[SPEED_ENTRIES_MAX]) {
  const speed_settings *const s = run->settings;
  size_t count = chosen(run, system, entry);
  if (!speed_system_at(s, system).in_series || s->contacts.count < 2) return count;
  const char *const field[] = {NULL, speed_form_names[0], speed_form_names[1]};
  for (size_t i = 0; i < 3 && count < SPEED_ENTRIES_MAX; i++)
    count += fixed_entry(run, field[i], &entry[count]);
  return count;
}
