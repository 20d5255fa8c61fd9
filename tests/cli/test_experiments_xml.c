/*
 * `essbench xml`: well-formed, the same bytes to a file and to the standard output, and what MuJoCo
 * compiles without a word.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <unistd.h>

#include "bridge.h"
#include "experiments_fixture.h"

enum { TEXT_SIZE = 1 << 20 };

/* how many nodes of a document an XPath expression names */
static int count_nodes(xmlDocPtr document, const char *path) {
  xmlXPathContextPtr context = xmlXPathNewContext(document);
  xmlXPathObjectPtr found = xmlXPathEvalExpression((const xmlChar *)path, context);
  const int count = found && found->nodesetval ? found->nodesetval->nodeNr : 0;
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  return count;
}

static xmlDocPtr parse(const char *text) {
  xmlDocPtr document =
      xmlReadMemory(text, (int)strlen(text), "scene.xml", NULL, XML_PARSE_PEDANTIC);
  if (!document) fail_msg("not well-formed: %.200s", text);
  return document;
}

/* what the program prints for these words, in static storage */
static const char *printed(void **state, const char *words) {
  static char text[TEXT_SIZE];
  char path[PATH_SIZE];
  essbench(state, "xml %s", words);
  read_text(path_in(state, "out", path), text, sizeof text);
  assert_true(strlen(text) < sizeof text - 1);
  return text;
}

static void a_plate_of_a_hundred_springs(void **state) {
  xmlDocPtr document = parse(printed(state, "plate --contacts 100"));
  assert_int_equal(count_nodes(document, "/mujoco"), 1);
  // the broad phase is faster for so many
  assert_int_equal(count_nodes(document, "/mujoco/contact/pair"), 0);
  assert_int_equal(count_nodes(document, "//geom[@type='sphere']"), 100);
  assert_int_equal(count_nodes(document, "//joint"), 3);
  xmlFreeDoc(document);
}

static void the_file_has_the_printed_bytes(void **state) {
  static const char *const words[] = {"plate --contacts 100", "hopper", "plate --contacts 1"};
  static char saved[TEXT_SIZE];
  char path[PATH_SIZE];
  for (size_t i = 0; i < 3; i++) {
    essbench(state, "xml %s -o scene.xml", words[i]);
    assert_string_equal(read_text(path_in(state, "out", path), saved, sizeof saved), "");
    read_text(path_in(state, "scene.xml", path), saved, sizeof saved);
    assert_string_equal(saved, printed(state, words[i]));
  }
}

static void a_dash_is_the_standard_output(void **state) {
  static char saved[TEXT_SIZE];
  char path[PATH_SIZE];
  snprintf(saved, sizeof saved, "%s", printed(state, "plate -o -"));
  assert_string_equal(saved, printed(state, "plate"));
  assert_int_equal(access(path_in(state, "-", path), F_OK), -1);
  essbench(state, "xml plate -o ./-");
  assert_string_equal(read_text(path_in(state, "-", path), saved, sizeof saved),
                      printed(state, "plate"));
}

/* the bridge compiles the printed text with MuJoCo, which fails at the first warning, and finds the
 * model's own field in it */
static void mujoco_takes_the_printed_text(void **state) {
  char message[SOLVER_MESSAGE_SIZE];
  const solver_settings settings = {.scaling = 1e6};
  const solver_output output = {.dt = 0.002};
  bridge_gap gap;
  void *instance;
  model m;
  model_init(&m, model_find("plate"));
  assert_int_equal(model_set(&m, "contacts", 100, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  if (bridge_prepare(&m, &settings, &output, NULL, printed(state, "plate --contacts 100"),
                     &instance, message))
    fail_msg("%s", message);
  if (bridge_instance_gap(instance, 200, 1, &gap, message)) fail_msg("%s", message);
  assert_true(gap.gap > 0.0 && gap.gap <= BRIDGE_GAP_MAX);
  bridge_solver.release(instance);
  model_release(&m);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_plate_of_a_hundred_springs),
      TEST(the_file_has_the_printed_bytes),
      TEST(a_dash_is_the_standard_output),
      TEST(mujoco_takes_the_printed_text),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  xmlCleanupParser();
  return failed;
}
