/*
 * The orders of a program's threads. Threads that run the same code without looking at their number
 * can change places without changing anything, so that only orders that differ otherwise count.
 */
#ifndef GOLDEN_ORDERS_H
#define GOLDEN_ORDERS_H

#include "program.h"

typedef struct orders {
  uint32_t threads;
  uint32_t *class_of; /* of each thread: the first thread with the same code */
  uint32_t *at;       /* the class at each place, of the current order */
  uint32_t *place;    /* of each thread: the current order */
  uint64_t count;     /* different orders; UINT64_MAX if there are more */
} orders;

/* Begins with the first in the order of dictionaries: the order of the text, but with threads that
 * are alike next to each other. */
void orders_begin(orders *o, const program *p);
/* The next one in the order of dictionaries; false after the last. */
bool orders_next(orders *o);
/* Any order; the state decides which, and changes. */
void orders_draw(orders *o, uint64_t *state);
/* From last to first. */
void orders_reverse(orders *o);
void orders_free(orders *o);

#endif
