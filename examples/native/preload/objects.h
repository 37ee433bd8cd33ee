/* The objects of the program. */
#ifndef NATIVE_PRELOAD_OBJECTS_H
#define NATIVE_PRELOAD_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "../control/learned.h"
#include "../control/object_kinds.h"

struct thread;
struct word;

/* What threads synchronise by, as the scheduler sees it; of a barrier, one round. */
struct object {
  uint64_t address;
  enum object_kind kind;
  unf_object name;
  struct thread *owner;  /* the only one: not those that hold a rwlock for reading */
  uint64_t place;        /* where the owner locked it */
  uint32_t depth;        /* recursive ones: locks beyond the first */
  bool robust;           /* the mutex, as its owner found it */
  bool orphaned;         /* an owner ended, and it was not made consistent since */
  bool lost;             /* and never can be */
  uint64_t clock;        /* virtual time at the last release, post or arrival */
  uint64_t shared_clock; /* at the last release of a rwlock by a reader, read of an atomic object */
  uint64_t added_clock;  /* at the last addition to an atomic object */
  int64_t value;         /* of a semaphore, or of an atomic object */
  uint64_t lost_place;   /* of a condition variable: where it was notified in vain last, or 0 */
  bool initial_known;    /* of a semaphore, or of an atomic object */
  unsigned bits;         /* of an atomic object */
  bool blank;            /* an atomic object whose memory was never given a value */
  struct word *word;     /* of an atomic object that has bytes in common with others; or NULL */
  struct word *divided;  /* the word that begins here and has such objects, or NULL */
  struct object *next_range; /* of the same word */
  struct object *next_location;
  bool contended; /* an atomic object for which threads waited that should not (learn.c) */
  bool rewritten; /* an atomic object, by a plain access of a thread that has it in its list */
  bool covered;   /* and all of it, so that the value is no other thread's */
  struct object *next_rewritten;
  bool listed_met; /* an atomic object that is in the list of those that are compared */
  struct object *next_met;
  struct object *next_kept; /* atomic objects that have what was read, not what they are worth */
  uint32_t round, arrived, needed; /* of a round: its number, arrivals seen and needed */
  struct arrival *arrivals;        /* of a round */
  struct object *next_round;
  bool done;   /* of a once control */
  bool used;   /* by any thread, since main began */
  bool listed; /* among those that are known by their block */
  bool destroyed;
  bool replaced;    /* another one was initialised in its place */
  uint32_t renewed; /* how often another object was at this address before */
  bool gone;        /* its memory was allocated anew */
  /* Initialised while other threads ran: by whom, whose next event that is (or UNF_EVENT_NONE), and
   * threads of low numbers that are known to come after it. Who used the object: one thread that
   * did, and whether others did too. */
  const struct thread *initialised_by;
  unf_event initialised_before;
  uint64_t after_initialised;
  struct object *next_initialised;
  const struct thread *user;
  bool several_users, halted_user;
  /* Of the place of an object whose initialisation is an operation: the object that is there, or
   * NULL. Of that object: the place. */
  struct object *present, *initialisation;
  bool operation; /* of a place: an initialisation there is one */
  /* Of a barrier whose initialisation is an operation: arrivals in a round in front of what ends
   * the barrier, and how many rounds are over for the thread that does. */
  uint32_t waiting, ended;
  struct object *next_held;
};

/* Whether an atomic object was met in a word of memory, or in another one with its hash. */
enum { LOCATIONS_NEAR = 1024 };
extern bool locations_near[LOCATIONS_NEAR];
static inline uint32_t near_hash(uint64_t address) {
  return (uint32_t)((address / 8 * 0x9e3779b97f4a7c15u) >> 54);
}

struct arrival {
  const struct thread *thread;
  struct arrival *next;
};

struct object *object_word(uint64_t address);
struct object *object_part(const struct object *word, unsigned first, unsigned size);
void object_key(const struct object *o, unf_thread *creator, uint64_t *key);
bool object_bytes(unf_object name, unf_thread *creator, uint64_t *word, uint32_t *first,
                  uint32_t *size);
bool object_where(unf_object name, struct shared_word *w);
struct object *object_location(uint64_t address);
void objects_allocated(uint64_t address, uint64_t size);
struct object *object_at(const void *address, enum object_kind kind);
void object_initialise(const void *address, enum object_kind kind);
/* The one that is known there, or NULL. */
struct object *object_found(uint64_t address, enum object_kind kind);
bool object_is_place(unf_object name);
/* One of that name; NULL if this execution has not met it. */
const struct object *object_named(unf_object name);
/* Whether it is named by the thread that came to it first. */
bool object_is_first_use(unf_object name);
/* Where an object is, as a location of its own; NULL if that has no name. */
struct object *object_place(uint64_t address);
/* A new object there, named by the thread that initialises it. */
struct object *object_instance(uint64_t address, enum object_kind kind);
struct object *object_renew(const struct object *o);
void object_forget(struct object *o);
bool object_initial(struct object *o, int64_t value);
struct object *object_end(struct thread *t);
struct object *object_joins(struct thread *t);
bool object_is_joins(unf_object name);
void object_maximum(const struct object *o, int64_t value);
struct object *object_signals(struct thread *t);
struct object *object_round(struct object *o, uint32_t round);
void object_destroy(struct object *o);
void object_alive(const struct object *o, uint64_t place);
void object_text(char *text, size_t size, const struct object *o);
void object_lock(struct object *o, uint64_t place);
void object_unlock(struct object *o, uint64_t place);
bool object_trylock(struct object *o, uint64_t place);

#endif
