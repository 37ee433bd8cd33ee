/* Calls of the C library whose accesses to memory are not known. */
#ifndef NATIVE_PRELOAD_IMPORTS_H
#define NATIVE_PRELOAD_IMPORTS_H

#include <stdint.h>

#include "interpose.h"

struct import;

/* From now on they are noticed, in modules whose own accesses are seen, also in those that were
 * loaded since. */
void imports_watch(void);
/* What was noticed by processes that this one goes on from. */
void imports_carry(const struct import *imports, uint32_t count);

/* What a changed reference was to. */
struct imported {
  uint64_t function;
  struct import *import;
  uint64_t enter; /* import_enter() */
};
/* Compiled for general registers alone: arguments are in the others. */
void import_enter(void);

/* A call of a function that accesses more than is known. */
INTERPOSE void unfold_unknown(const char *function, uint64_t place);

#endif
