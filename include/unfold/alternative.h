/**
 * @file
 * Alternatives by combs (Section 5 of the CAV 2018 paper). Given a configuration C and a set D of
 * events not to be taken again after it, an alternative is a configuration J, such that C ∪ J is
 * one too and every event of D is in conflict with some event of J. Its events come from a set U. A
 * spike holds, for one event of D, the events of U in conflict with it that could be part of J; a
 * comb is the row of spikes, and an alternative a choice of one event of each spike without
 * conflict among them.
 */
#ifndef UNFOLD_ALTERNATIVE_H
#define UNFOLD_ALTERNATIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/configuration.h>
#include <unfold/event.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** All of D: the search decides whether an alternative exists (NP-complete, Theorems 3 and 4). */
#define UNF_K_OPTIMAL 0u

/** Which k events of D must be contradicted. */
typedef enum unf_spike_choice {
  UNF_SPIKES_FEWEST, /**< those with the fewest candidates */
  UNF_SPIKES_RECENT, /**< those most recently added to D */
  UNF_SPIKES_FIRST   /**< those added to D first */
} unf_spike_choice;

/** In which order candidates of one spike are tried. */
typedef enum unf_candidate_order {
  UNF_CANDIDATES_NEWEST,
  UNF_CANDIDATES_OLDEST
} unf_candidate_order;

/** Initialise with UNF_ALTERNATIVE_OPTIONS_INIT. */
typedef struct unf_alternative_options {
  uint32_t size; /**< sizeof(unf_alternative_options) */
  uint32_t k; /**< number of spikes that must be contradicted, or UNF_K_OPTIMAL (UNF_K_OPTIMAL) */
  /** Source sets: only the event of D added last needs a contradiction, and emptiness of the other
     spikes is not looked at; k is then not used (false). */
  bool singleton;
  unf_spike_choice spikes;        /**< (UNF_SPIKES_FEWEST) */
  unf_candidate_order candidates; /**< (UNF_CANDIDATES_NEWEST) */
  /** After a choice for the k spikes was found, also takes a candidate of each other spike that has
     one without conflict, first come first served and without going back: polynomial, and k = 1
     then has few redundant runs. Not looked at for singleton (true). */
  bool greedy;
} unf_alternative_options;

/** The defaults. */
#define UNF_ALTERNATIVE_OPTIONS_INIT                                                               \
  {                                                                                                \
    sizeof(unf_alternative_options), UNF_K_OPTIMAL, false, UNF_SPIKES_FEWEST,                      \
        UNF_CANDIDATES_NEWEST, true                                                                \
  }

/** What searches cost; every call adds to it. */
typedef struct unf_alternative_statistics {
  uint64_t searches; /**< alternatives asked for */
  uint64_t found;    /**< and found */
  uint64_t spikes;   /**< spikes built, for unjustified events of D */
  uint64_t read;     /**< candidates looked at */
  uint64_t kept;     /**< candidates left in spikes after filtering */
  uint64_t nodes;    /**< partial choices tried by the comb search */
} unf_alternative_statistics;

/**
 * Looks for an alternative to D after C with events of U, an array of any order; D in the order of
 * addition. On success *found tells whether there is one, and if so *alternative (which must be of
 * the same unfolding) is J, the union of the local configurations chosen. Events of D in conflict
 * with an event of C need nothing; events of D in C are UNF_INVALID. options and statistics may be
 * NULL. Errors: UNF_INVALID, UNF_UNKNOWN, UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED. O(|U| · |D| ·
 * cost of conflict) for the spikes; the search is exponential in k.
 */
UNF_API unf_status unf_alternative_find(unf_unfolding *unfolding, const unf_event *U,
                                        uint32_t U_count, const unf_configuration *C,
                                        const unf_event *D, uint32_t D_count,
                                        const unf_alternative_options *options, bool *found,
                                        unf_configuration *alternative,
                                        unf_alternative_statistics *statistics);

UNF_END_DECLS

#endif
