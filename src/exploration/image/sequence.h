/* Events one after the other, each possible after those before it. */
#ifndef EXPLORATION_IMAGE_SEQUENCE_H
#define EXPLORATION_IMAGE_SEQUENCE_H

#include <unfold/explore.h>

#include "base/bytes.h"
#include "configuration/configuration.h"

/* Events one after the other, each possible after those before it. */
void unfi_sequence_write(const uint32_t *events, uint32_t count, struct bytes_out *out);
/* Reads an event that is known and is not ⊥. */
uint32_t unfi_event_read(const unf_unfolding *u, struct bytes_in *in);
/* Whether an event that was read is possible at the end of the path; it is malformed if not. */
unf_status unfi_enabled_check(unf_explorer *x, struct bytes_in *in, uint32_t event);
/* Makes it the next step, which is taken back with unfi_path_pop(). */
unf_status unfi_image_push(unf_explorer *x, struct bytes_in *in, uint32_t event);
/* Reads a sequence and goes along it, from the path's end; the events are appended to `events`. */
unf_status unfi_sequence_read(unf_explorer *x, struct bytes_in *in, handle_vector *events);

#endif
