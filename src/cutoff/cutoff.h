/* The table of cutoffs: records of the events that were performed, by number; 0 is ⊥. */
#ifndef CUTOFF_CUTOFF_H
#define CUTOFF_CUTOFF_H

#include <unfold/cutoff.h>

#include "base/bytes.h"
#include "configuration/configuration.h"

struct record {
  unf_fingerprint own; /* what its thread changed up to it */
  uint32_t event;
  uint32_t state;
  uint32_t ordinal;        /* events of its thread up to it */
  uint32_t size;           /* of the local configuration */
  uint32_t layer;          /* of the Foata normal form: 1 more than the last one of its causes */
  uint32_t successors;     /* list in `edges`, 0: none */
  uint8_t verdict, before; /* unf_cutoff_verdict, now and when settling began */
};

/* A record that has another one as an immediate predecessor. */
struct successor {
  uint32_t record, next;
};

struct state {
  unf_fingerprint fingerprint;
  /* The record plus 1 of a kept event than which no other kept one is smaller; 0: none. */
  uint32_t best;
};

struct unf_cutoffs {
  unf_unfolding *u;
  unf_cutoff_order order;
  VECTOR(struct record) records;
  bool conditional;                   /* the unfolding has a predicate of consistency */
  VECTOR(unf_fingerprint) conditions; /* then, by record: what is known after it */
  VECTOR(uint32_t) record_of;         /* by event; 0: none */
  VECTOR(struct successor) edges;     /* the first is not used */
  VECTOR(struct state) states;        /* the first is not used */
  struct table state_table;
  uint64_t counts[UNF_CUTOFF_AFTER + 1]; /* of records, by verdict */
  uint32_t largest;                      /* size */
  handle_vector work, starts;
  /* order.c: */
  VECTOR(uint32_t) name_of; /* by action, where its name begins in `names` */
  VECTOR(char) names;
  handle_vector here, there; /* thread entries of the cuts of two events, by site */
  handle_vector left, right; /* events that only one of two local configurations has */
};

/* Writes the records and verdicts; reads them into a table without records. What is read is checked
 * as if an enemy had written it. */
void unfi_cutoffs_write(const unf_cutoffs *c, struct bytes_out *out);
unf_status unfi_cutoffs_read(unf_cutoffs *c, struct bytes_in *in);

/* Whether an event is a cutoff or after one, by the verdicts so far. */
unf_status unfi_cut_off(unf_cutoffs *c, uint32_t event, bool *out);

#endif
