/*
 * The scenes xmlgen writes: well-formed, complete, and every number the very double it stands for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>

#include "corner_springs.h"
#include "legged.h"
#include "mjcf.h"
#include "mjcf_writer.h"
#include "plate.h"

static model prepared(const char *name, const char *const settings[][2], size_t count) {
  char message[MODEL_MESSAGE_SIZE] = "";
  model m;
  model_init(&m, model_find(name));
  for (size_t i = 0; i < count; ++i)
    if (model_set_text(&m, settings[i][0], settings[i][1], message)) fail_msg("%s", message);
  if (model_prepare(&m, message)) fail_msg("%s", message);
  return m;
}

static model plate_of(const char *contacts) {
  const char *const settings[][2] = {{"contacts", contacts}};
  return prepared("plate", settings, 1);
}

static char *written(const model *m, const mjcf_options *options) {
  char message[MODEL_MESSAGE_SIZE] = "", *text;
  size_t length;
  if (mjcf_write(m, options, &text, &length, message)) fail_msg("%s", message);
  assert_int_equal(length, strlen(text));
  return text;
}

static xmlDocPtr parsed(const char *text) {
  xmlDocPtr document = xmlReadMemory(text, (int)strlen(text), "scene.xml", NULL, 0);
  assert_non_null(document);
  return document;
}

static xmlDocPtr scene_of(const model *m, const mjcf_options *options) {
  char *text = written(m, options);
  xmlDocPtr document = parsed(text);
  free(text);
  return document;
}

/* value of an XPath expression as text; the caller frees it */
static char *look_up(xmlDocPtr document, const char *path) {
  xmlXPathContextPtr context = xmlXPathNewContext(document);
  xmlXPathObjectPtr found = xmlXPathEvalExpression(BAD_CAST path, context);
  assert_non_null(found);
  xmlChar *value = xmlXPathCastToString(found);
  char *copy = strdup((const char *)value);
  xmlFree(value);
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  return copy;
}

/* the numbers at `path` are exactly these doubles */
static void expect(xmlDocPtr document, const char *path, size_t count, const double expected[]) {
  char *text = look_up(document, path), *rest = text;
  for (size_t i = 0; i < count; ++i) {
    char *end;
    const double value = strtod(rest, &end);
    if (end == rest || value != expected[i])
      fail_msg("%s is \"%s\", entry %zu should be %.17g", path, text, i, expected[i]);
    rest = end;
  }
  assert_string_equal(rest, "");
  free(text);
}

static void expect_count(xmlDocPtr document, const char *path, size_t count) {
  char counting[128];
  snprintf(counting, sizeof counting, "count(%s)", path);
  expect(document, counting, 1, &(const double){(double)count});
}

/* parameters no short decimal stands for, and what must become of them */
static const char *const awkward[][2] = {
    {"contacts", "7"},           {"stiffness", "7919.1234567890123"},
    {"mass", "9.8765432109876"}, {"inertia", "11.123456789012345"},
    {"damping", "61.7"},         {"free-length", "1.0123456789"},
    {"radius", "0.4567890123"},  {"half-width", "1.1234567890123456"},
    {"gravity", "9.80665"},      {"height", "2.3456789012345678"},
    {"tilt", "0.071234567891"},  {"shift", "0.12345678901234567"}};

static void test_numbers_round_trip(void **state) {
  (void)state;
  model m = prepared("plate", awkward, sizeof awkward / sizeof *awkward);
  const plate_parameters *p = plate_get(&m);
  mjcf_options options = mjcf_options_default();
  options.time_step = 0.002 / 3.0;
  xmlDocPtr d = scene_of(&m, &options);

  // bodies
  expect(d, "//inertial/@mass", 1, &p->mass);
  expect(d, "//inertial/@diaginertia", 3, (double[]){p->inertia, p->inertia, p->inertia});
  expect(d, "//inertial/@pos", 3, (double[]){0, 0, 0});
  expect(d, "//body/@pos", 3, (double[]){0, 0, p->height});
  expect(d, "//joint[@name='z']/@ref", 1, &p->height);
  for (size_t i = 0; i < 7; ++i) {
    char path[96];
    snprintf(path, sizeof path, "//geom[@name='roller%zu']/@pos", i);
    expect(d, path, 3, (double[]){plate_spring_x(p, i), 0, p->free_length - p->radius});
    snprintf(path, sizeof path, "//geom[@name='roller%zu']/@size", i);
    expect(d, path, 1, &p->radius);
  }

  // law, options and start
  const double unit = 2.0 / (3.0 * p->mass) * (1.0 - 1e-4);
  const double solref[] = {-p->stiffness * unit, -p->damping * unit};
  expect(d, "/mujoco/default/pair/@solref", 2, solref);
  expect(d, "/mujoco/default/geom/@solref", 2, solref);
  expect(d, "/mujoco/default/pair/@solimp", 5, (double[]){1e-4, 1e-4, 0.001, 0.5, 2});
  expect(d, "//option/@timestep", 1, &options.time_step);
  expect(d, "//option/@gravity", 3, (double[]){0, 0, -p->gravity});
  expect(d, "//key/@qpos", 3, (double[]){p->shift, p->height, p->tilt});
  expect(d, "//key/@qvel", 3, (double[]){0, 0, 0});
  xmlFreeDoc(d);
  model_release(&m);
}

