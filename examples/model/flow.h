/*
 * The control flow of a thread, from its code, as the library's analysis of loops wants it: basic
 * blocks, registers and places of the operand stack in static single assignment form, operations
 * with what they change.
 */
#ifndef MODEL_FLOW_H
#define MODEL_FLOW_H

#include <unfold/purity.h>

#include "program.h"

struct flow_block {
  uint32_t first, end; /* instructions */
  /* Blocks; of a conditional jump, the first is the one that it falls through to. */
  uint32_t to[2], edges;
  uint32_t height; /* of the stack at its start */
  bool reached;
  uint32_t before;      /* a block in the text before it that leads to it */
  uint32_t *statements; /* the instruction of each */
  uint32_t statement_count;
};

struct flow {
  const struct program *program;
  uint32_t first, count; /* instructions of the body */
  uint32_t registers;    /* of the machine */
  uint32_t slots;        /* registers, then places of the stack that a jump leaves used */
  struct flow_block *blocks;
  uint32_t block_count;
  uint32_t *block_at;     /* by instruction: the block that begins there, and 1 more; else 0 */
  uint32_t *in;           /* by block and slot: which value is there at the start */
  unf_term *start, *stop; /* by block and slot: the value at its start and end, as a term */
  unf_register *result;   /* by instruction: the register that a statement of it gives a value */
  unf_term *now;   /* slots while a block is gone through; of the stack, as many as there may be */
  uint32_t height; /* of the stack then */
  unf_flow *flow;
};

/* The library's failures, or UNF_MEMORY. */
unf_status flow_make(struct flow *f, unf_context *context, const struct program *program,
                     const struct body *body);
void flow_free(struct flow *f);

/* Brings `now` to where a block has performed so many of its statements. */
unf_status flow_go(struct flow *f, uint32_t block, uint32_t statements);
/* Brings `now` to directly before one of the instructions of a block. */
unf_status flow_go_before(struct flow *f, uint32_t block, uint32_t instruction);

/* A slot's value there that differs by the block that was left. */
static inline bool flow_is_phi(const struct flow *f, uint32_t block, uint32_t slot) {
  return f->in[block * f->slots + slot] == f->slots + f->count + block * f->slots + slot;
}

#endif
