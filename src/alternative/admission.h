/*
 * Which candidates a comb can choose where configurations must be consistent: with C and what was
 * chosen before. Three that exclude each other may go together in pairs, so this is no relation of
 * pairs, and what fails after some choices may go well after others.
 */
#ifndef ALTERNATIVE_ADMISSION_H
#define ALTERNATIVE_ADMISSION_H

#include "configuration/branches.h"

struct admission {
  bool on;
  struct cut C;
  handle_vector events; /* branch events: those of C, then those of what was chosen */
  handle_vector counts; /* how many they were before each choice */
  handle_vector cut;    /* scratch: by site */
};

/* Begins with C, without a choice. Does nothing for an unfolding without a predicate. */
unf_status unfi_admission_begin(unf_unfolding *u, struct admission *a, struct cut C);
void unfi_admission_free(unf_context *context, struct admission *a);
/* unfi_admit_choice() with a predicate. */
unf_status unfi_admit_consistent(unf_unfolding *u, struct admission *a, uint32_t candidate,
                                 bool *admitted);

/* Chooses a candidate, without conflict with C, if *admitted. */
static inline unf_status unfi_admit_choice(unf_unfolding *u, struct admission *a,
                                           uint32_t candidate, bool *admitted) {
  *admitted = true;
  return a->on ? unfi_admit_consistent(u, a, candidate, admitted) : UNF_OK;
}

/* Takes the last choice back. */
static inline void unfi_admission_pop(struct admission *a) {
  if (a->on) a->events.count = a->counts.data[--a->counts.count];
}

#endif