/* A robot: its bodies, hinges, feet and pairs by name, all masses, and the same text every time. */
static void test_robots(void **state) {
  (void)state;
  static const char *const legs[] = {"2", "3", "37", "100"};
  for (size_t i = 0; i < sizeof legs / sizeof *legs; ++i) {
    const char *const settings[][2] = {{"contacts", legs[i]}, {"mass", "5.4321"}};
    model m = prepared("legged", settings, 2);
    const legged_parameters *p = legged_get(&m);
    const mjcf_options options = mjcf_options_default();
    char *text = written(&m, &options), *again = written(&m, &options);
    assert_string_equal(text, again);
    xmlDocPtr d = parsed(text);
    expect_count(d, "//body", 1 + 2 * p->legs);
    expect_count(d, "//freejoint", 1);
    expect_count(d, "//joint[@type='hinge']", 2 * p->legs);
    expect_count(d, "//contact/pair[@geom1='floor']", p->legs);
    expect_count(d, "//contact/pair[@geom2=//geom/@name]", p->legs);
    expect_count(d, "//geom[@name and not(@name=preceding::geom/@name)]", 1 + p->legs);
    expect_count(d, "//body[not(@name=preceding::body/@name)]", 1 + 2 * p->legs);
    expect(d, "//body[@name='body']/inertial/@mass", 1, &p->body_mass);
    for (size_t k = 0; k<p->legs; k += p->legs> 1 ? p->legs - 1 : 1) {
      char path[96];
      snprintf(path, sizeof path, "//body[@name='thigh%zu']/inertial/@mass", k);
      expect(d, path, 1, &p->link_mass[0]);
      snprintf(path, sizeof path, "//body[@name='shank%zu']/inertial/@mass", k);
      expect(d, path, 1, &p->link_mass[1]);
      snprintf(path, sizeof path, "//body[@name='shank%zu']/joint[@name='knee%zu']/@stiffness", k,
               k);
      expect(d, path, 1, &p->joint_stiffness);
      snprintf(path, sizeof path, "//body[@name='shank%zu']/geom[@name='foot%zu']/@size", k, k);
      expect(d, path, 1, &p->foot_radius);
    }
    double x0[MODEL_DIMENSION_MAX];
    m.type->initial_state(&m, x0);
    expect(d, "//key/@qpos", LEGGED_HINGES + 2 * p->legs, x0);
    xmlFreeDoc(d);
    free(text);
    free(again);
    model_release(&m);
  }
}

static void test_every_size_is_complete(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t contacts;
  } sizes[] = {{"1", 1}, {"2", 2}, {"10", 10}, {"100", 100}, {"1000", 1000}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    model m = plate_of(sizes[i].text);
    mjcf_options options = mjcf_options_default();
    options.pairs = MJCF_PAIRS_ON;
    xmlDocPtr d = scene_of(&m, &options);
    expect_count(d, "/mujoco/worldbody/geom[@type='sphere']", sizes[i].contacts);
    expect_count(d, "/mujoco/worldbody/body/geom[@type='box']", 1);
    expect_count(d, "/mujoco/contact/pair[@geom1 = //worldbody/geom/@name]", sizes[i].contacts);
    expect(d, "/mujoco/size/@nconmax", 1, &(const double){(double)sizes[i].contacts});
    expect(d, "//default[@class='fixed']/geom/@contype", 1, &(const double){0});
    xmlFreeDoc(d);
    model_release(&m);
  }
}

