/* Threads, objects with what was said of them, sites, sets, operations, actions. */
#ifndef EXPLORATION_IMAGE_NAMES_H
#define EXPLORATION_IMAGE_NAMES_H

#include <unfold/explore.h>

#include "base/bytes.h"
#include "structure/names.h"

/* Threads, objects with what was said of them, sites, sets, operations, actions. */
unsigned unfi_object_said(const unf_unfolding *u, const struct object *o, int64_t *initial);
void unfi_names_write(const unf_unfolding *u, struct bytes_out *out);
unf_status unfi_names_read(unf_unfolding *u, struct bytes_in *in);

#endif
