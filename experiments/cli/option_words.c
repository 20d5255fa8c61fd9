/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "option_words.h"

#include <stdio.h>
#include <string.h>

#include "solvers.h"
#include "studies.h"

static void add(char words[OPTION_WORDS_SIZE], const char *word) {
  const size_t used = strlen(words);
  snprintf(words + used, OPTION_WORDS_SIZE - used, "%s%s", used ? " " : "", word);
}

static void add_all(char words[OPTION_WORDS_SIZE], const char *const names[]) {
  for (size_t i = 0; names && names[i]; i++) add(words, names[i]);
}

static void add_models(char words[OPTION_WORDS_SIZE]) {
  for (size_t i = 0; model_types[i]; i++) add(words, model_types[i]->name);
}

static void add_solvers(char words[OPTION_WORDS_SIZE]) {
  for (size_t i = 0; solver_types[i]; i++) add(words, solver_types[i]->name);
}

static void add_variants(char words[OPTION_WORDS_SIZE]) {
  for (size_t i = 0; solver_types[i]; i++) add_all(words, solver_types[i]->variants);
}

void option_words(const option_table *t, const struct argp_option *o,
                  char words[OPTION_WORDS_SIZE]) {
  words[0] = '\0';
  if (o->key >= PARAMETER_KEY) {
    add_all(words, t->parameter[o->key - PARAMETER_KEY]->choices);
  } else if (o->key >= OPTION_KEY) {
    const study_option *const own = &t->command->study->options[o->key - OPTION_KEY];
    for (size_t i = 0; own->names && option_name_at(own, i); i++)
      add(words, option_name_at(own, i));
  } else if (strcmp(o->name, "model") == 0) {
    add_models(words);
  } else if (strcmp(o->name, "solver") == 0 || strcmp(o->name, "solvers") == 0) {
    add_solvers(words);
  } else if (strcmp(o->name, "variant") == 0) {
    add_variants(words);
  }
}

void operand_words(const char *operand, char words[OPTION_WORDS_SIZE]) {
  words[0] = '\0';
  if (!operand) return;
  if (strcmp(operand, "MODEL") == 0) add_models(words);
  if (strcmp(operand, "SHELL") == 0) add(words, "bash zsh");
  for (size_t i = 0; strcmp(operand, "STUDY") == 0 && studies[i]; i++) add(words, studies[i]->name);
}

bool is_path(const char *argument) {
  return argument && (strncmp(argument, "FILE", 4) == 0 || strncmp(argument, "DIR", 3) == 0 ||
                      strcmp(argument, "A B") == 0);
}
