/* Breadth first over states, which are kept in the order found. */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const struct state *s) {
  const unsigned char *bytes = (const unsigned char *)s;
  uint64_t h = 0xCBF29CE484222325u;
  for (size_t i = 0; i < sizeof *s; i++)
    h = (h ^ bytes[i]) * 0x100000001B3u;
  return h ^ (h >> 29);
}

/* The number of a state, which is new if it was not known; UINT32_MAX: no room. */
static uint32_t intern(struct exploration *x, const struct state *s) {
  uint32_t i = (uint32_t)hash(s) & x->mask;
  for (; x->slots[i] != 0; i = (i + 1) & x->mask)
    if (memcmp(&x->states[x->slots[i] - 1], s, sizeof *s) == 0) return x->slots[i] - 1;
  if (x->count == x->room) return UINT32_MAX;
  x->states[x->count] = *s;
  x->slots[i] = ++x->count;
  return x->count - 1;
}

struct reading {
  const struct thread_state *thread;
  uint32_t replaced; /* a register that holds something else */
  uint8_t value;
};

static int64_t read_register(void *user, unf_register variable) {
  const struct reading *r = user;
  return variable == r->replaced ? r->value : r->thread->registers[variable];
}

static int64_t evaluate(struct exploration *x, unsigned thread, unf_term term,
                        struct reading *reading) {
  int64_t value = 0;
  x->wrong |= unf_term_evaluate(x->flow[thread], term, read_register, reading, &value) != UNF_OK;
  return value;
}

bool insertion_holds(struct exploration *x, const struct thread_state *t, unsigned thread,
                     const unf_insertion *in) {
  struct reading reading = {t, UNF_REGISTER_NONE, 0};
  if (in->inner && (t->inner >> in->loop & 1) != 0) return false;
  return evaluate(x, thread, in->condition, &reading) != 0;
}

bool waits(struct exploration *x, const struct state *s, unsigned thread, const unf_insertion *in) {
  const struct thread_state *t = &s->thread[thread];
  const struct stmt *st = &x->program->body[thread].block[in->block].statement[in->before - 1];
  uint8_t at = st->indexed ? arg_value(t->registers, st->b) & 1 : st->variable;
  uint8_t found = s->shared[at];
  if (st->may_fail && found == 3) return false;
  if (st->kind == UNF_STATEMENT_TRY) found = found == 0;
  struct reading reading = {t, st->result, found};
  bool holds = evaluate(x, thread, in->condition, &reading) != 0;
  if (in->operand == UNF_TERM_NONE) return holds;
  int64_t other = evaluate(x, thread, in->operand, &reading);
  bool waited = in->relation == UNF_OPERATOR_EQ   ? found == other
                : in->relation == UNF_OPERATOR_NE ? found != other
                : in->relation == UNF_OPERATOR_LT ? found < other
                : in->relation == UNF_OPERATOR_LE ? found <= other
                : in->relation == UNF_OPERATOR_GT ? found > other
                                                  : found >= other;
  x->wrong |= waited == holds;
  return !waited;
}

/* Whether the variant stops the thread here. */
static bool held(struct exploration *x, const struct state *s, unsigned thread) {
  const struct thread_state *t = &s->thread[thread];
  unf_insertion in;
  if (x->variant == AS_IT_IS || t->status != RUNNING) return false;
  for (uint32_t i = 0; unf_purity_insertion(x->purity[thread], i, &in) == UNF_OK; i++) {
    if (in.block != t->block) continue;
    bool await = in.await && x->variant == WITH_AWAITS;
    if (await && in.before == t->at + 1u && waits(x, s, thread, &in)) return true;
    if (!await && in.before == t->at && insertion_holds(x, t, thread, &in)) return true;
  }
  return false;
}

static bool add_step(struct exploration *x, const struct step *step) {
  if (x->step_count == x->step_room) {
    uint32_t room = x->step_room * 2 + 1024;
    struct step *moved = realloc(x->steps, room * sizeof *moved);
    if (moved == NULL) return false;
    x->steps = moved;
    x->step_room = room;
  }
  x->steps[x->step_count++] = *step;
  return true;
}

static bool expand(struct exploration *x, uint32_t number) {
  x->ends[number] = 1;
  for (unsigned t = 0; t < THREADS; t++)
    for (unsigned choice = 0; choice < 2; choice++) {
      struct state next = x->states[number];
      struct step step = {.from = number, .thread = (uint8_t)t};
      if (held(x, &next, t) || !perform(x->program, x, &next, t, choice, &step)) continue;
      step.to = intern(x, &next);
      if (step.to == UINT32_MAX || !add_step(x, &step)) return false;
      x->pure_iterations += step.pure != 0;
      x->ends[number] = 0;
    }
  return true;
}

bool explore(struct exploration *x, uint32_t most) {
  struct state first;
  memset(&first, 0, sizeof first);
  for (unsigned t = 0; t < THREADS; t++)
    memcpy(first.thread[t].registers, x->program->initial[t], REGISTERS);
  x->room = most;
  for (x->mask = 1; x->mask < 2 * most; x->mask *= 2)
    continue;
  x->states = malloc(most * sizeof *x->states);
  x->ends = malloc(most);
  x->slots = calloc(x->mask, sizeof *x->slots);
  x->mask--;
  if (x->states == NULL || x->slots == NULL || x->ends == NULL) return false;
  intern(x, &first);
  for (uint32_t i = 0; i < x->count; i++)
    if (!expand(x, i)) return false;
  return true;
}

void explore_free(struct exploration *x) {
  free(x->states);
  free(x->ends);
  free(x->slots);
  free(x->steps);
}

uint64_t local_state(const struct exploration *x, const struct state *s, unsigned thread) {
  const struct thread_state *t = &s->thread[thread];
  uint16_t live = t->status == RUNNING ? x->program->body[thread].live[t->block][t->at] : 0;
  uint64_t key = (uint64_t)t->block << 8 | (uint64_t)t->at << 4 | t->status;
  for (unsigned r = 0; r < REGISTERS; r++)
    key = key << 2 | ((live >> r & 1) != 0 ? t->registers[r] & 3 : 0);
  return key;
}
