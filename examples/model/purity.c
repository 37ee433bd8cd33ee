/*
 * What the library's analysis of loops finds becomes code. An operation that a loop repeats until
 * it succeeds, or loads the right value, and nothing else, becomes the one that waits for that;
 * everywhere else a thread is stopped where its iteration is known to do nothing.
 *
 * A thread is not stopped on a way without an operation: turning there for ever is a run-time
 * error. And an operation blocks only where the loop would turn for ever otherwise, as a thread
 * that is blocked is a deadlock.
 */
#include "purity.h"

#include <stdlib.h>
#include <string.h>

#include "flow.h"

enum { MOST_CODE = 600 };

/* Code to be put before or behind an instruction; `becomes` replaces that. */
struct edit {
  uint32_t instruction, count;
  bool behind, replaces;
  enum opcode becomes;
  int64_t value; /* its own */
  struct instruction code[MOST_CODE];
};

struct edits {
  struct edit **items;
  uint32_t count;
};

static struct edit *add_edit(struct edits *edits, uint32_t instruction, bool behind) {
  struct edit **moved = realloc(edits->items, (edits->count + (size_t)1) * sizeof(struct edit *));
  if (moved == NULL) return NULL;
  edits->items = moved;
  struct edit *edit = calloc(1, sizeof *edit);
  if (edit == NULL) return NULL;
  edit->instruction = instruction;
  edit->behind = behind;
  edits->items[edits->count++] = edit;
  return edit;
}

static void drop_last(struct edits *edits) {
  free(edits->items[--edits->count]);
}

static bool put(struct edit *edit, enum opcode opcode, uint32_t target, int64_t value,
                struct place place) {
  if (edit->count == MOST_CODE) return false;
  edit->code[edit->count++] = (struct instruction){opcode, target, value, place};
  return true;
}

/* The operator of the language; false: one that can fail there. */
static bool find_binary(unf_operator op, enum binary *out) {
  static const struct {
    unf_operator op;
    enum binary binary;
  } rows[] = {{UNF_OPERATOR_EQ, BINARY_EQUAL},        {UNF_OPERATOR_NE, BINARY_UNEQUAL},
              {UNF_OPERATOR_LT, BINARY_LESS},         {UNF_OPERATOR_LE, BINARY_LESS_EQUAL},
              {UNF_OPERATOR_GT, BINARY_GREATER},      {UNF_OPERATOR_GE, BINARY_GREATER_EQUAL},
              {UNF_OPERATOR_BIT_AND, BINARY_BIT_AND}, {UNF_OPERATOR_BIT_OR, BINARY_BIT_OR},
              {UNF_OPERATOR_BIT_XOR, BINARY_BIT_XOR}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].op == op) {
      *out = rows[i].binary;
      return true;
    }
  return false;
}

/* Code that leaves the value of a term on the stack, of what the machine holds at a place; false:
 * something is held nowhere. */
static bool put_term(const struct flow *f, unf_term term, struct place place, struct edit *edit) {
  unf_term_node node;
  enum binary binary;
  if (unf_term_view(f->flow, term, &node) != UNF_OK) return false;
  if (node.op == UNF_OPERATOR_CONSTANT) return put(edit, DO_PUSH, 0, node.value, place);
  for (uint32_t slot = 0; slot < f->registers + f->height; slot++)
    if (f->now[slot] == term)
      return slot < f->registers ? put(edit, DO_REGISTER, slot, 0, place)
                                 : put(edit, DO_STACK, slot - f->registers, 0, place);
  if (node.op == UNF_OPERATOR_REGISTER || !put_term(f, node.left, place, edit)) return false;
  bool logical = node.op == UNF_OPERATOR_AND || node.op == UNF_OPERATOR_OR;
  if (logical && !put(edit, DO_BOOLEAN, 0, 0, place)) return false;
  if (!put_term(f, node.right, place, edit)) return false;
  if (logical)
    return put(edit, DO_BOOLEAN, 0, 0, place) &&
           put(edit, DO_BINARY, node.op == UNF_OPERATOR_AND ? BINARY_BIT_AND : BINARY_BIT_OR, 0,
               place);
  return find_binary(node.op, &binary) && put(edit, DO_BINARY, binary, 0, place);
}

static bool is_operation(const struct flow *f, uint32_t instruction) {
  return f->program->code[f->first + instruction].opcode >= DO_LOCK;
}

/* Whether a part of a block, up to one of its statements, has an operation. */
static bool operates(const struct flow *f, uint32_t block, uint32_t statements) {
  for (uint32_t i = 0; i < statements; i++)
    if (is_operation(f, f->blocks[block].statements[i])) return true;
  return false;
}

/* Whether every way from the header to the place has an operation. */
static bool after_an_operation(const struct flow *f, const unf_purity *p, const unf_loop *loop,
                               const unf_insertion *in, uint8_t *seen) {
  bool changed = true;
  memset(seen, 0, f->block_count);
  seen[loop->header] = 1;
  while (changed) {
    changed = false;
    for (uint32_t b = loop->header; b < f->block_count; b++) {
      const struct flow_block *block = &f->blocks[b];
      if (!seen[b] || operates(f, b, block->statement_count)) continue;
      for (uint32_t i = 0; i < block->edges; i++)
        if (!seen[block->to[i]] && unf_purity_contains(p, in->loop, block->to[i])) {
          seen[block->to[i]] = 1;
          changed = true;
        }
    }
  }
  return !seen[in->block] || operates(f, in->block, in->before);
}

