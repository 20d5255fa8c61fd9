/*
 * MJCF (MuJoCo's XML) for a prepared model: the same mechanical system as a MuJoCo scene.
 *
 * MuJoCo's soft contact, with solref = (-K, -B), constant impedance d and A the compiled
 * body_invweight0, obeys f = [K p + B dp/dt - d a] / ((1-d) A), clamped at 0: a spring, a damper
 * and an added mass d/((1-d) A). The emitted text asks for K = k A (1-d) and B = c A (1-d).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MJCF_H
#define MJCF_H

#include <stdbool.h>
#include <stddef.h>

#include "mjcf_scene.h"
#include "model.h"

mjcf_options mjcf_options_default(void);

/* The contact law of a prepared model. 0, or -1 with one line when it has no MuJoCo twin. */
int mjcf_contact_of(const model *m, mjcf_contact *contact, char message[MODEL_MESSAGE_SIZE]);

/* Whether models of a type have a scene. */
bool mjcf_has(const model_type *type);

/* Sizes of the scene of such a model; all 0 where it has none. The model's state begins with
 * MuJoCo's positions, and then has its rates; what stands behind those a scene does not know. */
mjcf_shape mjcf_shape_of(const model *m);

/*
 * Writes the scene of a prepared model as NUL-terminated text into *text, which the caller frees
 * with free(); *length, when not NULL, is its length. Joint positions are the model's coordinates
 * in its own order, and key frame 0 is the start the model's parameters name. Numbers read back to
 * the same double, whatever the locale. 0, or -1 with one line and *text NULL.
 */
int mjcf_write(const model *m, const mjcf_options *options, char **text, size_t *length,
               char message[MODEL_MESSAGE_SIZE]);

#endif
