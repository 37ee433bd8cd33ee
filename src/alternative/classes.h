/*
 * The candidates of a comb in classes, so that conflicts of classes are those of candidates: what a
 * candidate's history has at the sites where candidates of different spikes part is its *claim*,
 * and candidates with one claim go with the same candidates of other spikes.
 */
#ifndef ALTERNATIVE_CLASSES_H
#define ALTERNATIVE_CLASSES_H

#include "structure/block.h"

struct matrix;

struct class {
  uint32_t first, count;  /* what it claims, in `claims`; nothing: it goes with all other spikes */
  uint32_t member, other; /* a candidate of it, and one in another spike than that, or NONE */
  uint32_t literal;
  bool paired; /* its variable is that of another class, too */
};

/* What is known of a site. */
struct place {
  uint32_t entry;        /* the furthest of those seen, while one is above the other */
  uint32_t spike;        /* of the first that was seen there */
  bool several;          /* there is one of another spike */
  bool parts;            /* two may be in conflict here */
  uint32_t first, count; /* classes that claim something of it, in `claimers` */
};

/* The literal of a class is the positive one of the variable with its number. But of two that
 * exclude each other, and nothing else does, one can always be: the later one has the negative
 * literal of the other, and the variable with its number stands for nothing. */
struct classes {
  VECTOR(struct class) all;
  VECTOR(struct slot) claims;
  VECTOR(uint32_t) of;          /* by candidate: its class */
  VECTOR(uint32_t) spikes;      /* by candidate: its spike */
  VECTOR(struct place) places;  /* by site */
  VECTOR(struct slot) claimers; /* classes by site: in `site` the class, and its entry */
  VECTOR(uint32_t) slots;       /* classes by the hash of what they claim, plus one */
  VECTOR(uint64_t) rows;        /* by class: the classes that it excludes */
  VECTOR(uint8_t) made;         /* by class: its row was made */
  uint32_t words;               /* of a row */
};

/* Finds the classes of a matrix's candidates. Where configurations must be consistent, a class is
 * one event. */
unf_status unfi_classes_make(struct classes *c, const struct matrix *m);
/* The classes that one excludes, as bits: a candidate of one and a candidate of the other, in
 * another spike, are in conflict. Of two classes of one spike alone it may say either. */
const uint64_t *unfi_classes_row(struct classes *c, const struct matrix *m, uint32_t class);
void unfi_classes_free(unf_context *context, struct classes *c);

#endif