/* The operation that blocks instead of failing; the same if there is none. */
static enum opcode blocking(enum opcode opcode) {
  switch (opcode) {
  case DO_TRYLOCK:
  case DO_TIMEDLOCK:
    return DO_LOCK;
  case DO_TRYRDLOCK:
    return DO_RDLOCK;
  case DO_TRYWRLOCK:
    return DO_WRLOCK;
  case DO_TRYWAIT:
    return DO_SEM_WAIT;
  case DO_CAS:
    return DO_EXCHANGE_AWAIT;
  default:
    return opcode;
  }
}

/* Where the insertion comes to stand: behind a statement, or before the first one of its block. */
static struct edit *edit_at(const struct flow *f, const unf_insertion *in, struct edits *edits) {
  const struct flow_block *block = &f->blocks[in->block];
  if (in->before == 0) return add_edit(edits, f->first + block->first, false);
  return add_edit(edits, f->first + block->statements[in->before - 1], true);
}

/* The relation of an await, from one of the library's operators. */
static enum relation relation_of(unf_operator op) {
  static const uint8_t relations[] = {
      [UNF_OPERATOR_EQ] = RELATION_EQUAL,   [UNF_OPERATOR_NE] = RELATION_UNEQUAL,
      [UNF_OPERATOR_LT] = RELATION_LESS,    [UNF_OPERATOR_LE] = RELATION_AT_MOST,
      [UNF_OPERATOR_GT] = RELATION_GREATER, [UNF_OPERATOR_GE] = RELATION_AT_LEAST};
  return (enum relation)relations[op];
}

/* Code before a load or exchange that puts the value to compare with where an await has it: behind
 * the index, and before the new value, which is therefore put there again. */
static bool put_operand(struct flow *f, const unf_insertion *in, const struct instruction *old,
                        struct edit *edit) {
  if (old->opcode == DO_LOAD) return put_term(f, in->operand, old->place, edit);
  unf_term value = f->now[f->registers + --f->height];
  return put(edit, DO_POP, 0, 0, old->place) && put_term(f, in->operand, old->place, edit) &&
         put_term(f, value, old->place, edit);
}

/* A load or exchange becomes an await; *used: whether what it waits for is held anywhere. */
static unf_status use_memory_await(struct flow *f, const unf_insertion *in, struct edits *edits,
                                   bool *used) {
  uint32_t instruction = f->blocks[in->block].statements[in->before - 1];
  const struct instruction *old = &f->program->code[f->first + instruction];
  unf_status status = flow_go_before(f, in->block, instruction);
  if (status != UNF_OK) return status;
  struct edit *operand = add_edit(edits, f->first + instruction, false);
  if (operand == NULL) return UNF_MEMORY;
  *used = put_operand(f, in, old, operand);
  if (!*used) {
    drop_last(edits);
    return UNF_OK;
  }
  struct edit *edit = add_edit(edits, f->first + instruction, true);
  if (edit == NULL) return UNF_MEMORY;
  edit->replaces = true;
  edit->becomes = old->opcode == DO_LOAD ? DO_AWAIT : DO_EXCHANGE_AWAIT;
  edit->value = relation_of(in->relation);
  return UNF_OK;
}

static unf_status use_await(struct flow *f, const unf_insertion *in, struct edits *edits,
                            bool *used) {
  uint32_t instruction = f->blocks[in->block].statements[in->before - 1];
  const struct instruction *old = &f->program->code[f->first + instruction];
  if (old->opcode == DO_LOAD || old->opcode == DO_EXCHANGE)
    return use_memory_await(f, in, edits, used);
  struct edit *edit = edit_at(f, in, edits);
  if (edit == NULL) return UNF_MEMORY;
  edit->replaces = true;
  edit->becomes = blocking(old->opcode);
  edit->value = RELATION_EQUAL; /* of a compare-and-swap, whose result was whether it swapped */
  if (old->opcode == DO_CAS) put(edit, DO_POP, 0, 0, old->place);
  put(edit, DO_PUSH, 0, 1, old->place);
  return UNF_OK;
}

static unf_status use_stop(struct flow *f, const unf_insertion *in, const unf_loop *loop,
                           struct edits *edits, bool *used) {
  struct place place = f->program->code[f->first + f->blocks[loop->header].first].place;
  unf_status status = flow_go(f, in->block, in->before);
  if (status != UNF_OK) return status;
  struct edit *edit = edit_at(f, in, edits);
  if (edit == NULL) return UNF_MEMORY;
  *used = put_term(f, in->condition, place, edit) && put(edit, DO_STOP, 0, 0, place);
  if (!*used) drop_last(edits);
  return UNF_OK;
}

