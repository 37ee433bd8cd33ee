/* Building the description of a thread. A call that fails has changed nothing. */
#include "purity/flow.h"

#include <string.h>

#include "base/null.h"
#include "base/text.h"

static unf_status invalid(const unf_flow *flow, const char *text) {
  return unfi_fail(flow->context, UNF_INVALID, text);
}

unf_status unf_flow_new(unf_context *context, unf_flow **out) {
  RETURN_IF_NULL(context, context, out);
  unf_flow *flow = unfi_reallocate(context, NULL, 0, sizeof *flow);
  if (flow == NULL) return unfi_refused(context);
  memset(flow, 0, sizeof *flow);
  flow->context = context;
  *out = flow;
  return UNF_OK;
}

void unf_flow_free(unf_flow *flow) {
  if (flow == NULL) return;
  unf_context *context = flow->context;
  for (uint32_t i = 0; i < flow->blocks.count; i++) {
    struct block *block = &flow->blocks.data[i];
    vector_free(context, &block->phis);
    vector_free(context, &block->statements);
    vector_free(context, &block->edges);
  }
  for (uint32_t i = 0; i < flow->variables.count; i++)
    vector_free(context, &flow->variables.data[i].operands);
  vector_free(context, &flow->blocks);
  vector_free(context, &flow->variables);
  vector_free(context, &flow->terms);
  unfi_table_free(context, &flow->interned);
  vector_free(context, &flow->names);
  unfi_reallocate(context, flow, sizeof *flow, 0);
}

/* Copies a name; *at is 0 if there is none. */
static bool keep_name(unf_flow *flow, const char *name, uint32_t *at) {
  *at = 0;
  if (name == NULL) return true;
  size_t size = strlen(name) + 1;
  if (!vector_reserve(flow->context, &flow->names, (uint64_t)flow->names.count + size + 1))
    return false;
  if (flow->names.count == 0) vector_push(&flow->names, '\0');
  *at = flow->names.count;
  memcpy(flow->names.data + *at, name, size);
  flow->names.count += (uint32_t)size;
  return true;
}

unf_status unf_flow_block(unf_flow *flow, const char *name, unf_block *out) {
  RETURN_IF_NULL(flow->context, flow, out);
  struct block block = {0};
  if (!vector_reserve(flow->context, &flow->blocks, (uint64_t)flow->blocks.count + 1) ||
      !keep_name(flow, name, &block.name))
    return unfi_refused(flow->context);
  *out = flow->blocks.count;
  vector_push(&flow->blocks, block);
  return UNF_OK;
}

unf_status unf_flow_register(unf_flow *flow, const char *name, unf_register *out) {
  RETURN_IF_NULL(flow->context, flow, out);
  struct variable variable = {0};
  if (!vector_reserve(flow->context, &flow->variables, (uint64_t)flow->variables.count + 1) ||
      !keep_name(flow, name, &variable.name))
    return unfi_refused(flow->context);
  *out = flow->variables.count;
  vector_push(&flow->variables, variable);
  return UNF_OK;
}

enum { NO, YES, MAYBE };

/* What each kind needs: a result, the operands a and b. */
static const struct {
  uint8_t result, a, b;
} needs[UNF_STATEMENT_KIND_COUNT] = {
    [UNF_STATEMENT_LOCAL] = {YES, YES, NO},
    [UNF_STATEMENT_COMPUTE] = {MAYBE, MAYBE, MAYBE},
    [UNF_STATEMENT_LOAD] = {MAYBE, NO, NO},
    [UNF_STATEMENT_STORE] = {NO, MAYBE, MAYBE},
    [UNF_STATEMENT_FETCH_ADD] = {MAYBE, YES, NO},
    [UNF_STATEMENT_EXCHANGE] = {YES, YES, NO},
    [UNF_STATEMENT_CAS] = {YES, YES, YES},
    [UNF_STATEMENT_TRY] = {YES, MAYBE, MAYBE},
    [UNF_STATEMENT_AWAIT] = {MAYBE, MAYBE, MAYBE},
    [UNF_STATEMENT_EXCHANGE_AWAIT] = {YES, YES, MAYBE},
    [UNF_STATEMENT_ASSUME] = {NO, YES, NO},
    [UNF_STATEMENT_ASSERT] = {NO, YES, NO},
    [UNF_STATEMENT_EFFECT] = {MAYBE, YES, MAYBE},
};

static bool known_or_none(const unf_flow *flow, unf_term term, uint8_t need) {
  return term < (flow->terms.count > 0 ? flow->terms.count : 1) &&
         (term != UNF_TERM_NONE || need != YES);
}

/* Whether a register can still be given its value. */
static bool free_register(const unf_flow *flow, unf_register variable) {
  return variable < flow->variables.count &&
         flow->variables.data[variable].definition == DEFINED_OUTSIDE;
}

