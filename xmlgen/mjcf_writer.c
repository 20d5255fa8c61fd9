/*
 * libxml2's xmlwriter with a sticky failure, and numbers that round-trip.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mjcf_writer.h"

#include <stdio.h>
#include <stdlib.h>

/* every xmlwriter call answers a negative number on failure */
static void note(mjcf_writer *w, int written) {
  if (written < 0) w->failed = true;
}

void mjcf_writer_open(mjcf_writer *w) {
  *w = (mjcf_writer){.buffer = xmlBufferCreate()};
  w->xml = w->buffer ? xmlNewTextWriterMemory(w->buffer, 0) : NULL;
  if (!w->xml) {
    w->failed = true;
    return;
  }
  note(w, xmlTextWriterSetIndent(w->xml, 1));
  note(w, xmlTextWriterSetIndentString(w->xml, BAD_CAST "  "));
}

void mjcf_writer_close(mjcf_writer *w) {
  if (w->xml) xmlFreeTextWriter(w->xml);
  if (w->buffer) xmlBufferFree(w->buffer);
  *w = (mjcf_writer){.failed = true};
}

void mjcf_start(mjcf_writer *w, const char *element) {
  if (!w->failed) note(w, xmlTextWriterStartElement(w->xml, BAD_CAST element));
}

void mjcf_end(mjcf_writer *w) {
  if (!w->failed) note(w, xmlTextWriterEndElement(w->xml));
}

void mjcf_comment(mjcf_writer *w, const char *text) {
  if (!w->failed) note(w, xmlTextWriterWriteComment(w->xml, BAD_CAST text));
}

void mjcf_text(mjcf_writer *w, const char *name, const char *value) {
  if (!w->failed) note(w, xmlTextWriterWriteAttribute(w->xml, BAD_CAST name, BAD_CAST value));
}

void mjcf_integer(mjcf_writer *w, const char *name, size_t value) {
  char text[MJCF_NUMBER_SIZE];
  snprintf(text, sizeof text, "%zu", value);
  mjcf_text(w, name, text);
}

void mjcf_number(mjcf_writer *w, const char *name, double value) {
  mjcf_numbers(w, name, 1, &value);
}

void mjcf_numbers(mjcf_writer *w, const char *name, size_t count, const double values[]) {
  if (w->failed) return;
  note(w, xmlTextWriterStartAttribute(w->xml, BAD_CAST name));
  for (size_t i = 0; i < count && !w->failed; ++i) {
    char text[MJCF_NUMBER_SIZE];
    mjcf_format(values[i], text);
    if (i > 0) note(w, xmlTextWriterWriteString(w->xml, BAD_CAST " "));
    note(w, xmlTextWriterWriteString(w->xml, BAD_CAST text));
  }
  if (!w->failed) note(w, xmlTextWriterEndAttribute(w->xml));
}

void mjcf_format(double value, char text[MJCF_NUMBER_SIZE]) {
  // a negative zero, as in "no damping", reads like a mistake
  if (value == 0.0) value = 0.0;
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, MJCF_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return;
  }
}

void mjcf_joint(mjcf_writer *w, const char *name, const char *type, const double axis[3],
                double reference) {
  mjcf_start(w, "joint");
  mjcf_text(w, "name", name);
  mjcf_text(w, "type", type);
  mjcf_numbers(w, "axis", 3, axis);
  mjcf_number(w, "ref", reference);
  mjcf_end(w);
}

void mjcf_inertial(mjcf_writer *w, const double centre[3], double mass, double inertia) {
  const double diagonal[] = {inertia, inertia, inertia};
  mjcf_start(w, "inertial");
  mjcf_numbers(w, "pos", 3, centre);
  mjcf_number(w, "mass", mass);
  mjcf_numbers(w, "diaginertia", 3, diagonal);
  mjcf_end(w);
}

void mjcf_plane(mjcf_writer *w, const char *name, const double size[3], const double position[3]) {
  mjcf_start(w, "geom");
  mjcf_text(w, "name", name);
  mjcf_text(w, "class", "fixed");
  mjcf_text(w, "type", "plane");
  mjcf_numbers(w, "size", 3, size);
  if (position) mjcf_numbers(w, "pos", 3, position);
  mjcf_end(w);
}
