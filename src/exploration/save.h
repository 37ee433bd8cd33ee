/* States of the front-end. */
#ifndef EXPLORATION_SAVE_H
#define EXPLORATION_SAVE_H

#include <unfold/explore.h>

#include "base/vector.h"

/* States that the front-end keeps, by numbers from 1 on. The lists of them are the order's, deepest
 * first. */
struct saved {
  uint32_t depth, next;
  uint64_t state;
};

struct saves {
  VECTOR(struct saved) entries;
  uint32_t free;
  void (*forget)(void *user, uint64_t state);
  void *user;
};

/* The saves of a list after so many steps or more will not be needed again. */
void unfi_saves_forget(unf_explorer *x, uint32_t *list, uint32_t from);
/* The saves beyond `base`, of a run that is dropped, will not be needed again. */
void unfi_saves_drop(unf_explorer *x);
/* The first of a list that is not beyond so many steps, or NULL. */
const struct saved *unfi_saves_deepest(const unf_explorer *x, uint32_t list, uint32_t limit);

#endif