unf_status unf_flow_statement(unf_flow *flow, unf_block block, const unf_statement *statement) {
  RETURN_IF_NULL(flow->context, flow, statement);
  if (block >= flow->blocks.count) return invalid(flow, "a block that does not exist");
  if (statement->size != sizeof *statement ||
      (unsigned)statement->kind >= UNF_STATEMENT_KIND_COUNT ||
      (statement->flags & ~(UNF_STATEMENT_MAY_FAIL | UNF_STATEMENT_PLAIN)) != 0)
    return invalid(flow, "a statement that is none");
  if (!known_or_none(flow, statement->a, needs[statement->kind].a) ||
      !known_or_none(flow, statement->b, needs[statement->kind].b) ||
      !known_or_none(flow, statement->where, MAYBE))
    return invalid(flow, "an operand is missing or does not exist");
  uint8_t result = needs[statement->kind].result;
  bool none = statement->result == UNF_REGISTER_NONE;
  if (none ? result == YES : result == NO || !free_register(flow, statement->result))
    return invalid(flow, "the result is missing, or a register that cannot be one");
  struct block *to = &flow->blocks.data[block];
  if (!vector_reserve(flow->context, &to->statements, (uint64_t)to->statements.count + 1))
    return unfi_refused(flow->context);
  if (!none) {
    struct variable *variable = &flow->variables.data[statement->result];
    variable->definition = DEFINED_BY_STATEMENT;
    variable->block = block;
    variable->index = to->statements.count;
  }
  vector_push(&to->statements, *statement);
  return UNF_OK;
}

unf_status unf_flow_phi(unf_flow *flow, unf_block block, unf_register result) {
  RETURN_IF_NULL(flow->context, flow);
  if (block >= flow->blocks.count || block == 0)
    return invalid(flow, "a phi of the first block, or of one that does not exist");
  if (!free_register(flow, result)) return invalid(flow, "a register that cannot be a phi");
  struct block *to = &flow->blocks.data[block];
  if (!vector_reserve(flow->context, &to->phis, (uint64_t)to->phis.count + 1))
    return unfi_refused(flow->context);
  flow->variables.data[result].definition = DEFINED_BY_PHI;
  flow->variables.data[result].block = block;
  vector_push(&to->phis, result);
  return UNF_OK;
}

unf_status unf_flow_phi_operand(unf_flow *flow, unf_register phi, unf_block from, unf_term value) {
  RETURN_IF_NULL(flow->context, flow);
  if (phi >= flow->variables.count || flow->variables.data[phi].definition != DEFINED_BY_PHI ||
      from >= flow->blocks.count || !known_or_none(flow, value, YES))
    return invalid(flow, "an operand of no phi, or from no block");
  struct variable *variable = &flow->variables.data[phi];
  for (uint32_t i = 0; i < variable->operands.count; i++)
    if (variable->operands.data[i].from == from)
      return invalid(flow, "a second operand of a phi for a block");
  if (!vector_reserve(flow->context, &variable->operands, (uint64_t)variable->operands.count + 1))
    return unfi_refused(flow->context);
  vector_push(&variable->operands, ((struct operand){from, value}));
  return UNF_OK;
}

unf_status unf_flow_edge(unf_flow *flow, unf_block from, unf_block to, unf_term condition) {
  RETURN_IF_NULL(flow->context, flow);
  if (from >= flow->blocks.count || to >= flow->blocks.count)
    return invalid(flow, "an edge between blocks that do not exist");
  if (!known_or_none(flow, condition, MAYBE))
    return invalid(flow, "the condition of an edge does not exist");
  struct block *block = &flow->blocks.data[from];
  if (block->edges.count > 0 &&
      block->edges.data[block->edges.count - 1].condition == UNF_TERM_NONE)
    return invalid(flow, "an edge after one that is always taken");
  if (!vector_reserve(flow->context, &block->edges, (uint64_t)block->edges.count + 1))
    return unfi_refused(flow->context);
  vector_push(&block->edges, ((struct edge){to, condition}));
  return UNF_OK;
}

const char *unf_statement_text(unf_statement_kind kind) {
  static const char *const names[] = {
#define NAME(name, text) text,
      UNF_STATEMENT_TABLE(NAME)
#undef NAME
  };
  return (unsigned)kind < UNF_STATEMENT_KIND_COUNT ? names[kind] : "?";
}

static size_t name_text(const unf_flow *flow, uint32_t name, const char *prefix, uint32_t number,
                        char *buffer, size_t size) {
  struct text text = unfi_text(buffer, size);
  if (name != 0) {
    unfi_text_add(&text, flow->names.data + name);
  } else {
    unfi_text_add(&text, prefix);
    unfi_text_u64(&text, number);
  }
  return text.length;
}

size_t unfi_block_text(const unf_flow *flow, unf_block block, char *buffer, size_t size) {
  return name_text(flow, flow->blocks.data[block].name, "b", block, buffer, size);
}

size_t unfi_register_text(const unf_flow *flow, unf_register variable, char *buffer, size_t size) {
  return name_text(flow, flow->variables.data[variable].name, "r", variable, buffer, size);
}
