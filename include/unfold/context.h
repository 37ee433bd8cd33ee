/**
 * @file
 * The context: allocator, limits, callbacks and the account of the last error. There is no global
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

/** What everything else is made from: memory, limits, and the account of the last error. */
typedef struct unf_context unf_context;

/**
 * Where memory comes from. reallocate(user, NULL, 0, n) allocates, (user, p, n, 0) frees and
 * returns NULL, anything else resizes; NULL for a size above 0 means failure and leaves the old
 * block as it is. Blocks are aligned as by malloc().
 */
typedef struct unf_allocator {
  /** As told above. */
  void *(*reallocate)(void *user, void *block, size_t old_size, size_t new_size);
  void *user; /**< given to it */
} unf_allocator;

/** Ends of an exploration; 0 means none. A call that meets one returns UNF_LIMIT and can be made
 * again after unf_context_set_limits(). */
typedef struct unf_limits {
  uint64_t events; /**< events held, all unfoldings of the context together (0) */
  uint64_t bytes;  /**< bytes taken from the allocator (0) */
  uint64_t runs;   /**< executions begun, all explorers of the context together (0) */
  double seconds;  /**< since the context was made, monotonic clock (0) */
} unf_limits;

/** How far an exploration is; given to the progress callback after each execution that is due. */
typedef struct unf_progress {
  uint64_t runs;      /**< executions finished */
  uint64_t redundant; /**< of them cut short */
  uint64_t events;    /**< held */
  uint64_t bytes;     /**< taken from the allocator now */
  double left;        /**< estimate of the traces still to come (unf_explorer_estimate()); below 0:
                         not known */
  double left_error;  /**< standard error of it; below 0: not known */
} unf_progress;

/** Everything that is fixed when a context is made. Initialise with UNF_CONTEXT_OPTIONS_INIT. */
typedef struct unf_context_options {
  uint32_t size;           /**< sizeof(unf_context_options), for later versions */
  unf_allocator allocator; /**< reallocate = NULL: malloc of the C library (default) */
  unf_limits limits;       /**< none */
  /** Receives remarks of the library, one line without its end: that an exploration ended, or why
   * it stopped before. NULL: none (default). */
  void (*log)(void *user, const char *line);
  void *log_user; /**< given to it */
  /** Called after every progress_interval executions; returning false interrupts.
   * NULL: none (default). */
  bool (*progress)(void *user, const unf_progress *progress);
  void *progress_user;        /**< given to it */
  uint64_t progress_interval; /**< executions between two calls (256) */
} unf_context_options;

/** The defaults. */
#define UNF_CONTEXT_OPTIONS_INIT                                                                   \
  { sizeof(unf_context_options), {0, 0}, {0, 0, 0, 0}, 0, 0, 0, 0, 256 }

/** What the last failed call had to say; fields that do not apply are none or 0. */
typedef struct unf_detail {
  unf_status status; /**< UNF_OK when the last call succeeded */
  uint64_t step;     /**< 1-based step of an execution, or line of an input */
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

/** Account of the last call that failed on this context; valid until the next call on it. O(1). */
UNF_API const unf_detail *unf_context_detail(const unf_context *context);

/** Replaces the limits, for going on after UNF_LIMIT. The clock of limits->seconds is
 * not reset. O(1). */
UNF_API unf_status unf_context_set_limits(unf_context *context, const unf_limits *limits);

/**
 * Asks the call that runs, or the next one that can be interrupted, to return UNF_INTERRUPTED. The
 * request is then used up and the exploration can go on. The only function that another thread or a
 * signal handler may call.
 */
UNF_API void unf_context_interrupt(unf_context *context);

/** Bytes that the context and everything made from it have taken from the allocator. O(1). */
UNF_API uint64_t unf_context_bytes(const unf_context *context);

UNF_END_DECLS

#endif
