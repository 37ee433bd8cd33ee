/* The context as the library sees it: accounted memory, limits, and the detail of
 * the last error. */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <stdatomic.h>
#include <time.h>
#include <unfold/context.h>

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
  bool out_of_bytes; /* the last refusal was the limit on bytes, not the allocator */
  unf_detail detail;
};

/* Resizes a block; old_size is what was asked for last. NULL for new_size > 0: refused, the old
 * block stays. */
void *unfi_reallocate(unf_context *context, void *block, size_t old_size, size_t new_size);

/* The status that explains the last refusal: UNF_MEMORY or UNF_LIMIT; fills the detail. */
unf_status unfi_refused(unf_context *context);

/* Records a failure: a status, and a sentence made of its text and of the parts that follow (NULL:
 * of its text alone). Returns the status. */
#define unfi_fail(context, status, ...)                                                            \
  unfi_fail_with((context), (status), (const char *const[]){__VA_ARGS__, NULL})

/* The parts end with NULL. */
unf_status unfi_fail_with(unf_context *context, unf_status status, const char *const *parts);

/* The value that an option has is none. `wanted`: the only one that would do, or 0. */
unf_status unfi_wrong_option(unf_context *context, const char *option, uint64_t value,
                             uint64_t wanted);

/* Gives a line to the log callback, if there is one. */
void unfi_log(const unf_context *context, const char *line);

/* The limit on seconds, and interrupts: between executions and in long searches. */
unf_status unfi_poll(unf_context *context);

/* Whether one more execution may begin; fails with UNF_LIMIT else. */
unf_status unfi_admit_run(unf_context *context);

/* Whether one more event may be interned; fails with UNF_LIMIT else. */
unf_status unfi_admit_event(unf_context *context);

#endif
