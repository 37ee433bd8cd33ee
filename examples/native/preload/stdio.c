/* Streams locked by the program: recursive mutexes. The C library's own lock is not taken, as a
 * stream is only ever used by the one thread that runs. */
#include <stdint.h>
#include <stdio.h>

#include "entry.h"
#include "findings.h"
#include "interpose.h"
#include "objects.h"
#include "real.h"
#include "scheduler.h"

INTERPOSE void flockfile(FILE *stream) {
  if (!running) {
    REAL(flockfile)(stream);
    return;
  }
  struct object *o = object_at(stream, OBJECT_STREAM);
  if (o->owner == thread_self())
    o->depth++;
  else
    object_lock(o, CALLER);
}

INTERPOSE int ftrylockfile(FILE *stream) {
  if (!running) return REAL(ftrylockfile)(stream);
  struct object *o = object_at(stream, OBJECT_STREAM);
  if (o->owner != thread_self()) return object_trylock(o, CALLER) ? 0 : 1;
  o->depth++;
  return 0;
}

INTERPOSE void funlockfile(FILE *stream) {
  if (!running) {
    REAL(funlockfile)(stream);
    return;
  }
  struct object *o = object_at(stream, OBJECT_STREAM);
  if (o->owner != thread_self()) misused(MISUSE_STRANGER, o, CALLER);
  if (o->depth > 0)
    o->depth--;
  else
    object_unlock(o, CALLER);
}

/* Older names of the same. */
OLDER_NAME(_IO_flockfile, flockfile);
OLDER_NAME(_IO_ftrylockfile, ftrylockfile);
OLDER_NAME(_IO_funlockfile, funlockfile);
