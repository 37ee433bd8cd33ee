/* States of the front-end. */
#ifndef EXPLORATION_SAVE_H
#define EXPLORATION_SAVE_H

#include <unfold/explore.h>

#include "base/vector.h"

/* States that the front-end keeps, by numbers from 1 on. */
struct saved {
  uint32_t depth, next;
  uint64_t state;
};

struct saves {
  VECTOR(struct saved) entries;
  uint32_t free;
  uint32_t path; /* depth-first: those on the path, deepest first */
  void (*forget)(void *user, uint64_t state);
  void *user;
};

/* Those of a list after so many steps or more will not be needed again. */
void unfi_saves_forget(unf_explorer *x, uint32_t *list, uint32_t from);
/* Those beyond `base`, of a run that is dropped. */
void unfi_saves_drop(unf_explorer *x);
/* The deepest one on the way to `base`, for the run. */
void unfi_saves_find(const unf_explorer *x, unf_run *run);
void unfi_saves_free(unf_explorer *x);

#endif
