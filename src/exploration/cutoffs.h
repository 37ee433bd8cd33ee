/* Exploring with cutoffs. */
#ifndef EXPLORATION_CUTOFFS_H
#define EXPLORATION_CUTOFFS_H

#include <unfold/explore.h>

#include "base/bytes.h"
#include "configuration/configuration.h"

struct cutoffs {
  unf_cutoffs *table;     /* NULL: none */
  handle_vector restored; /* events that were cut off and are kept: their successors are to come */
  uint32_t next_restored; /* the first of them that was not looked at */
};

/* Begins; UNF_OK without cutoffs too. */
unf_status unfi_cutoffs_begin(unf_explorer *x, unf_cutoff_order order);
void unfi_cutoffs_end(unf_explorer *x);
/* Whether it is explored with cutoffs. */
bool unfi_cutoffs_used(const unf_explorer *x);
/* Whether an event, or an action after C, is not performed again: it is a cutoff, and no outcome of
 * a branch, or after one. */
unf_status unfi_event_cut_off(unf_explorer *x, uint32_t event, bool *out);
unf_status unfi_action_cut_off(unf_explorer *x, const unf_action *action, bool *out);
/* Writes the table, and which events came back; reads it. Nothing without
 * cutoffs. */
void unfi_explorer_cutoffs_write(const unf_explorer *x, struct bytes_out *out);
unf_status unfi_explorer_cutoffs_read(unf_explorer *x, struct bytes_in *in);
/* When everything is explored: the next event whose successors are to come is made the branch, if
 * there is one. */
unf_status unfi_restore(unf_explorer *x);

#endif
