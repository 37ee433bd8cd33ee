/**
 * @file
 * The context: allocator, limits, callbacks and the detail of the last error. There is no global
 * state: everything the library does belongs to one context. A context and all that was made from
 * it may be used by one thread at a time; different contexts may be used at the same time.
 */
#ifndef UNFOLD_CONTEXT_H
#define UNFOLD_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/export.h>
#include <unfold/status.h>

UNF_BEGIN_DECLS

/** What everything else is made from: memory, limits, and the detail of the last error. */
typedef struct unf_context unf_context;

/**
 * Where memory comes from. reallocate(user, NULL, 0, n) allocates n bytes, reallocate(user, p, n,
 * 0) frees a block of n bytes and returns NULL, and all other calls resize a block. NULL for a new
 * size above 0 means failure and leaves the old block as it is. Blocks are aligned as by malloc().
 */
typedef struct unf_allocator {
  /** Allocates, resizes and frees, as described above. */
  void *(*reallocate)(void *user, void *block, size_t old_size, size_t new_size);
  void *user; /**< passed to reallocate */
} unf_allocator;

/** Limits on what a context uses; 0 means no limit. A call that would exceed one returns UNF_LIMIT,
 * and can be repeated after unf_context_set_limits(). */
typedef struct unf_limits {
  uint64_t events; /**< events held, by all unfoldings of the context together (0) */
  uint64_t bytes;  /**< bytes taken from the allocator (0) */
  uint64_t runs;   /**< executions begun, by all explorers of the context together (0) */
  double seconds;  /**< time since the context was made, by a monotonic clock (0) */
} unf_limits;

/** How far an exploration is; passed to the progress callback. */
typedef struct unf_progress {
  uint64_t runs;      /**< executions finished */
  uint64_t redundant; /**< finished executions that were redundant */
  uint64_t events;    /**< events held now */
  uint64_t bytes;     /**< bytes taken from the allocator now */
  /** Estimate of the traces still to come (unf_explorer_estimate()); negative: not known. */
  double left;
  double left_error; /**< standard error of `left`; negative: not known */
} unf_progress;

/** Everything that is fixed when a context is made. Initialise with UNF_CONTEXT_OPTIONS_INIT. */
typedef struct unf_context_options {
  uint32_t size; /**< sizeof(unf_context_options), so that later versions can add fields */
  unf_allocator allocator; /**< reallocate = NULL: the C library's (NULL) */
  unf_limits limits;       /**< (no limits) */
  /** Receives messages of the library, one line at a time without its line feed: that an
   * exploration ended, or why it stopped early. NULL: no messages (NULL). */
  void (*log)(void *user, const char *line);
  void *log_user; /**< passed to log */
  /** Called after every progress_interval executions; returning false interrupts the exploration.
   * NULL: not called (NULL). */
  bool (*progress)(void *user, const unf_progress *progress);
  void *progress_user;        /**< passed to progress */
  uint64_t progress_interval; /**< executions between two calls (256) */
} unf_context_options;

/** The defaults. */
#define UNF_CONTEXT_OPTIONS_INIT                                                                   \
  { sizeof(unf_context_options), {0, 0}, {0, 0, 0, 0}, 0, 0, 0, 0, 256 }

/** Why the last call failed; fields that do not apply are 0 or a NONE handle. */
typedef struct unf_detail {
  unf_status status; /**< what that call returned; UNF_OK: none failed yet */
  uint64_t step;     /**< step of an execution, from 1, or line of an input */
  uint64_t place;    /**< cookie of the front-end, or column of an input */
  uint32_t thread;   /**< thread handle, or UNF_THREAD_NONE */
  uint32_t event;    /**< event handle, or UNF_EVENT_NONE */
  char expected[96]; /**< the action or operation that was expected, as text */
  char seen[96];     /**< the one that was seen */
  char text[256];    /**< a full sentence, with all of the above */
} unf_detail;

/**
 * Makes a context. options may be NULL (all defaults). On success *out is owned by the caller, to
 * be freed with unf_context_free() after everything made from it. Errors: UNF_INVALID, UNF_MEMORY.
 * O(1).
 */
UNF_API unf_status unf_context_new(const unf_context_options *options, unf_context **out);

/** Frees a context; NULL does nothing. All objects made from it must have been
 * freed before. O(1). */
UNF_API void unf_context_free(unf_context *context);

/** Detail of the last call that failed, if its arguments lead to this context (a fingerprint does
 * not, nor does NULL); valid until the next call on the context. O(1). */
UNF_API const unf_detail *unf_context_detail(const unf_context *context);

/** What is left of each limit; see unf_context_left(). */
typedef struct unf_left {
  uint64_t runs;   /**< executions that may begin; UINT64_MAX: no limit */
  uint64_t events; /**< that may be interned; UINT64_MAX: no limit */
  uint64_t bytes;  /**< that may be allocated; UINT64_MAX: no limit */
  double seconds;  /**< 0: the time is over; negative: no limit */
} unf_left;

/** What is left of each limit. Error: UNF_INVALID (NULL). O(1). */
UNF_API unf_status unf_context_left(unf_context *context, unf_left *out);

/** Replaces the limits, for going on after UNF_LIMIT. The clock of limits->seconds is not reset.
 * Error: UNF_INVALID (NULL, or seconds that are negative or no number). O(1). */
UNF_API unf_status unf_context_set_limits(unf_context *context, const unf_limits *limits);

/**
 * Asks the call that is running, or else the next one that can be interrupted, to return
 * UNF_INTERRUPTED. That answers the request, and the exploration can go on. Calls look at requests
 * and at the limit of time after at most 10,000 elementary steps, such as an event that is looked
 * at. A call that is made again goes on where it was; only the small part of its work that it stood
 * in begins again, and is let go on longer before it is given up once more, so that all calls
 * together cost at most about twice what one costs that is not interrupted. This is the only
 * function that another thread or a signal handler may call. O(1).
 */
UNF_API void unf_context_interrupt(unf_context *context);

/** Bytes that the context and everything made from it have taken from the allocator. O(1). */
UNF_API uint64_t unf_context_bytes(const unf_context *context);

UNF_END_DECLS

#endif
