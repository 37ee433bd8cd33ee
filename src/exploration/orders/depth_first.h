/* Depth-first. */
#ifndef EXPLORATION_ORDERS_DEPTH_FIRST_H
#define EXPLORATION_ORDERS_DEPTH_FIRST_H

#include <unfold/explore.h>

struct depth_first {
  uint32_t saves; /* states of the front-end on the path, deepest first */
  uint32_t taken; /* event taken back whose node is not asked to the end; 0: none */
};

struct saved;
struct bytes_out;
struct bytes_in;

void unfi_depth_first_end(unf_explorer *x);
unf_status unfi_depth_first_next(unf_explorer *x);
uint32_t *unfi_depth_first_saves(unf_explorer *x, uint32_t depth);
const struct saved *unfi_depth_first_saved(const unf_explorer *x);
void unfi_depth_first_write(const unf_explorer *x, struct bytes_out *out);
void unfi_depth_first_read(unf_explorer *x, struct bytes_in *in);

#endif