static void test_broad_phase_instead_of_pairs(void **state) {
  (void)state;
  model m = plate_of("5");
  mjcf_options options = mjcf_options_default();
  options.pairs = MJCF_PAIRS_OFF;
  options.lean = false;
  xmlDocPtr d = scene_of(&m, &options);
  expect_count(d, "//contact", 0);
  expect(d, "//default[@class='fixed']/geom/@contype", 1, &(const double){1});
  expect(d, "//default[@class='moving']/geom/@conaffinity", 1, &(const double){1});
  expect_count(d, "//flag/@equality", 0);
  xmlFreeDoc(d);
  model_release(&m);
}

/* explicit pairs as long as they are faster, unless they are asked for */
static void test_pairs_by_size(void **state) {
  (void)state;
  static const struct {
    const char *contacts;
    mjcf_pairs asked;
    size_t pairs;
  } cases[] = {{"20", MJCF_PAIRS_BY_SIZE, 20},
               {"21", MJCF_PAIRS_BY_SIZE, 0},
               {"21", MJCF_PAIRS_ON, 21},
               {"20", MJCF_PAIRS_OFF, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    model m = plate_of(cases[i].contacts);
    mjcf_options options = mjcf_options_default();
    assert_int_equal(options.pairs, MJCF_PAIRS_BY_SIZE);
    options.pairs = cases[i].asked;
    xmlDocPtr d = scene_of(&m, &options);
    expect_count(d, "//contact/pair", cases[i].pairs);
    expect(d, "//default[@class='fixed']/geom/@contype", 1, &(const double){!cases[i].pairs});
    xmlFreeDoc(d);
    model_release(&m);
  }
}

static void test_hopper(void **state) {
  (void)state;
  const char *const settings[][2] = {{"mass", "1.3"}, {"stiffness", "777.7"}, {"height", "2.2"}};
  model m = prepared("hopper", settings, 3);
  mjcf_options options = mjcf_options_default();
  xmlDocPtr d = scene_of(&m, &options);
  const double unit = 1.0 / (3.0 * 1.3) * (1.0 - 1e-4);
  expect(d, "/mujoco/default/pair/@solref", 2, (double[]){-777.7 * unit, 0});
  expect(d, "//key/@qpos", 1, &(const double){2.2});

  // the ball's lowest point is the body's origin
  char *size = look_up(d, "//geom[@name='ball']/@size");
  expect(d, "//geom[@name='ball']/@pos", 3, (double[]){0, 0, strtod(size, NULL)});
  expect(d, "//geom[@type='plane']/@pos", 3, (double[]){0, 0, 1});
  free(size);
  xmlFreeDoc(d);
  model_release(&m);
}

static void test_comment_says_what_it_models(void **state) {
  (void)state;
  model m = plate_of("10");
  mjcf_options options = mjcf_options_default();
  xmlDocPtr d = scene_of(&m, &options);
  char *comment = look_up(d, "/mujoco/comment()");
  assert_non_null(strstr(comment, "k = 800 N/m, c = 6 N s/m"));
  assert_non_null(strstr(comment, "p = r - (xs_i - x) sin(theta) + (L0 - r - z) cos(theta)"));
  free(comment);
  xmlFreeDoc(d);
  model_release(&m);
}

static void test_format_round_trips(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int i = 0; i < 20000; ++i) {
    char text[MJCF_NUMBER_SIZE];
    uint64_t bits = (uint64_t)gsl_rng_get(rng) << 32 | gsl_rng_get(rng);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (value - value != 0) continue;
    mjcf_format(value, text);
    assert_true(strtod(text, NULL) == value);
  }
  gsl_rng_free(rng);

  // the short form where there is one, and no negative zero
  char text[MJCF_NUMBER_SIZE];
  mjcf_format(0.1, text);
  assert_string_equal(text, "0.1");
  mjcf_format(-0.0, text);
  assert_string_equal(text, "0");
}

static void test_locale_changes_nothing(void **state) {
  (void)state;
  model m = prepared("plate", awkward, sizeof awkward / sizeof *awkward);
  mjcf_options options = mjcf_options_default();
  char *plain = written(&m, &options);
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
    free(plain);
    model_release(&m);
    print_message("no locale with a decimal comma here\n");
    skip();
  }
  char *german = written(&m, &options), comma[8];
  snprintf(comma, sizeof comma, "%.1f", 1.5);
  setlocale(LC_ALL, "C");
  assert_string_equal(comma, "1,5");
  assert_string_equal(german, plain);
  free(german);
  free(plain);
  model_release(&m);
}

/* bodies on springs: corners, of which those that stick have friction, as springs or as MuJoCo's
 * own
 */
