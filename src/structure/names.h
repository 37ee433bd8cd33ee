/* Names of threads, objects and the places of threads among waiters, and their sites. */
#ifndef STRUCTURE_NAMES_H
#define STRUCTURE_NAMES_H

#include <unfold/effect.h>
#include <unfold/action.h>

#include "structure/unfolding.h"

struct site {
  uint32_t subject; /* thread or object handle */
  bool is_thread;
};

struct thread {
  uint32_t parent, index, site;
  uint32_t first; /* operation at ⊥, for a thread that runs from there */
  uint32_t start; /* in `starts`, from 1: of an event that created it lately; 0: of none */
  bool initial;
};

/* The site of an object that no action used yet: of no event, and beyond all cuts. */
#define NO_SITE 0x7FFFFFFFu

struct object {
  uint64_t key;
  int64_t initial; /* value of a semaphore or location; arrivals that a round of a barrier needs */
  int64_t maximum; /* of a semaphore, if one was stated, or 0 */
  uint32_t creator, site;
  uint8_t object_class;
  bool fixed; /* the initial value was said or used */
  bool used;  /* of a semaphore, and of a location without a place: an action on it was named */
  /* Of a location that was placed: its bytes, those of `size` from `first` on in a space, and 1 +
   * its first cell in `cells`, or 0. */
  uint8_t size;
  uint32_t space, cell;
  uint64_t first;
  uint32_t waiters; /* at a condition variable or in a queue: 1 + the first in `waiters`, or 0 */
};

/* The place of a thread among those that wait at a condition variable or in the queue of a futex.
 */
struct waiter {
  uint32_t thread, site, next; /* 1 + the next one of the object, or 0 */
};

/* A part of an object, see unf_use_part(). */
struct part {
  uint64_t number;
  uint32_t object, site;
};

#define FAMILY_NAME 32
/* A family of the front-end's own. */
struct custom {
  unf_effect effect; /* its name is the copy */
  char name[FAMILY_NAME];
};

/* The waiters' site of a thread at an object, made when it is new. Returns NONE when
 * refused. */
uint32_t unfi_waiter_site(unf_unfolding *u, uint32_t object, uint32_t thread);
/* The site of an object, given when an action first uses it. Returns NONE when refused. */
uint32_t unfi_object_site(unf_unfolding *u, uint32_t object);
/* The site of a part of an object, made when it is new; NONE when refused. And that of one that may
 * not have been used: then NO_SITE. */
uint32_t unfi_part_site(unf_unfolding *u, uint32_t object, uint64_t number);
uint32_t unfi_part_find(const unf_unfolding *u, uint32_t object, uint64_t number);
/* Room for some sites more; a site, where there is room. */
bool unfi_reserve_sites(unf_unfolding *u, uint32_t count);
uint32_t unfi_add_site(unf_unfolding *u, uint32_t subject, bool is_thread);
void unfi_names_free(unf_unfolding *u);

#endif
