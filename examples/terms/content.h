/*
 * Branches and values by what they say, and not by when they were met: every process comes to the
 * same ones. A term that is made by an operator whose arguments can be swapped is the same either
 * way.
 */
#ifndef TERMS_CONTENT_H
#define TERMS_CONTENT_H

#include <jansson.h>

#include "index.h"
#include "terms.h"

struct knowledge;

struct content {
  uint64_t *prints; /* by term: a hash of what it says */
  uint32_t print_count, print_room;
  uint64_t *names; /* by branch */
  uint32_t name_count, name_room;
  struct index branches; /* by name: the one that has it */
  bool clashes;          /* two have one name */
};

/* Gives a branch its name, a hash of what it says; the ones before it have theirs. False: no
 * memory, or another one has that name. */
bool content_name(struct knowledge *knowledge, uint32_t branch);
/* The branch of a name, or UINT32_MAX. */
static inline uint32_t content_branch(const struct content *content, uint64_t name) {
  return index_find(&content->branches, name, 0);
}
/* Values of all inputs for which a set is true, as knowledge_witness(). They follow from what its
 * facts say, unless values are known that are found in no such way. */
json_t *content_witness(struct knowledge *knowledge, uint32_t set);
void content_free(struct content *content);
uint64_t content_bytes(const struct content *content);

#endif
