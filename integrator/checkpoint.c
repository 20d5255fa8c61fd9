/*
 * All that a driver remembers lies in a few blocks, which stay where they are as long as it lives:
 * what is kept of it are their bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "checkpoint.h"
#include "impact_state.h"
#include "slide_state.h"
#include "tangent_state.h"

typedef struct block {
  void *at;
  size_t bytes;
} block;

enum { BLOCKS = 10 };

/* of directions only what is not theirs alone: recording follows none between steps */
static size_t list(const ess_driver *d, block blocks[BLOCKS]) {
  size_t count = 0;
  blocks[count++] = (block){(void *)d, sizeof *d};
  blocks[count++] = (block){d->memory, d->memory_bytes};
  blocks[count++] = (block){d->indices, d->indices_bytes};
  if (d->watched.memory) blocks[count++] = (block){d->watched.memory, d->watched.bytes};
  if (d->impacts) {
    blocks[count++] = (block){d->impacts, sizeof *d->impacts};
    blocks[count++] = (block){d->impacts->memory, d->impacts->bytes};
  }
  if (d->slides) {
    blocks[count++] = (block){d->slides, sizeof *d->slides};
    blocks[count++] = (block){d->slides->memory, d->slides->memory_bytes};
    blocks[count++] = (block){d->slides->indices, d->slides->indices_bytes};
  }
  if (d->tangents) blocks[count++] = (block){d->tangents, sizeof *d->tangents};
  return count;
}

size_t ess_checkpoint_size(const ess_driver *d) {
  block blocks[BLOCKS];
  const size_t count = list(d, blocks);
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += blocks[i].bytes;
  return bytes;
}

void ess_checkpoint_keep(const ess_driver *d, void *store) {
  block blocks[BLOCKS];
  const size_t count = list(d, blocks);
  char *cursor = store;
  for (size_t i = 0; i < count; cursor += blocks[i++].bytes)
    memcpy(cursor, blocks[i].at, blocks[i].bytes);
}

void ess_checkpoint_restore(ess_driver *d, const void *store) {
  block blocks[BLOCKS];
  const size_t count = list(d, blocks);
  const char *cursor = store;
  for (size_t i = 0; i < count; cursor += blocks[i++].bytes)
    memcpy(blocks[i].at, cursor, blocks[i].bytes);
}
