/* The path with D and what the strategy has at its nodes, the clue, the counts. */
#ifndef EXPLORATION_IMAGE_POSITION_H
#define EXPLORATION_IMAGE_POSITION_H

#include <unfold/explore.h>

#include "base/bytes.h"

/* The path with D and what the strategy has at its nodes, the clue, the counts. */
unf_status unfi_position_write(const unf_explorer *x, struct bytes_out *out);
unf_status unfi_position_read(unf_explorer *x, struct bytes_in *in);

#endif
