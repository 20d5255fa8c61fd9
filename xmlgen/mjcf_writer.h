/*
 * Private to xmlgen: libxml2's xmlwriter with a sticky failure, and the seam of the emitters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MJCF_WRITER_H
#define MJCF_WRITER_H

#include <libxml/xmlwriter.h>

#include "mjcf_scene.h"
#include "model.h"

enum { MJCF_NUMBER_SIZE = 32, MJCF_NAME_SIZE = 32, MJCF_COMMENT_SIZE = 2048 };

/* After a failure every call is a no-op, so that only the end needs checking. */
typedef struct mjcf_writer {
  xmlBufferPtr buffer;
  xmlTextWriterPtr xml;
  bool failed;
} mjcf_writer;

/* Opens a writer on a memory buffer and closes it. Close is safe after a failed open. */
void mjcf_writer_open(mjcf_writer *w);
void mjcf_writer_close(mjcf_writer *w);

/* Elements nest: every start needs its end. */
void mjcf_start(mjcf_writer *w, const char *element);
void mjcf_end(mjcf_writer *w);
void mjcf_comment(mjcf_writer *w, const char *text);

/* Attributes of the element just started. */
void mjcf_text(mjcf_writer *w, const char *name, const char *value);
void mjcf_integer(mjcf_writer *w, const char *name, size_t value);
void mjcf_number(mjcf_writer *w, const char *name, double value);
void mjcf_numbers(mjcf_writer *w, const char *name, size_t count, const double values[]);

/* Fewest digits (15 to 17) that read back to the same double. The C locale must be in force. */
void mjcf_format(double value, char text[MJCF_NUMBER_SIZE]);

/* A joint whose coordinate is `reference` where the body stands as written. */
void mjcf_joint(mjcf_writer *w, const char *name, const char *type, const double axis[3],
                double reference);

/* Mass and inertia (the same about every axis), explicit so that no geom
 * changes them. */
void mjcf_inertial(mjcf_writer *w, const double centre[3], double mass, double inertia);

/* A plane of class "fixed" that faces up, drawn by half its lengths; position NULL: the origin. */
void mjcf_plane(mjcf_writer *w, const char *name, const double size[3], const double position[3]);

/* The data and functions that emit one model. */
typedef struct mjcf_emitter {
  const char *model;
  size_t coordinates; /* of its scene, and so many rates of one body */
  /* Optional: what the scene has instead. */
  void (*shape)(const model *m, mjcf_shape *out);
  /* The contact law, or -1 with one line. */
  int (*contact)(const model *m, mjcf_contact *contact, char message[MODEL_MESSAGE_SIZE]);
  double (*gravity)(const model *m);
  /* A description of the model in words and formulas, written as a comment. */
  void (*describe)(const model *m, char text[MJCF_COMMENT_SIZE]);
  /* Children of worldbody: geoms of class "fixed" first, then a body with those of class "moving".
   * By a callback there are no geoms. */
  void (*bodies)(mjcf_writer *w, const model *m, const mjcf_options *o);
  /* Explicit pairs are faster up to so many contacts, and the broad phase beyond; 0: always. */
  size_t pairs_faster;
  /* Names of the fixed and of the moving geom of contact i. */
  void (*fixed_geom)(size_t i, char name[MJCF_NAME_SIZE]);
  void (*moving_geom)(size_t i, char name[MJCF_NAME_SIZE]);
} mjcf_emitter;

extern const mjcf_emitter mjcf_block_on_springs, mjcf_hopper, mjcf_legged, mjcf_plate,
    mjcf_trot_on_springs;

#endif
