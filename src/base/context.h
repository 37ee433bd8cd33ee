/*
 * The context as the library sees it: accounted memory, limits, and the detail of the last error.
 *
 * Refused: a call is refused when it got no memory, met a limit of the context, or was interrupted.
 * Comments say "returns false when refused" (or NULL, 0, NONE) of functions that do not return a
 * status. What the caller can see has not changed then, and the context knows the reason; of an
 * allocation that was refused, unfi_refused() returns the status. So a function that first does
 * everything that can be refused, and only then changes something, can be called again.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <stdatomic.h>
#include <time.h>
#include <unfold/context.h>

/* Why an allocation was refused, or room that is no matter of memory. */
struct refusal {
  const char *what; /* of which the library itself can hold no more; NULL: bytes */
  uint64_t wanted;  /* as many more of it, or in all of `what` */
  bool by_limit;    /* bytes: the limit of the context, not the allocator */
};

/*
 * Long calls count elementary steps, such as an event that is looked at, and look at limits every
 * so many. A call that is refused and made again goes on where it was, but for a unit of its work:
 * that begins again. So that a call which is interrupted again and again comes to its end, a unit
 * that was given up is let have UNIT_GROWTH times what it had before it can be given up once more.
 */
#define WORK_BETWEEN_LOOKS 10000u
#define UNIT_GROWTH        16u

/* Where no more executions may begin, what the last one teaches serves only to see whether it was
 * the last of all. So many elementary steps are spent on that, besides some for each step of the
 * execution and each thread. */
#define WORK_BEHIND_LAST_RUN 1000000u

struct work {
  uint64_t steps;   /* elementary steps so far */
  uint64_t look;    /* limits are looked at when there are so many */
  uint64_t unit;    /* there were so many when the unit at hand began */
  uint64_t owed;    /* so many it is let have */
  uint64_t most;    /* behind the last execution that may begin: with more of them it is refused */
  bool spent;       /* it was */
  uint32_t between; /* steps between two looks, WORK_BETWEEN_LOOKS */
  uint32_t behind;  /* WORK_BEHIND_LAST_RUN */
};

struct unf_context {
  unf_allocator allocator;
  unf_limits limits;
  void (*log)(void *user, const char *line);
  void *log_user;
  bool (*progress)(void *user, const unf_progress *progress);
  void *progress_user;
  uint64_t progress_interval;
  uint64_t bytes;  /* taken from the allocator now */
  uint64_t events; /* interned, all unfoldings */
  uint64_t runs;   /* executions begun, all explorers */
  struct timespec start;
  atomic_bool interrupted;
  struct work work;
  struct refusal refusal; /* the last one */
  unf_detail detail;
};

/* What is called for errors and what is rare: out of the way of what calls it, and so is all that
 * leads to such a call alone. A program goes through much of the library for each execution, so
 * that its speed depends on how few lines of the processor's cache that code has. */
#define RARE __attribute__((cold, noinline))

/* The less common cases of a function, kept out of it so that it has few registers to save. */
#define NOINLINE __attribute__((noinline))

/* Allocates, resizes (old_size is the size of the block) or frees a block (new_size 0), like
 * unf_allocator. Returns NULL for new_size > 0 when refused, and the old block stays as it is. */
void *unfi_reallocate(unf_context *context, void *block, size_t old_size, size_t new_size);

/* Refuses, as an allocation is refused, because `wanted` of something (in static storage) are more
 * than the library can number. Returns false. */
RARE bool unfi_too_many(unf_context *context, const char *what, uint64_t wanted);

/* The status of the last allocation that was refused, UNF_MEMORY or UNF_LIMIT; fills
 * in the detail. */
RARE unf_status unfi_refused(unf_context *context);

/* Records a failure: a status, and a sentence made of its text and of the parts that follow, if
 * there are any. Returns the status. */
#define unfi_fail(context, status, ...)                                                            \
  unfi_fail_with((context), (status), (const char *const[]){__VA_ARGS__, NULL})

/* As unfi_fail(), with the parts in an array that ends with NULL. */
RARE unf_status unfi_fail_with(unf_context *context, unf_status status, const char *const *parts);

/* Fails with UNF_INVALID: an option has a value that is not allowed. `wanted`: the only one that
 * is, or 0. */
RARE unf_status unfi_wrong_option(unf_context *context, const char *option, uint64_t value,
                                  uint64_t wanted);

/* Passes a line to the log callback, if there is one. */
RARE void unfi_log(const unf_context *context, const char *line);

/* Fails with UNF_LIMIT when the time is over, and with UNF_INTERRUPTED after an interrupt. Called
 * between executions and in long searches. */
unf_status unfi_poll(unf_context *context);

/* unfi_poll() before so many steps are made, unless the unit at hand is owed more. */
RARE unf_status unfi_look(unf_context *context, uint64_t steps);

/* Counts elementary steps where nothing can be refused. */
static inline void unfi_count(unf_context *context, uint64_t steps) {
  context->work.steps += steps;
}

/* Counts elementary steps that are about to be made; fails as unfi_poll(). */
static inline unf_status unfi_work(unf_context *context, uint64_t steps) {
  struct work *work = &context->work;
  if (work->steps + steps > work->look) return unfi_look(context, steps);
  work->steps += steps;
  return UNF_OK;
}

/* How many steps to count before turn i of a loop, each turn of which makes `each` of them: where
 * that is few, those of many turns at once, and none in between. */
#define TURNS_AT_ONCE 64u
static inline uint64_t steps_from(uint32_t i, uint32_t each) {
  if (each > TURNS_AT_ONCE) return each;
  return i % TURNS_AT_ONCE == 0 ? (uint64_t)each * TURNS_AT_ONCE : 0;
}

/* The unit of work at hand is done: a call that is made again goes on behind it. */
static inline void unfi_done(unf_context *context) {
  context->work.unit = context->work.steps;
  context->work.owed = 0;
}

/* Fails with UNF_LIMIT if no more executions may begin. */
unf_status unfi_admit_run(unf_context *context);

/* Begins what is done behind an execution of so many steps and threads: if no more may begin, it is
 * refused as by unfi_admit_run() when it has cost so much as WORK_BEHIND_LAST_RUN says. */
void unfi_behind_run(unf_context *context, uint64_t steps);
/* Ends it. Returns whether it was refused for that. */
bool unfi_behind_run_end(unf_context *context);

/* Fails with UNF_LIMIT if no more events may be interned. */
unf_status unfi_admit_event(unf_context *context);

#endif
