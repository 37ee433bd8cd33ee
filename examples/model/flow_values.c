/*
 * Which value each register and place of the stack holds at the start of each block: the parameter
 * that it was at first, the result of an instruction, or a phi of the block, where the blocks that
 * lead there leave different ones. Values start unknown and only become known or phis, so that a
 * loop that does not write a register needs no phi for it.
 */
#include "flow_values.h"

#include <stdlib.h>

#include "flow.h"
#include "machine.h"

#define UNKNOWN UINT32_MAX

uint32_t flow_takes(const struct flow *f, const struct instruction *in) {
  const struct symbol *symbols = f->program->symbols;
  switch (in->opcode) {
  case DO_SHARED:
    return symbols[in->target].indexed;
  case DO_SET_SHARED:
    return 1u + symbols[in->target].indexed;
  case DO_BINARY:
  case DO_CHOOSE:
    return 2;
  case DO_NEGATE:
  case DO_NOT:
  case DO_COMPLEMENT:
  case DO_BOOLEAN:
  case DO_SET_REGISTER:
  case DO_POP:
  case DO_JUMP_IF_ZERO:
  case DO_ASSUME:
  case DO_ASSERT:
    return 1;
  case DO_WAIT:
  case DO_TIMEDWAIT:
    return (uint32_t)symbols[in->target].indexed + symbols[in->value].indexed;
  default:
    if (in->opcode < DO_LOCK || in->opcode == DO_EXIT) return 0;
    return (uint32_t)machine_numbers(in->opcode) + symbols[in->target].indexed;
  }
}

bool flow_gives(const struct instruction *in) {
  return in->opcode <= DO_BINARY || opcode_has_result(in->opcode);
}

/* Goes through a block on values; `now` holds what they are at its start, and then at its end. */
static void go_through(const struct flow *f, const struct flow_block *block, uint32_t *now) {
  uint32_t height = block->height;
  for (uint32_t i = block->first; i < block->end; i++) {
    const struct instruction *in = &f->program->code[f->first + i];
    uint32_t top = height == 0 ? UNKNOWN : now[f->registers + height - 1];
    height -= flow_takes(f, in);
    if (in->opcode == DO_SET_REGISTER) now[in->target] = top;
    if (!flow_gives(in)) continue;
    now[f->registers + height++] = in->opcode == DO_REGISTER ? now[in->target] : f->slots + i;
  }
}

struct value_search {
  struct flow *f;
  uint32_t *first, *from; /* by block: where those that lead to it begin in `from` */
  uint32_t *out, *now;    /* by block and slot: what it leaves */
  bool settled;           /* phis stay, so that the search ends */
};

/* The value of a slot at the start of a block. A phi that would choose between itself and one other
 * value is that value. */
static uint32_t meet(const struct value_search *s, uint32_t block, uint32_t slot) {
  const struct flow *f = s->f;
  uint32_t phi = f->slots + f->count + block * f->slots + slot, value = UNKNOWN;
  if (s->settled && flow_is_phi(f, block, slot)) return phi;
  for (uint32_t i = s->first[block]; i < s->first[block + 1]; i++) {
    uint32_t left = s->out[s->from[i] * f->slots + slot];
    if (left == UNKNOWN || left == phi || left == value) continue;
    if (value != UNKNOWN) return phi;
    value = left;
  }
  return value;
}

static bool visit(const struct value_search *s, uint32_t block) {
  struct flow *f = s->f;
  const struct flow_block *b = &f->blocks[block];
  bool changed = false;
  for (uint32_t slot = 0; slot < f->registers + b->height; slot++) {
    uint32_t *in = &f->in[block * f->slots + slot];
    uint32_t value = block == 0 ? slot : meet(s, block, slot);
    changed |= *in != value;
    *in = s->now[slot] = value;
  }
  go_through(f, b, s->now);
  for (uint32_t slot = 0; slot < f->slots; slot++)
    s->out[block * f->slots + slot] = s->now[slot];
  return changed;
}

static void list_edges(const struct value_search *s) {
  const struct flow *f = s->f;
  for (uint32_t b = 0; b < f->block_count; b++)
    for (uint32_t i = 0; f->blocks[b].reached && i < f->blocks[b].edges; i++)
      s->first[f->blocks[b].to[i] + 2]++;
  for (uint32_t b = 2; b < f->block_count + 2; b++)
    s->first[b] += s->first[b - 1];
  /* Each list's place grows to its end, where the next one begins. */
  for (uint32_t b = 0; b < f->block_count; b++)
    for (uint32_t i = 0; f->blocks[b].reached && i < f->blocks[b].edges; i++)
      s->from[s->first[f->blocks[b].to[i] + 1]++] = b;
}

bool flow_find_values(struct flow *f) {
  size_t all = (size_t)f->block_count * f->slots;
  struct value_search s = {.f = f};
  bool good = f->slots + (uint64_t)f->count + all < UNKNOWN, changed = good;
  s.first = calloc(f->block_count + (size_t)2, sizeof *s.first);
  s.from = calloc(2 * (size_t)f->block_count, sizeof *s.from);
  s.out = malloc((all + 1) * sizeof *s.out);
  s.now = calloc(f->registers + (size_t)f->count + 1, sizeof *s.now);
  good = good && s.first != NULL && s.from != NULL && s.out != NULL && s.now != NULL;
  if (good) list_edges(&s);
  for (size_t i = 0; i < all && good; i++)
    s.out[i] = f->in[i] = UNKNOWN;
  for (uint64_t round = 0; good && changed; round++) {
    changed = false;
    s.settled = round > 8 + (uint64_t)f->block_count;
    for (uint32_t b = 0; b < f->block_count; b++)
      if (f->blocks[b].reached) changed |= visit(&s, b);
  }
  free(s.first);
  free(s.from);
  free(s.out);
  free(s.now);
  return good;
}
