/*
 * k-partial alternatives: Algorithm 1 of the CAV 2018 paper, UNF_QPOR and UNF_SDPOR.
 *
 * The events of U are kept in lists by the write that they follow, because the candidates of a
 * spike are followers there; those that cannot be used are parked where the reason stands
 * (followers.h, spikes.c).
 */
#ifndef EXPLORATION_STRATEGIES_QPOR_QPOR_H
#define EXPLORATION_STRATEGIES_QPOR_QPOR_H

#include "alternative/comb.h"
#include "exploration/explorer.h"
#include "exploration/strategies/qpor/chains.h"
#include "exploration/strategies/qpor/followers.h"
#include "extension/reversal.h"
#include "extension/site_uses.h"

/* The events of so many first steps are extended at the end of the run, others when they are taken
 * back: see extensions.c. */
#define EXTENDED_AT_ONCE 2048u

/* How far finishing a run is, for a call that was refused and is made again. */
struct learning {
  uint64_t run;            /* its number */
  uint32_t steps, threads; /* the first of them were asked what else they could have done (of steps
                              where they are asked again in each run); */
  uint32_t visited;        /* and of the next one so many extensions are in U */
  uint32_t left;           /* that is this event, which was taken back; 0: it is none */
  bool several;            /* some operation is left to reversal */
  bool reversing;          /* of the races of the run, ... */
  uint32_t known, count;   /* ... as far as the last one had no such steps; of so many */
};

struct qpor {
  unf_alternative_options options;
  struct followers followers;
  struct chains chains;
  VECTOR(uint64_t) extended; /* by event, a bit: its conflicting extensions are in U */
  handle_vector nested;      /* those of an operation so far, if those of each are among them */
  uint32_t extended_steps;   /* the first steps of the path, of whose events that holds */
  uint32_t reversed_step;    /* the first of them that is left to reversal, or NONE */
  uint32_t extended_at_once; /* EXTENDED_AT_ONCE */
  struct learning learning;
  uint32_t cut_off; /* events of U that are cutoffs or after one, out of the lists */
  struct comb comb;
  struct sparse J;        /* what was chosen */
  handle_vector reversed; /* the last execution whose races were reversed */
  struct attempts attempts;
  struct site_uses uses; /* of the run at hand */
};

static inline struct qpor *qpor_of(const unf_explorer *x) {
  return x->strategy_state;
}

static inline bool is_extended(const struct qpor *q, uint32_t event) {
  return q->extended.data[event / 64] >> event % 64 & 1;
}

static inline void set_extended(struct qpor *q, uint32_t event) {
  q->extended.data[event / 64] |= 1ull << event % 64;
}

#endif
