/*
 * Random programs with inputs: a list of statements for each thread, as text, so that a program
 * that fails is cut down by leaving statements away.
 */
#ifndef RANDOM_INPUT_PROGRAMS_H
#define RANDOM_INPUT_PROGRAMS_H

#include "sketch.h"

#define INPUT_THREADS    4u
#define INPUT_STATEMENTS 6u

typedef struct input_program {
  char declarations[512];
  unsigned threads;
  bool starts; /* thread 0 is main, and starts the others */
  unsigned counts[INPUT_THREADS];
  char *statements[INPUT_THREADS][INPUT_STATEMENTS];
} input_program;

/* Draws one; `effects` has a letter for each kind of statement beside branches, see the table in
 * input_programs.c. */
void input_program_draw(input_program *p, random_source *random, const char *effects);
void input_program_free(input_program *p);
/* To be freed by the caller. */
char *input_program_text(const input_program *p);

/* The letters of all effects. */
extern const char input_effects[];

#endif
