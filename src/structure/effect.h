/*
 * Effect families. A family says which actions and operations it has and what is particular to
 * them, which actions an operation can have after a cut, what an action follows there, and which
 * conflicting extensions come of it; everything else in the library is the same for all. Each is a
 * file of extension/.
 */
#ifndef STRUCTURE_EFFECT_H
#define STRUCTURE_EFFECT_H

#include "structure/cut.h"

/* Takes what an action would follow; false ends the enumeration, with a status of the receiver's
 * own. */
typedef bool (*causes_visitor)(void *user, const struct causes *causes);
typedef bool (*outcome_visitor)(void *user, const unf_action *action);

/* What the target of an action or an operation is: an object of a class, a thread, the reason of a
 * halt, or nothing. */
enum target {
#define TARGET(name, text) TARGET_##name = UNF_##name,
  UNF_OBJECT_TABLE(TARGET)
#undef TARGET
      TARGET_THREAD,
  TARGET_REASON,
  TARGET_NONE
};

static inline bool is_object(enum target target) {
  return (unsigned)target < UNF_OBJECT_CLASS_COUNT;
}

/* What the second object of an action or an operation is. */
enum second { SECOND_NONE, SECOND_MUTEX, SECOND_LOCATION, SECOND_RELATION, SECOND_FAMILY };

/* The class of the second object; TARGET_NONE: it is none. */
static inline enum target second_target(enum second second) {
  if (second == SECOND_MUTEX) return TARGET_MUTEX;
  return second == SECOND_LOCATION ? TARGET_LOCATION : TARGET_NONE;
}

/* What the value of an action is. */
enum value {
  VALUE_NONE,
  VALUE_NUMBER,
  VALUE_THREAD,  /* or UNF_LOST: none */
  VALUE_THREADS, /* a set of threads, which follows from the causes */
  VALUE_CHOSEN   /* a set of threads, of several that there could be */
};

/* Which numbers an operation carries. */
enum numbers {
  NUMBERS_NONE,
  NUMBERS_LOW,
  NUMBERS_BOTH,
  NUMBERS_RANGE /* low ≤ high: the value of its action is between them, and data choose it */
};

/* What threads compete for by an operation: who comes first there decides what others can do. */
enum contended {
  CONTENDED_NOTHING,
  CONTENDED_TARGET,
  CONTENDED_SECOND,
  CONTENDED_IF_TRIED /* the target, where operations that can fail (`tries`) are known to be */
};

/* Which initial values objects can have. */
enum initial {
  INITIAL_NONE,
  INITIAL_COUNT, /* none below 0 */
  INITIAL_NUMBER
};

struct effect_family;

/* Lists the sites that an action uses beside that of its thread, into u->use_room. UNF_INVALID:
 * its value means nothing. */
typedef unf_status (*uses_function)(unf_unfolding *u, const unf_action *action);

struct action_row {
  unf_action_kind kind;
  enum second second;
  enum value value;
  enum access access; /* of the target, if that is all that is used */
  uses_function uses; /* else; NULL without `access`: no uses */
  bool waits;         /* from there on the thread waits at the target, see waiters.h */
  bool sole; /* events of it that follow no layer have no conflicting extensions of their own */
  /* Entered when the table is made. */
  const struct effect_family *family;
  enum target target;
};

struct operation_row {
  unf_operation_kind kind;
  enum second second;
  enum numbers numbers;
  enum contended contended;
  bool tries;  /* fails where it would have to wait */
  bool steady; /* can be performed wherever its thread stands at it, and is then the same action */
  bool replaces; /* what it writes, if it does, follows from the operation alone */
  bool ends;     /* the thread does nothing more */
  bool nested;   /* of its conflicting extensions, those given behind one are all that one has */
  /* Entered when the table is made. */
  const struct effect_family *family;
  enum target target;
};

static inline bool is_thread_set(enum value value) {
  return value == VALUE_THREADS || value == VALUE_CHOSEN;
}

struct action_rows {
  const struct action_row *rows;
  uint32_t count;
};

struct operation_rows {
  const struct operation_row *rows;
  uint32_t count;
};

/* An array of rows as one of these. */
#define ROWS(array)                                                                                \
  { (array), sizeof(array) / sizeof *(array) }

/*
 * A shape: actions that an operation can have, which depend on the same events.
 *
 * A family with `conflicting` computes conflicting extensions on its own. The others give `shapes`
 * instead, from which the general enumeration (extension/exact.c) and race reversal
 * (extension/reversal.c) work.
 */
struct enumeration;
struct shape {
  unf_action action;
  /* Where the value is not known before: the sites that count, written; NULL: the value is that of
   * `action`, and the sites are its own. */
  const uint32_t *sites;
  uint32_t site_count;
  bool other_values; /* with sites: the value of `action` belongs to another shape */
  /* These prune the enumeration of extension/exact.h; NULL: they do not. Takes what must be taken
   * with the events that were; false: that cannot be. */
  bool (*complete)(struct enumeration *e);
  /* Whether nothing can come of what was taken and left so far. */
  bool (*hopeless)(struct enumeration *e);
};
typedef bool (*shape_visitor)(void *user, const struct shape *shape);

/* Every family has actions, operations, outcomes, possible, one of conflicting and shapes, and one
 * of blockers and concerns. */
