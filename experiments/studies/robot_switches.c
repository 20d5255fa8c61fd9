/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What switches in a robot, on its screen. */
#include <stdio.h>
#include <string.h>

#include "robot_study.h"

static bool is_alike(const robot_finding_row *a, const robot_finding_row *b) {
  return strcmp(a->treatment, b->treatment) == 0 && strcmp(a->kind, b->kind) == 0 &&
         strcmp(a->why, b->why) == 0;
}

/* words, in lines of at most 100 columns */
static void show_wrapped(const char *text) {
  enum { INDENT = 11, WIDTH = 100 };
  while (*text) {
    size_t length = strlen(text);
    if (length > WIDTH - INDENT)
      for (length = WIDTH - INDENT; length > 1 && text[length] != ' ';) length--;
    printf("%*s%.*s\n", INDENT, "", (int)length, text);
    text += length + strspn(text + length, " ");
  }
}

/* what is treated alike is one line, told at its first */
void robot_show_findings(const study_run *run) {
  size_t count;
  const robot_finding_row *const all = study_rows(run, ROBOT_FINDINGS, &count);
  for (size_t i = 0; i < count; i++) {
    size_t alike = 0, events = 0;
    bool is_first = true;
    for (size_t k = 0; k < i; k++) is_first = is_first && !is_alike(&all[k], &all[i]);
    if (!is_first) continue;
    for (size_t k = i; k < count; k++)
      if (is_alike(&all[k], &all[i])) {
        alike++;
        events += all[k].events;
      }
    printf("  %-8s %s", all[i].treatment, all[i].kind);
    if (alike > 1) printf(", %zu of them", alike);
    if (*all[i].name) printf(": %s%s", all[i].name, alike > 1 ? ", ..." : "");
    if (events) printf(" (%zu event function%s)", events, events > 1 ? "s" : "");
    puts(";");
    show_wrapped(all[i].why);
  }
}

void robot_show_hulls(const study_run *run) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < robot_finding_count(c->robot); i++) {
    const robot_finding *const f = &robot_findings(c->robot)[i];
    if (strcmp(f->kind, "mesh") == 0) printf("Mesh %s: %s.\n", f->name, f->why);
  }
}