static void test_corners(void **state) {
  (void)state;
  const char *const awkward_block[][2] = {
      {"width", "0.0512345678901"}, {"height", "0.0987654321"}, {"mass", "4.56789012345"}};
  model m = prepared("block-on-springs", awkward_block, 3);
  const corner_springs *p = m.data;
  mjcf_options options = mjcf_options_default();
  const double unit = 2.0 / (3.0 * p->mass) * (1.0 - 1e-4);
  xmlDocPtr d = scene_of(&m, &options);
  expect_count(d, "/mujoco/worldbody/geom[@type='plane']", 1);
  for (size_t i = 0; i < CORNERS; ++i) {
    char path[96];
    snprintf(path, sizeof path, "//body/geom[@name='corner%zu']/@pos", i);
    expect(d, path, 3, (double[]){p->corner[i][0], 0, p->corner[i][1]});
    snprintf(path, sizeof path, "/mujoco/contact/pair[@geom2='corner%zu']", i);
    expect_count(d, path, 1);
  }
  expect(d, "//inertial/@mass", 1, &p->mass);
  expect(d, "/mujoco/default/pair/@condim", 1, &(const double){3});
  expect(d, "/mujoco/default/pair/@solref", 2,
         (double[]){-p->stiffness * unit, -p->damping * unit});
  expect_count(d, "//option[@cone='elliptic']", 1);
  expect(d, "/mujoco/size/@njmax", 1, &(const double){8});
  xmlFreeDoc(d);

  options.time_constant = 0.02;
  d = scene_of(&m, &options);
  expect(d, "/mujoco/default/geom/@solref", 2, (double[]){0.02, 1});
  expect_count(d, "//@solimp", 0);
  expect_count(d, "//option[@cone='pyramidal']", 1);
  xmlFreeDoc(d);
  model_release(&m);

  m = prepared("trot-on-springs", NULL, 0);
  d = scene_of(&m, &options);
  expect(d, "/mujoco/default/pair/@condim", 1, &(const double){1});
  expect(d, "//key/@qpos", 3, (double[]){0, 1.5, 0});
  expect(d, "//key/@qvel", 3, (double[]){0, -1, 0});
  xmlFreeDoc(d);
  model_release(&m);
}

/* refused in one line that has `words` in it */
static void refused(const model *m, const mjcf_options *options, const char *words) {
  char message[MODEL_MESSAGE_SIZE] = "", *text = message;
  assert_int_equal(mjcf_write(m, options, &text, NULL, message), -1);
  assert_null(text);
  assert_null(strchr(message, '\n'));
  if (!strstr(message, words)) fail_msg("\"%s\" lacks \"%s\"", message, words);
}

static void test_what_has_no_twin_is_refused(void **state) {
  (void)state;
  const mjcf_options options = mjcf_options_default();
  const char *const paper[][2] = {{"law", "paper"}};
  const char *const pointed[][2] = {{"radius", "0"}};
  model m = prepared("plate", paper, 1);
  refused(&m, &options, "plate: law paper has no MuJoCo twin; use --law roller");
  model_release(&m);
  m = prepared("plate", pointed, 1);
  refused(&m, &options, "radius 0 has no MuJoCo twin");
  model_release(&m);
  m = prepared("affine3", NULL, 0);
  refused(&m, &options, "affine3: this model has no MuJoCo twin; block-on-springs, hopper,");
  model_release(&m);
}

static void test_bad_options_are_refused(void **state) {
  (void)state;
  model m = plate_of("2");
  mjcf_options options = mjcf_options_default();
  options.time_step = 0;
  refused(&m, &options, "time_step");
  options = mjcf_options_default();
  options.tolerance = -1;
  refused(&m, &options, "tolerance");
  options = mjcf_options_default();
  options.iterations = 0;
  refused(&m, &options, "iterations");
  options = mjcf_options_default();
  options.contact_limit = -5;
  refused(&m, &options, "contact_limit");
  options = mjcf_options_default();
  options.time_constant = -0.02;
  refused(&m, &options, "time_constant");
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers_round_trip),
      cmocka_unit_test(test_robots),
      cmocka_unit_test(test_every_size_is_complete),
      cmocka_unit_test(test_broad_phase_instead_of_pairs),
      cmocka_unit_test(test_pairs_by_size),
      cmocka_unit_test(test_hopper),
      cmocka_unit_test(test_comment_says_what_it_models),
      cmocka_unit_test(test_format_round_trips),
      cmocka_unit_test(test_corners),
      cmocka_unit_test(test_locale_changes_nothing),
      cmocka_unit_test(test_what_has_no_twin_is_refused),
      cmocka_unit_test(test_bad_options_are_refused),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  xmlCleanupParser();
  return failed;
}
