/* The log is one array in the order of time; the accesses to each variable are linked from the last
 * one backwards, so that cutting undoes adding. */
#include "accesses.h"

#include <stdlib.h>
#include <string.h>

bool accesses_make(struct accesses *a, const struct program *program) {
  memset(a, 0, sizeof *a);
  a->last = calloc(program->count[SYMBOL_SHARED] + 1, sizeof *a->last);
  return a->last != NULL;
}

void accesses_free(struct accesses *a) {
  free(a->log);
  free(a->last);
}

static bool known(const struct accesses *a, const struct access *new) {
  if (new->before == 0) return false;
  const struct access *old = &a->log[new->before - 1];
  return old->thread == new->thread && old->step == new->step && old->write == new->write &&
         old->place.line == new->place.line && old->place.column == new->place.column;
}

void accesses_add(struct accesses *a, uint32_t thread, uint32_t variable, bool write,
                  struct place place) {
  struct access new = {variable, thread, a->step, place, write, false, a->last[variable]};
  if (known(a, &new)) return;
  if (a->count == a->room) {
    uint32_t room = a->room * 2 + 64;
    struct access *log = realloc(a->log, room * sizeof *log);
    if (log == NULL) {
      a->failed = true;
      return;
    }
    a->log = log;
    a->room = room;
  }
  a->log[a->count++] = new;
  a->last[variable] = a->count;
}

static void drop(struct accesses *a) {
  const struct access *gone = &a->log[--a->count];
  a->last[gone->variable] = gone->before;
}

void accesses_cut(struct accesses *a, uint64_t steps) {
  while (a->count > 0 && a->log[a->count - 1].step > steps)
    drop(a);
}

void accesses_clear(struct accesses *a) {
  while (a->count > 0)
    drop(a);
}
