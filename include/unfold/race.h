/**
 * @file
 * Data races between plain accesses to memory, by causality.
 *
 * A plain access is not an event. It belongs to the silent code between two events of its thread.
 * Let an access of thread t be made after its event e, and let n be the next event of t. It comes
 * before an access that another thread makes after its event f exactly if n ≤ f, or if t has no
 * further event and a join of t is ≤ f. Two accesses of different threads are a race if they
 * overlap, at least one of them is a write, and neither comes before the other. This depends only
 * on the configuration, not on the order in which its events were performed.
 *
 * In every execution that is watched, all pairs of places that race are found. So an exploration
 * that watches all executions finds every race of every configuration explored.
 *
 * Races are not looked for in probes (unf_run.probe), whose other defects are reported: the events
 * of a probe do not belong to the unfolding, by whose causality a race is decided. No function here
 * is called for a probe. A race that a probe runs into is found when the exploration comes to the
 * same trace; if it is stopped before, that race is not reported.
 */
#ifndef UNFOLD_RACE_H
#define UNFOLD_RACE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/event.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** A race detector: the accesses of the current execution, and the races found so far. */
typedef struct unf_races unf_races;

/** Initialise with UNF_RACES_OPTIONS_INIT. */
typedef struct unf_races_options {
  uint32_t size;  /**< sizeof(unf_races_options) */
  uint64_t every; /**< watch one execution out of this number; 1: all (1) */
  /** 0: watch the first execution, the every+1st and so on. Otherwise: watch each execution with
   * probability 1/every, drawn from this seed and the number of the execution (0). */
  uint64_t seed;
  /** Executions of processes that this one goes on from (unfold/continue.h): they count where one
   * out of a number is watched (0). */
  uint64_t before;
} unf_races_options;

/** The defaults. */
#define UNF_RACES_OPTIONS_INIT                                                                     \
  { sizeof(unf_races_options), 1, 0, 0 }

/** One access. */
typedef struct unf_access {
  unf_thread thread; /**< the thread that made it, after its last event that was reported */
  bool write;        /**< whether it writes; otherwise it only reads */
  uint64_t address;  /**< of its first byte; any numbering of memory will do */
  uint64_t size;     /**< in bytes, at least 1 */
  uint64_t place;    /**< where in the program: a number that is only compared and reported */
} unf_access;

/** Two accesses that race. Each unordered pair of places is one race. */
typedef struct unf_race {
  /** The earlier access when the pair was first seen. Its address and size are those of the bytes
   * that both accesses touch, within one aligned word of 8 bytes. */
  unf_access first;
  unf_access second; /**< the later access, with the same address and size */
  uint64_t count;    /**< number of watched executions in which the two places race */
  /** The execution in which the pair was first seen; executions are numbered from 1, in the
   * order of unf_races_begin(). */
  uint64_t execution;
  uint64_t steps; /**< number of steps of that execution before the second access */
} unf_race;

/** What a race detector has done so far. */
typedef struct unf_races_counts {
  uint64_t executions; /**< executions begun */
  uint64_t watched;    /**< executions watched */
  uint64_t accesses;   /**< accesses reported that were not known to be ordered with all others */
  uint64_t races;      /**< races found */
} unf_races_counts;

/** Makes a detector over an unfolding, which must outlive it. options may be NULL. *out is owned by
 * the caller. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_races_new(unf_unfolding *unfolding, const unf_races_options *options,
                                 unf_races **out);

/** Frees a detector; NULL does nothing. O(1). */
UNF_API void unf_races_free(unf_races *races);

/**
 * Begins an execution whose first `shared` steps are those of the previous execution
 * (unf_run.shared; 0 for the first execution). On entry, *resumed is the number of steps that the
 * front-end does not want to perform again, at most shared; 0 means that it starts over and reports
 * all accesses again. On return it may be smaller, if accesses of those steps are needed that were
 * not reported: because an execution was not watched, or was dropped before its end. What was
 * reported up to *resumed is kept. *watched says whether this execution is watched; if not, nothing
 * must be reported in it. Errors: UNF_INVALID (resumed > shared), UNF_MEMORY, UNF_LIMIT. O(accesses
 * taken back + races of the steps shared), or when it starts over O(memory held).
 */
UNF_API unf_status unf_races_begin(unf_races *races, uint64_t shared, uint64_t *resumed,
                                   bool *watched);

/** Reports the next event that was performed, after the resumed steps. Errors: UNF_STATE (not in a
 * watched execution, or the event does not follow the last one of its thread), UNF_UNKNOWN,
 * UNF_INVALID (⊥), UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_races_step(unf_races *races, unf_event event);

/**
 * Reports an access that was made after the steps reported so far. It is compared with all other
 * accesses of the execution that overlap it, except where both belong to steps whose accesses were
 * compared in an earlier execution. Errors: UNF_STATE (not in a watched execution, or the thread
 * has not started), UNF_UNKNOWN, UNF_INVALID (size 0 or beyond the end of memory), UNF_MEMORY,
 * UNF_LIMIT; the call can be repeated. Expected O(threads · places that accessed it) for each word
 * of 8 bytes that is touched, and O(threads + joins) for the first access after an event. Keeping
 * an epoch instead of a clock with each access is the idea of FastTrack (Flanagan, Freund, PLDI
 * 2009); here a cell keeps the last access of each thread and place, so that no pair is lost.
 */
UNF_API unf_status unf_races_access(unf_races *races, const unf_access *access);

/** Says that bytes were freed and allocated again, and are from now on a different piece of memory:
 * accesses before and after are not compared. Errors: UNF_STATE, UNF_INVALID, UNF_MEMORY,
 * UNF_LIMIT. O(min(size / 8, words touched so far)). */
UNF_API unf_status unf_races_forget(unf_races *races, uint64_t address, uint64_t size);

/** What the detector has done so far. O(1). */
UNF_API void unf_races_counts_get(const unf_races *races, unf_races_counts *out);

/** Race number `index`, from 0, in the order in which the races were found.
 * Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_races_get(const unf_races *races, uint64_t index, unf_race *out);

/** How many races the current execution has so far, or the last one had, if it is watched; they are
 * numbered from 0. O(1). */
UNF_API uint64_t unf_races_here_count(const unf_races *races);

/** Race number `number` of the current execution. *index: its number as for unf_races_get(), which
 * has its places and its count in all executions. *out: its accesses here. Where executions share
 * the steps that led to the race, `execution` and `steps` are those in which it was seen.
 * Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_races_here(const unf_races *races, uint64_t number, uint64_t *index,
                                  unf_race *out);

/** Where in its execution race number `index` was, when it was first seen: the last event of the
 * thread of each access before it, ⊥ if it had none, the event that created the thread if there was
 * no other. UNF_EVENT_NONE: the event was freed since. Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_races_after(const unf_races *races, uint64_t index, unf_event *first,
                                   unf_event *second);

UNF_END_DECLS

#endif
