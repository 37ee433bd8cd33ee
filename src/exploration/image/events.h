/* Events, with what the explorer knows of each. */
#ifndef EXPLORATION_IMAGE_EVENTS_H
#define EXPLORATION_IMAGE_EVENTS_H

#include <unfold/explore.h>

#include "base/bytes.h"

/* The events, with what the explorer knows of each. */
unf_status unfi_events_write(const unf_explorer *x, struct bytes_out *out);
unf_status unfi_events_read(unf_explorer *x, struct bytes_in *in);

#endif