/* Whether the operation before a place waits already, for another loop. */
static bool is_replaced(const struct flow *f, const unf_insertion *in, const struct edits *edits) {
  uint32_t instruction = f->first + f->blocks[in->block].statements[in->before - 1];
  for (uint32_t i = 0; i < edits->count; i++)
    if (edits->items[i]->replaces && edits->items[i]->instruction == instruction) return true;
  return false;
}

/* Awaits first: what is behind an operation tests its result, which that must have left. */
static unf_status use_all(struct flow *f, const unf_purity *p, struct edits *edits,
                          struct purity_counts *counts) {
  uint8_t *seen = calloc(f->block_count, 1);
  unf_status status = seen != NULL ? UNF_OK : UNF_MEMORY;
  for (int awaits = 1; awaits >= 0; awaits--)
    for (uint32_t i = 0; i < unf_purity_insertions(p) && status == UNF_OK; i++) {
      unf_insertion in;
      unf_loop loop;
      status = unf_purity_insertion(p, i, &in);
      if (status == UNF_OK) status = unf_purity_loop(p, in.loop, &loop);
      bool await = in.await && in.livelock && in.operand != UNF_TERM_NONE;
      if (status != UNF_OK || await != awaits) continue;
      await = await && !is_replaced(f, &in, edits);
      bool used = !in.inner && after_an_operation(f, p, &loop, &in, seen);
      if (used && await)
        status = use_await(f, &in, edits, &used);
      else if (used)
        status = use_stop(f, &in, &loop, edits, &used);
      counts->awaits += used && await;
      counts->stops += used && !await;
      counts->unused += !used;
    }
  free(seen);
  return status;
}

static bool write_report(void *file, const char *text, size_t size) {
  return fwrite(text, 1, size, file) == size;
}

static unf_status analyse_body(unf_context *context, struct program *program, uint32_t body,
                               FILE *report, struct edits *edits, struct purity_counts *counts) {
  const struct symbol *symbol = &program->symbols[program->bodies[body].symbol];
  struct flow f;
  unf_purity *p = NULL;
  unf_status status = flow_make(&f, context, program, &program->bodies[body]);
  if (status == UNF_OK) status = unf_purity_new(f.flow, NULL, &p);
  if (status == UNF_OK) status = use_all(&f, p, edits, counts);
  for (uint32_t i = 0; status == UNF_OK && i < unf_purity_loops(p); i++) {
    unf_loop loop;
    status = unf_purity_loop(p, i, &loop);
    counts->loops++;
    counts->pure += loop.insertions > 0;
  }
  if (status == UNF_OK && report != NULL) {
    fprintf(report, "thread %.*s\n", (int)symbol->length, symbol->name);
    status = unf_purity_write(p, write_report, report);
  }
  unf_purity_free(p);
  flow_free(&f);
  return status;
}

/* The code with the edits, whose order is kept at each place. */
static bool rebuild(struct program *p, const struct edits *edits) {
  uint64_t room = p->code_count;
  for (uint32_t i = 0; i < edits->count; i++)
    room += edits->items[i]->count;
  if (room > UINT32_MAX) return false;
  struct instruction *code = malloc((size_t)room * sizeof *code);
  uint32_t *moved = malloc(p->code_count * sizeof *moved), count = 0;
  for (uint32_t i = 0; code != NULL && moved != NULL && i < p->code_count; i++) {
    moved[i] = count;
    for (int behind = 0; behind < 2; behind++) {
      for (uint32_t j = 0; j < edits->count; j++) {
        const struct edit *e = edits->items[j];
        if (e->instruction != i || e->behind != behind) continue;
        if (e->replaces) {
          code[count - 1].opcode = e->becomes;
          code[count - 1].value = e->value;
        }
        memcpy(code + count, e->code, e->count * sizeof *code);
        count += e->count;
      }
      if (behind == 0) code[count++] = p->code[i];
    }
  }
  for (uint32_t i = 0; code != NULL && moved != NULL && i < count; i++)
    if (code[i].opcode == DO_JUMP || code[i].opcode == DO_JUMP_IF_ZERO)
      code[i].target = moved[code[i].target];
  for (uint32_t b = 0; code != NULL && moved != NULL && b < p->body_count; b++)
    p->bodies[b].first = moved[p->bodies[b].first];
  bool good = code != NULL && moved != NULL;
  free(good ? p->code : code);
  if (good) {
    p->code = code;
    p->code_count = count;
    p->code_room = (uint32_t)room;
  }
  free(moved);
  return good;
}

unf_status purity_apply(struct program *program, FILE *report, struct purity_counts *counts) {
  struct edits edits = {NULL, 0};
  unf_context *context;
  *counts = (struct purity_counts){0};
  unf_status status = unf_context_new(NULL, &context);
  if (status != UNF_OK) return status;
  for (uint32_t b = 0; b < program->body_count && status == UNF_OK; b++)
    status = analyse_body(context, program, b, report, &edits, counts);
  if (status == UNF_OK && !rebuild(program, &edits)) status = UNF_MEMORY;
  while (edits.count > 0)
    drop_last(&edits);
  free(edits.items);
  unf_context_free(context);
  return status;
}
