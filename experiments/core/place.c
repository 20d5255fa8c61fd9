/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "place.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool place_program(char path[RECORD_PATH_SIZE]) {
  const ssize_t length = readlink("/proc/self/exe", path, RECORD_PATH_SIZE - 1);
  path[length > 0 ? length : 0] = '\0';
  return length > 0;
}

const char *place_of(const char *installed, const char *built, char path[RECORD_PATH_SIZE]) {
  char program[RECORD_PATH_SIZE];
  if (!place_program(program)) return built;
  // PREFIX/bin/essbench
  for (int up = 0; up < 2 && strrchr(program, '/'); up++) *strrchr(program, '/') = '\0';
  const int needed = snprintf(path, RECORD_PATH_SIZE, "%s/%s", program, installed);
  return needed < RECORD_PATH_SIZE && access(path, F_OK) == 0 ? path : built;
}
