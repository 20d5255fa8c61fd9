/*
 * The emitted scenes in plain MuJoCo, as a user's viewer would load them: no warning, no error, the
 * promised inverse weight, and all contacts at work.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <mujoco/mujoco.h>

#include "mjcf.h"

static size_t complaints;

static void complain(const char *text) {
  print_message("MuJoCo: %s\n", text);
  ++complaints;
}

static void fail_on_error(const char *text) {
  fail_msg("MuJoCo: %s", text);
}

static model prepared(size_t contacts) {
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, model_find(contacts > 0 ? "plate" : "hopper"));
  if (contacts > 0) assert_int_equal(model_set(&m, "contacts", (double)contacts, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

/* through a file, as from the command line */
static mjModel *loaded(const model *m, bool pairs) {
  mjcf_options options = mjcf_options_default();
  char message[MODEL_MESSAGE_SIZE], error[1000] = "", path[] = "/tmp/essbench-scene-XXXXXX", *text;
  options.pairs = pairs ? MJCF_PAIRS_ON : MJCF_PAIRS_OFF;
  assert_int_equal(mjcf_write(m, &options, &text, NULL, message), 0);
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  mjModel *scene = mj_loadXML(path, NULL, error, sizeof error);
  unlink(path);
  free(text);
  assert_string_equal(error, "");
  assert_non_null(scene);
  return scene;
}

static void check(size_t contacts, bool pairs) {
  model m = prepared(contacts);
  char message[MODEL_MESSAGE_SIZE];
  mjcf_contact contact;
  mjModel *scene = loaded(&m, pairs);
  mjData *d = mj_makeData(scene);

  // the text's numbers were written for this inverse weight
  assert_int_equal(mjcf_contact_of(&m, &contact, message), 0);
  assert_true(fabs(scene->body_invweight0[2] / contact.inverse_weight - 1) < 1e-12);

  // falls from the model's own start, touches with all contacts at once or in turn, and comes back
  int most = 0;
  double lowest = 10;
  mj_resetDataKeyframe(scene, d, 0);
  for (int i = 0; i < 1000; ++i) {
    mj_step(scene, d);
    most = d->ncon > most ? d->ncon : most;
    lowest = fmin(lowest, d->qpos[contacts > 0]);
  }
  assert_int_equal(most, contacts > 0 ? contacts : 1);
  // on one spring alone the plate tips over; on more it comes back
  assert_true(lowest < 0.95);
  assert_true(lowest > (contacts == 1 ? 0.0 : 0.6));
  for (int i = 0; i < mjNWARNING; ++i) assert_int_equal(d->warning[i].number, 0);
  assert_int_equal(complaints, 0);
  mj_deleteData(d);
  mj_deleteModel(scene);
  model_release(&m);
}

/* bodies on springs land on both corners, or rock from one to the other */
static void test_corners_load_without_warnings(void **state) {
  (void)state;
  static const char *const names[] = {"block-on-springs", "trot-on-springs"};
  mju_user_warning = complain;
  mju_user_error = fail_on_error;
  for (int i = 0; i < 4; ++i) {
    char message[MODEL_MESSAGE_SIZE];
    mjcf_contact contact;
    model m;
    model_init(&m, model_find(names[i / 2]));
    assert_int_equal(model_set(&m, "stiffness", 1e4, message), 0);
    assert_int_equal(model_set(&m, "tilt", 0.05, message), 0);
    assert_int_equal(model_prepare(&m, message), 0);
    mjModel *scene = loaded(&m, i % 2);
    mjData *d = mj_makeData(scene);
    assert_int_equal(mjcf_contact_of(&m, &contact, message), 0);
    assert_true(fabs(scene->body_invweight0[2] / contact.inverse_weight - 1) < 1e-12);
    bool touched[2] = {false, false};
    mj_resetDataKeyframe(scene, d, 0);
    for (int k = 0; k < 500; ++k) {
      mj_step(scene, d);
      for (int c = 0; c < d->ncon; ++c) touched[d->contact[c].geom2 - 1] = true;
    }
    assert_true(touched[0] && touched[1]);
    for (int k = 0; k < mjNWARNING; ++k) assert_int_equal(d->warning[k].number, 0);
    mj_deleteData(d);
    mj_deleteModel(scene);
    model_release(&m);
  }
  assert_int_equal(complaints, 0);
}

static void test_loads_without_warnings(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 2, 10, 100, 1000};
  mju_user_warning = complain;
  mju_user_error = fail_on_error;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    check(sizes[i], true);
    check(sizes[i], false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads_without_warnings),
                                     cmocka_unit_test(test_corners_load_without_warnings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
