/* What inputs can reach, found in the text of a program. */
#ifndef MODEL_TAINT_H
#define MODEL_TAINT_H

#include "machine.h"

/* Finds, by element, the atomics that may hold a value that depends on inputs with more than one
 * value. False, with a place: an operation compares such a value in a way that is not supported; or
 * there was no memory. */
bool taint_find(const struct program *program, const struct machine_input *inputs, bool *atomics,
                struct problem *problem);

#endif
