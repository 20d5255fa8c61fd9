/*
 * The MuJoCo library in use: version, file, instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <link.h>
#include <mujoco/mujoco.h>
#include <stdint.h>

#include "bridge_library.h"

const char *bridge_version_string(void) {
  return mj_versionString();
}

/* through the loader: a program's own idea of the address may be a stub of its own */
static void *library_symbol(void) {
  return dlsym(RTLD_DEFAULT, "mj_version");
}

const char *bridge_library_path(void) {
  Dl_info info;
  void *symbol = library_symbol();
  return symbol && dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "unknown";
}

#if defined(__x86_64__)

/* the library's executable segment */
typedef struct code {
  const void *inside; /* an address in it */
  const unsigned char *start;
  size_t size;
} code;

static int find_code(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  code *c = context;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || !(part->p_flags & PF_R)) continue;
    if ((uintptr_t)c->inside - start >= part->p_memsz) continue;
    c->start = (const unsigned char *)start;
    c->size = part->p_memsz;
    return 1;
  }
  return 0;
}

/* add, subtract and multiply packed doubles, by a two-byte VEX prefix with the 256-bit length */
static size_t count_wide(const code *c) {
  size_t count = 0;
  for (size_t i = 0; i + 3 < c->size; ++i)
    count += c->start[i] == 0xc5 && (c->start[i + 1] & 0x07) == 0x05 &&
             (c->start[i + 2] == 0x58 || c->start[i + 2] == 0x59 || c->start[i + 2] == 0x5c);
  return count;
}

const char *bridge_has_avx(void) {
  code c = {.inside = library_symbol()};
  if (!c.inside || !dl_iterate_phdr(find_code, &c)) return "unknown";

  // a build without AVX shows a few by chance, in constants and operands
  return count_wide(&c) > 200 ? "yes" : "no";
}

#else

const char *bridge_has_avx(void) {
  return "unknown";
}

#endif
