/*
 * What a family adds to the reversals of races (reversal.c). M is the maximal configuration, P what
 * is left of it without some events and their successors.
 */
#ifndef EXTENSION_REVERSING_H
#define EXTENSION_REVERSING_H

#include "configuration/configuration.h"
#include "structure/effect.h"

struct reversal;

struct cut unfi_reversal_M(const struct reversal *r);
struct cut unfi_reversal_P(const struct reversal *r);
/* Whether it was refused or ended. */
bool unfi_reversal_stopped(const struct reversal *r);
/* Ends it with a status, unless that is UNF_OK. */
void unfi_refuse_reversal(struct reversal *r, unf_status status);
/* Makes P the events of M without one and its successors. Returns false when refused. */
bool unfi_without_event(struct reversal *r, uint32_t event);
/* Leaves out one more, from the next P on. Returns false when refused. */
bool unfi_leave_out(struct reversal *r, uint32_t event);
/* Makes P what is left of M now. Returns false when refused. */
bool unfi_without(struct reversal *r);
/* Visits everything that a thread can do after P, if it stands there after `before`. */
void unfi_at(struct reversal *r, uint32_t thread, uint32_t before);
/* The events that the operation of an event could have become where it was performed. */
void unfi_reverse_in_place(struct reversal *r, uint32_t event);
/* The siblings of an event, or the one that is drawn. */
void unfi_reverse_to_siblings(struct reversal *r, uint32_t event);

#endif