struct reversal;
struct effect_family {
  struct action_rows actions;
  struct operation_rows operations;
  enum initial initial; /* of the targets */
  /* What an operation can become follows from what its targets were used for, and from nothing
   * else. */
  bool only_target;
  /* A front-end's own: what it says is checked, and what it looks at is not known. */
  bool foreign;
  /* Its objects serve once, as a round of a barrier does: which one it is follows from what the
   * thread did before, and names that compare states leave it out. */
  bool once;
  /* Whether the numbers of an operation are what its kind wants, beyond what its row says; NULL:
   * they are. Asked once, when the operation is interned. */
  unf_status (*admit)(unf_unfolding *u, const unf_operation *operation);
  /* Gives the actions that the operation can have after the cut, none if it blocks. */
  unf_status (*outcomes)(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, outcome_visitor visit, void *user);
  /* UNF_OK when the action can happen after the cut, where its thread has started; UNF_DISABLED
   * when not, or why it is refused. */
  unf_status (*possible)(unf_unfolding *u, struct cut cut, const unf_action *action);
  /*
   * Conflicting extensions that come from the operation of `thread` after `before`: every other
   * event that the operation can become within the history of `event`, which it became, or within
   * the cut of a configuration where it is still to be performed (event NONE). Returns UNF_OK also
   * when the visitor ended it. NULL: they come of `shapes`.
   */
  unf_status (*conflicting)(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            const unf_operation *operation, uint32_t event, causes_visitor visit,
                            void *user);
  /* Every action that the operation can have in some configuration within the cut, by groups of
   * which each has one set of dependent events. */
  unf_status (*shapes)(unf_unfolding *u, struct cut cut, uint32_t thread,
                       const unf_operation *operation, shape_visitor visit, void *user);
  /* Of an operation that is blocked after the cut, the events that must all be left out before it
   * can be performed, into an array with room for one for each thread; returns their number, 0: it
   * cannot help to leave any out. An event that need not be left out, because another one can be
   * in its place, is none of them. NULL: such events are not known, and everything that changes
   * what the operation concerns is tried. */
  uint32_t (*blockers)(const unf_unfolding *u, struct cut cut, uint32_t thread,
                       const unf_operation *operation, uint32_t *out);
  /* Without blockers: the sites on which it depends whether the operation can be performed, into
   * u->use_room. */
  unf_status (*concerns)(unf_unfolding *u, const unf_operation *operation);
  /* Without blockers, or NULL: whether leaving out events that add to the operation's target, above
   * its last write and not in the history of `keep`, can help. */
  bool (*adds_help)(unf_unfolding *u, struct cut cut, const unf_operation *operation,
                    uint32_t keep);
  /* An event in the cut, beside the one before it, without which a thread cannot perform an
   * operation, or could not when it became `event`, if that is none; 0: there is none. NULL: never.
   */
  uint32_t (*needed)(unf_unfolding *u, struct cut cut, uint32_t thread,
                     const unf_operation *operation, uint32_t event);
  /* Reversals of an event, and of an operation that was not performed, beside those of races, see
   * extension/reversing.h. NULL: there are none. */
  void (*reverse)(unf_unfolding *u, struct reversal *r, uint32_t event);
  void (*reverse_end)(unf_unfolding *u, struct reversal *r, uint32_t thread, uint32_t before);
  /* The thread that has to act before an operation can be performed; NONE: that is not known. NULL:
   * never. */
  uint32_t (*awaited)(const unf_unfolding *u, struct cut cut, const unf_operation *operation);
  /* Of an event that writes all that it uses, and of which everything but this is entered: the
   * value to carry with it, see unfi_carried(). NULL: none. Of one use whose operation replaces
   * what was there it is not kept, but asked for when it is wanted, see unfi_value_written(). */
  int64_t (*written)(unf_unfolding *u, uint32_t event);
  /* How much an event adds to the only site that it uses; what has been added since the last write
   * is then reported by entry_sum(). NULL: nothing is counted. */
  int64_t (*amount)(unf_unfolding *u, uint32_t event);
};

/* The rows of all families, by kind. */
struct effect_table {
  const struct effect_family *const *families;
  uint32_t count;
  struct action_row actions[UNF_ACTION_COUNT];
  struct operation_row operations[UNF_OPERATION_COUNT];
  enum initial initial[UNF_OBJECT_CLASS_COUNT];
  bool waits[UNF_OBJECT_CLASS_COUNT]; /* whether threads have places there, see action_row */
};

/* Whether an action starts its target, a thread; and whether it follows the end of it. */
static inline bool starts_thread(const unf_unfolding *u, uint32_t kind) {
  const struct action_row *row = &u->effects->actions[kind];
  return row->target == TARGET_THREAD && row->access == ACCESS_WRITE;
}

static inline bool joins_thread(const unf_unfolding *u, uint32_t kind) {
  const struct action_row *row = &u->effects->actions[kind];
  return row->target == TARGET_THREAD && row->access == ACCESS_END;
}

/* effect.c: the `blockers` of a family of which nothing that was performed blocks an operation. */
uint32_t unfi_no_blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                          const unf_operation *operation, uint32_t *out);

/* effect.c: the table of these families, of which every kind has one. Returns NULL when refused. */
struct effect_table *unfi_effects_new(unf_context *context,
                                      const struct effect_family *const *families, uint32_t count);

#endif
