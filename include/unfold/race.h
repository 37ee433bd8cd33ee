/**
 * @file
 * Data races between plain accesses to memory, by the order of causality.
 *
 * A plain access is no event. It belongs to the silent code between two events of its thread: an
 * access of thread t after its event e, where n is the next event of t, comes before an access of
 * another thread after its event f exactly when n ≤ f, or when t has no further event and a join of
 * t is ≤ f. Two accesses of different threads that overlap, one of them a write, of which neither
 * comes before the other, are a race. This depends on the configuration alone and not on the order
 * in which it was performed.
 *
 * In each execution that is watched, every pair of places with a race is found. An exploration that
 * watches all executions thus finds every race of every configuration explored.
 */
#ifndef UNFOLD_RACE_H
#define UNFOLD_RACE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/event.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** The accesses of the execution at hand and the races found so far. */
typedef struct unf_races unf_races;

/** Initialise with UNF_RACES_OPTIONS_INIT. */
typedef struct unf_races_options {
  uint32_t size;  /**< sizeof(unf_races_options) */
  uint64_t every; /**< watch one execution out of so many (1: all) */
  /** 0: those are the first, the every+1st and so on; else each execution is watched with
   * probability 1/every, drawn from this seed and its number (0). */
  uint64_t seed;
} unf_races_options;

/** The defaults. */
#define UNF_RACES_OPTIONS_INIT                                                                     \
  { sizeof(unf_races_options), 1, 0 }

/** One access. */
typedef struct unf_access {
  unf_thread thread; /**< that made it, after the last event of its own that was reported */
  bool write;        /**< else it only reads */
  uint64_t address;  /**< of its first byte; any numbering of memory will do */
  uint64_t size;     /**< in bytes, at least 1 */
  uint64_t place;    /**< where in the program; only compared and carried */
} unf_access;

/** Two accesses that race. Each unordered pair of places is one race. */
typedef struct unf_race {
  unf_access first;   /**< as it was performed when the pair was first seen; address and size are
                         those of the bytes that both touch, as far as they lie in one aligned word
                         of 8 */
  unf_access second;  /**< likewise, after it */
  uint64_t count;     /**< watched executions that have such a race */
  uint64_t execution; /**< in which it was first seen, from 1 in the order of unf_races_begin() */
  uint64_t steps;     /**< of that execution after which the second access was made */
} unf_race;

/** What was done so far. */
typedef struct unf_races_counts {
  uint64_t executions; /**< begun */
  uint64_t watched;    /**< of them */
  uint64_t accesses;   /**< reported and not known to be ordered with everything */
  uint64_t races;      /**< found */
} unf_races_counts;

/** Makes a detector over an unfolding, which must outlive it. options may be NULL. *out is owned by
 * the caller. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_races_new(unf_unfolding *unfolding, const unf_races_options *options,
                                 unf_races **out);

/** Frees a detector; NULL does nothing. O(1). */
UNF_API void unf_races_free(unf_races *races);

/**
 * Begins an execution whose first `shared` steps are those of the execution before (0 for the
 * first; unf_run.shared). On entry *resumed is the number of steps that the front-end need not
 * perform again, at most shared; 0 means that it starts over, and reports all accesses again. On
 * return it may be smaller, where accesses of steps are needed that an execution not watched did
 * not report, or that one may not have come to report because it was dropped midway. What happened
 * up to there is kept. *watched tells whether this execution is watched;
 * if not, nothing must be reported in it. Errors: UNF_INVALID (resumed > shared), UNF_MEMORY,
 * UNF_LIMIT. O(accesses taken back + races of the steps shared), or when it starts over O(memory
 * held).
 */
UNF_API unf_status unf_races_begin(unf_races *races, uint64_t shared, uint64_t *resumed,
                                   bool *watched);

/** Reports the next event performed, beyond the steps resumed. Errors: UNF_STATE (not in a watched
 * execution, or the event does not follow the last one of its thread), UNF_UNKNOWN, UNF_INVALID
 * (⊥), UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_races_step(unf_races *races, unf_event event);

/**
 * Reports an access, made after the steps reported so far. It is compared with all others of the
 * execution that overlap it, unless both belong to steps that were already looked at in an earlier
 * execution. Errors: UNF_STATE (not in a watched execution, or the thread has not started),
 * UNF_UNKNOWN, UNF_INVALID (size 0 or beyond the end of memory), UNF_MEMORY, UNF_LIMIT; the call
 * can be made again. For each word of 8 bytes touched expected O(threads · places that accessed
 * it), and O(threads + joins) for the first access after an event. The idea of an epoch in place of
 * a clock for each access is that of FastTrack (Flanagan, Freund, PLDI 2009); here a cell keeps the
 * last access of each thread and place, so that no pair is lost.
 */
UNF_API unf_status unf_races_access(unf_races *races, const unf_access *access);

/** Says that bytes are another piece of memory from now on, because they were given back and
 * allocated anew: accesses before and after are not compared. Errors: UNF_STATE, UNF_INVALID,
 * UNF_MEMORY, UNF_LIMIT. O(min(size / 8, words touched so far)). */
UNF_API unf_status unf_races_forget(unf_races *races, uint64_t address, uint64_t size);

/** What was done so far. O(1). */
UNF_API void unf_races_counts_get(const unf_races *races, unf_races_counts *out);

/** The race number index, from 0 in the order in which they were found.
 * Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_races_get(const unf_races *races, uint64_t index, unf_race *out);

UNF_END_DECLS

#endif
