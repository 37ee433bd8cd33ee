/*
 * Small random programs for the analysis of purity: threads with a control-flow graph each, over
 * two shared variables and registers that hold 0 … 3. Everything that the library works out is
 * worked out here a second time, in the plainest way.
 */
#ifndef PURITY_PROGRAM_H
#define PURITY_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

enum { BLOCKS = 6, STATEMENTS = 3, EDGES = 3, PHIS = 2, REGISTERS = 16, LOOPS = 6, THREADS = 2 };
enum { NO_REGISTER = 255 };

struct arg {
  bool variable; /* a register; else a constant */
  uint8_t value;
};

enum expression { COPY, ADD_4, SUB_4, COMPARE }; /* sums are taken modulo 4 */

struct expr {
  uint8_t kind;
  uint8_t op; /* unf_operator, of COMPARE: all that give 0 … 3 */
  struct arg a, b;
};

struct stmt {
  unf_statement_kind kind;
  uint8_t result, variable;
  struct expr a;
  struct arg b;
  bool indexed, may_fail; /* of a load: from the variable b & 1; fails on 3 */
};

struct edge_to {
  uint8_t to;
  bool always;
  struct expr condition;
};

struct basic {
  uint8_t phi_count, statement_count, edge_count;
  uint8_t phi[PHIS];
  struct arg operand[PHIS][BLOCKS]; /* by the block that is left */
  struct stmt statement[STATEMENTS];
  struct edge_to edge[EDGES];
};

struct natural {
  uint8_t header, inside; /* a set of blocks */
  bool two_entries;       /* has a cycle without an edge to a block that dominates its source */
};

struct body {
  uint8_t block_count, register_count, loop_count;
  struct basic block[BLOCKS];
  uint8_t reached, dominators[BLOCKS];   /* sets of blocks */
  struct natural loop[LOOPS];            /* by dominators */
  uint16_t used;                         /* registers that make a difference, somewhere */
  uint16_t live[BLOCKS][STATEMENTS + 1]; /* and before each statement */
  uint16_t entry[BLOCKS];                /* and behind the phis of a block, with them */
};

struct random_program {
  struct body body[THREADS];
  uint8_t initial[THREADS][REGISTERS]; /* anything: what registers hold before they get a value */
};

uint32_t draw(uint64_t *seed, uint32_t below);
void generate(struct random_program *program, uint64_t seed);
/* Fills in what follows from the blocks. */
void derive(struct body *body);
uint8_t arg_value(const uint8_t *registers, struct arg a);
uint8_t expr_value(const uint8_t *registers, const struct expr *e);
/* Describes a body to the library. */
unf_status describe(unf_flow *flow, const struct body *body);
void print_body(const struct body *body);

#endif
