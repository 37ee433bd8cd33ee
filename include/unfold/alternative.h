/**
 * @file
 * Alternatives by combs (Section 5 of "Quasi-Optimal Partial Order Reduction", CAV 2018). Given a
 * configuration C and a set D of events that must not be taken after it, an alternative is a
 * configuration J such that C ∪ J is a configuration and every event of D is in conflict with
 * some event of J. The events of J come from a given set U. The spike of an event of D is the set
 * of events of U that are in conflict with it and could be part of J; a comb is the sequence of
 * all spikes. An alternative is found by choosing one event of each spike so that no two of them
 * are in conflict.
 */
#ifndef UNFOLD_ALTERNATIVE_H
#define UNFOLD_ALTERNATIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/configuration.h>
#include <unfold/event.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** k for a search that contradicts all events of D, and so decides whether there is an alternative
 * (NP-complete, Theorems 3 and 4). */
#define UNF_K_OPTIMAL 0u

/** Which k events of D must be contradicted. */
typedef enum unf_spike_choice {
  UNF_SPIKES_FEWEST = 0, /**< those with the fewest candidates */
  UNF_SPIKES_RECENT = 1, /**< those most recently added to D */
  UNF_SPIKES_FIRST = 2   /**< those added to D first */
} unf_spike_choice;

/** In which order candidates of one spike are tried. */
typedef enum unf_candidate_order {
  UNF_CANDIDATES_NEWEST = 0,
  UNF_CANDIDATES_OLDEST = 1
} unf_candidate_order;

/** Initialise with UNF_ALTERNATIVE_OPTIONS_INIT. */
typedef struct unf_alternative_options {
  uint32_t size; /**< sizeof(unf_alternative_options) */
  uint32_t k; /**< number of spikes that must be contradicted, or UNF_K_OPTIMAL (UNF_K_OPTIMAL) */
  /** Source sets: only the event that was added to D last has to be contradicted, and the other
   * spikes may be empty; k is then not used (false). */
  bool singleton;
  unf_spike_choice spikes;        /**< (UNF_SPIKES_FEWEST) */
  unf_candidate_order candidates; /**< (UNF_CANDIDATES_NEWEST) */
  /** After events for the k spikes were chosen, also takes an event of every other spike that has
   * one without conflict, in one pass without backtracking. This is polynomial, and leaves few
   * redundant runs with k = 1. Not used with singleton (true). */
  bool greedy;
} unf_alternative_options;

/** The defaults. */
#define UNF_ALTERNATIVE_OPTIONS_INIT                                                               \
  {                                                                                                \
    sizeof(unf_alternative_options), UNF_K_OPTIMAL, false, UNF_SPIKES_FEWEST,                      \
        UNF_CANDIDATES_NEWEST, true                                                                \
  }

/** The cost of searches; every call adds to it. */
typedef struct unf_alternative_statistics {
  uint64_t searches; /**< searches for an alternative */
  uint64_t found;    /**< searches that found one */
  uint64_t spikes;   /**< spikes built, for events of D that C does not contradict */
  uint64_t read;     /**< events looked at as candidates for spikes */
  uint64_t kept;     /**< candidates left in spikes after filtering */
  uint64_t nodes;    /**< partial choices tried by the comb search */
} unf_alternative_statistics;

/**
 * Looks for an alternative to D after C with events of U. U is in any order, D in the order in
 * which its events were added. On success *found says whether there is an alternative; if so,
 * *alternative, a configuration of the same unfolding, is set to J, the union of the local
 * configurations of the chosen events. Events of D that are in conflict with an event of C need no
 * contradiction; events of D that are in C are UNF_INVALID. options and statistics may be NULL.
 * Errors: UNF_INVALID, UNF_UNKNOWN, UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED. For the spikes O(the
 * entries of the histories), and the cost of conflict for each two events of U and D that have
 * different entries at a site; the search is exponential in k.
 */
UNF_API unf_status unf_alternative_find(unf_unfolding *unfolding, const unf_event *U,
                                        uint32_t U_count, const unf_configuration *C,
                                        const unf_event *D, uint32_t D_count,
                                        const unf_alternative_options *options, bool *found,
                                        unf_configuration *alternative,
                                        unf_alternative_statistics *statistics);

UNF_END_DECLS

#endif
