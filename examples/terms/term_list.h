/* The terms that others are made of, ascending: arguments come before what is made of them. */
#ifndef TERMS_TERM_LIST_H
#define TERMS_TERM_LIST_H

#include "marks.h"
#include "terms.h"

struct term_list {
  term *list;
  uint32_t count, room;
  struct marks marks; /* of these terms */
};

/* A term that others are made of, of which what it is made of itself is not listed. */
typedef bool term_list_leaf(const void *user, term a);

void term_list_free(struct term_list *list);
uint64_t term_list_bytes(const struct term_list *list);
/* Lists them, and the terms themselves. With more than `most` it ends there, as count says, and not
 * all are listed. `leaf` can be NULL. O(terms listed). False: no memory. */
bool term_list_make(struct term_list *list, const struct terms *terms, const term *of,
                    uint32_t count, uint32_t most, term_list_leaf *leaf, const void *user);

#endif
