/*
 * The description of a thread, as its front-end gave it: blocks with their phis, statements and
 * edges, registers with the statement or phi that gives them their values, and interned terms.
 */
#ifndef PURITY_FLOW_H
#define PURITY_FLOW_H

#include <unfold/purity.h>

#include "base/table.h"
#include "base/vector.h"

/* A term; one that is a register has its handle in `left`. */
struct term {
  int64_t value;
  uint32_t left, right;
  uint16_t op;
  uint16_t nodes; /* as a tree, at most UINT16_MAX */
};

struct operand {
  unf_block from;
  unf_term value;
};

enum definition { DEFINED_OUTSIDE, DEFINED_BY_PHI, DEFINED_BY_STATEMENT };

struct variable {
  uint32_t name; /* in names, 0: none */
  enum definition definition;
  unf_block block;
  uint32_t index; /* of the statement */
  VECTOR(struct operand) operands;
};

struct edge {
  unf_block to;
  unf_term condition;
};

struct block {
  uint32_t name;
  VECTOR(unf_register) phis;
  VECTOR(unf_statement) statements;
  VECTOR(struct edge) edges;
};

struct unf_flow {
  unf_context *context;
  VECTOR(struct block) blocks;
  VECTOR(struct variable) variables;
  VECTOR(struct term) terms; /* 0 is none */
  struct table interned;
  VECTOR(char) names;
};

static inline const struct term *term_at(const unf_flow *flow, unf_term term) {
  return &flow->terms.data[term];
}

static inline bool is_constant(const unf_flow *flow, unf_term term) {
  return term_at(flow, term)->op == UNF_OPERATOR_CONSTANT;
}

/* The name of a block or register, with the conventions of snprintf(). */
size_t unfi_block_text(const unf_flow *flow, unf_block block, char *buffer, size_t size);
size_t unfi_register_text(const unf_flow *flow, unf_register variable, char *buffer, size_t size);

#endif
