/* The accesses to shared ints on the way to the present step: a log that is cut back when an
 * exploration goes back. */
#ifndef MODEL_ACCESSES_H
#define MODEL_ACCESSES_H

#include "program.h"

struct access {
  uint32_t variable, thread;
  uint64_t step; /* after so many steps */
  struct place place;
  bool write, raced;
  uint32_t
      before; /* the access to the same variable before it in the log, counted from 1; 0: none */
};

struct accesses {
  uint64_t step; /* at which silent code runs now */
  struct access *log;
  uint32_t count, room;
  uint32_t *last; /* by variable: its last access, counted from 1; 0: none */
  bool failed;    /* there was no memory for an access */
};

/* false: no memory. */
bool accesses_make(struct accesses *accesses, const struct program *program);
void accesses_free(struct accesses *accesses);
/* Adds an access at the present step; one that is the same as the last of its variable is left
 * away. */
void accesses_add(struct accesses *accesses, uint32_t thread, uint32_t variable, bool write,
                  struct place place);
/* Forgets all accesses after so many steps, or all of them. */
void accesses_cut(struct accesses *accesses, uint64_t steps);
void accesses_clear(struct accesses *accesses);

#endif
