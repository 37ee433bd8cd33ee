/*
 * An exploration written down: its parts, in the order in which they stand. Handles are written as
 * they are, and are given again in the same order, so that whatever goes by their order comes out
 * the same; each is said by a canonical name before it is used: an event by its action and the
 * events that it follows. What is read is checked as if an enemy had written it.
 */
#ifndef EXPLORATION_IMAGE_IMAGE_H
#define EXPLORATION_IMAGE_IMAGE_H

#include <unfold/explore.h>

#include "base/bytes.h"
#include "configuration/configuration.h"

#define IMAGE_MAGIC   "unfexpl\n"
#define IMAGE_VERSION 2u

/* What was said of an object: a place, a maximum, an initial value. */
enum { SAID_PLACE = 1, SAID_MAXIMUM = 2, SAID_INITIAL = 4, SAID_MOST = 8 };

/* names.c: threads, objects with what was said of them, sites, sets, operations, actions. */
unsigned unfi_object_said(const unf_unfolding *u, const struct object *o, int64_t *initial);
void unfi_names_write(const unf_unfolding *u, struct bytes_out *out);
unf_status unfi_names_read(unf_unfolding *u, struct bytes_in *in);

/* events.c: the events, with what the explorer knows of each. */
unf_status unfi_events_write(const unf_explorer *x, struct bytes_out *out);
unf_status unfi_events_read(unf_explorer *x, struct bytes_in *in);

/* position.c: the path with D and what the strategy has at its nodes, the clue, the counts. */
unf_status unfi_position_write(const unf_explorer *x, struct bytes_out *out);
unf_status unfi_position_read(unf_explorer *x, struct bytes_in *in);

/* sequence.c: events one after the other, each possible after those before it. */
void unfi_sequence_write(const uint32_t *events, uint32_t count, struct bytes_out *out);
/* Reads an event that is known and is not ⊥. */
uint32_t unfi_event_read(const unf_unfolding *u, struct bytes_in *in);
/* Whether an event that was read is possible at the end of the path; it is malformed if not. */
unf_status unfi_enabled_check(unf_explorer *x, struct bytes_in *in, uint32_t event);
/* Makes it the next step, which is taken back with unfi_path_pop(). */
unf_status unfi_image_push(unf_explorer *x, struct bytes_in *in, uint32_t event);
/* Reads a sequence and goes along it, from the path's end; the events are appended to `events`. */
unf_status unfi_sequence_read(unf_explorer *x, struct bytes_in *in, handle_vector *events);
/* Reads events that are known, in any order. */
unf_status unfi_handles_read(const unf_unfolding *u, struct bytes_in *in, handle_vector *events);

#endif
