/* One step of one thread: a statement, or an edge with the phis behind it. */
#include "explore.h"

#include <string.h>

static uint8_t loops_around(const struct body *b, uint8_t block) {
  uint8_t set = 0;
  for (uint8_t i = 0; i < b->loop_count; i++)
    set |= (uint8_t)((b->loop[i].inside >> block & 1) << i);
  return set;
}

static void end(const struct body *b, struct thread_state *t, enum status status,
                struct step *step) {
  t->status = (uint8_t)status;
  step->bad |= loops_around(b, t->block);
}

static void give(struct thread_state *t, const struct stmt *s, uint8_t value) {
  if (s->result != NO_REGISTER) t->registers[s->result] = value;
}

/* Whether the statement changes what others can see, by its guard; false in *ready: it blocks. */
static bool effect(const struct stmt *s, struct state *state, struct thread_state *t,
                   unsigned choice, bool *ready) {
  uint8_t a = expr_value(t->registers, &s->a), b = arg_value(t->registers, s->b);
  uint8_t *x = &state->shared[s->indexed ? b & 1 : s->variable];
  uint8_t old = *x;
  *ready = true;
  switch (s->kind) {
  case UNF_STATEMENT_LOCAL:
    give(t, s, a);
    return false;
  case UNF_STATEMENT_COMPUTE:
    give(t, s, (uint8_t)choice);
    return false;
  case UNF_STATEMENT_LOAD:
    give(t, s, old);
    return false;
  case UNF_STATEMENT_STORE:
    *x = a;
    return true;
  case UNF_STATEMENT_FETCH_ADD:
    *x = (uint8_t)((old + a) & 3);
    give(t, s, old);
    return a != 0;
  case UNF_STATEMENT_EXCHANGE:
    *x = a;
    give(t, s, old);
    return old != a;
  case UNF_STATEMENT_CAS:
    if (old == a) *x = b;
    give(t, s, old);
    return old == a;
  case UNF_STATEMENT_TRY:
    if (old == 0) *x = 1;
    give(t, s, old == 0);
    return old == 0;
  case UNF_STATEMENT_AWAIT:
    *ready = old == a;
    give(t, s, old);
    return false;
  case UNF_STATEMENT_EXCHANGE_AWAIT:
    *ready = old != b;
    if (*ready) *x = a;
    give(t, s, old);
    return old != a;
  case UNF_STATEMENT_EFFECT:
    if (a == 0) *x = (uint8_t)((old + 1) & 3);
    return a == 0;
  default:
    return false;
  }
}

static bool statement(const struct body *b, struct state *state, struct thread_state *t,
                      unsigned choice, struct step *step) {
  const struct stmt *s = &b->block[t->block].statement[t->at];
  bool ready, asks = s->kind == UNF_STATEMENT_ASSUME || s->kind == UNF_STATEMENT_ASSERT;
  if (choice > 0 && s->kind != UNF_STATEMENT_COMPUTE) return false;
  if (asks && expr_value(t->registers, &s->a) == 0) {
    end(b, t, s->kind == UNF_STATEMENT_ASSUME ? STOPPED : FAILED, step);
    return true;
  }
  if (s->may_fail &&
      state->shared[s->indexed ? arg_value(t->registers, s->b) & 1 : s->variable] == 3) {
    end(b, t, FAILED, step);
    return true;
  }
  bool impure = effect(s, state, t, choice, &ready);
  if (!ready) return false;
  if (impure) {
    step->bad |= loops_around(b, t->block);
    t->impure |= loops_around(b, t->block);
  }
  t->at++;
  return true;
}

/* Whether the phis that matter are what they were, after they took their values. */
static bool take_phis(const struct body *b, struct thread_state *t, uint8_t to) {
  const struct basic *block = &b->block[to];
  uint8_t values[PHIS];
  bool same = true;
  for (uint8_t i = 0; i < block->phi_count; i++)
    values[i] = arg_value(t->registers, block->operand[i][t->block]);
  for (uint8_t i = 0; i < block->phi_count; i++) {
    if ((b->used >> block->phi[i] & 1) != 0) same &= t->registers[block->phi[i]] == values[i];
    t->registers[block->phi[i]] = values[i];
  }
  return same;
}

/* The flags that the insertions want, by the numbers of the loops of the analysis. */
static void raise_flags(const unf_purity *purity, struct thread_state *t, uint8_t to) {
  unf_loop loop;
  for (uint32_t i = 0; purity != NULL && i < unf_purity_loops(purity) && i < 8; i++) {
    if (unf_purity_edge(purity, i, t->block, to)) t->inner |= (uint8_t)(1u << i);
    if (unf_purity_loop(purity, i, &loop) == UNF_OK && loop.header == to)
      t->inner &= (uint8_t) ~(1u << i);
  }
}

/* Whether nothing happened in the iteration of the loop of a header. */
static bool went_purely(const struct body *b, const struct thread_state *t, uint8_t header) {
  for (uint8_t i = 0; i < b->loop_count; i++)
    if (b->loop[i].header == header) return ((t->impure | t->turned) >> i & 1) == 0;
  return false;
}

/* A pure iteration of an inner loop leaves nothing behind: the iteration of an outer loop is what
 * it would be without. */
static void cross(const struct body *b, const unf_purity *purity, struct thread_state *t,
                  uint8_t to, struct step *step) {
  uint8_t from = t->block;
  raise_flags(purity, t, to);
  bool same = take_phis(b, t, to), back = (b->dominators[from] >> to & 1) != 0;
  bool pure = back && same && went_purely(b, t, to);
  for (uint8_t i = 0; i < b->loop_count; i++) {
    const struct natural *loop = &b->loop[i];
    uint8_t bit = (uint8_t)(1u << i);
    bool was = (loop->inside >> from & 1) != 0, is = (loop->inside >> to & 1) != 0;
    bool home = to == loop->header;
    if (was && !is) step->bad |= bit;
    if (was && home && same && ((t->impure | t->turned) & bit) == 0)
      step->pure |= bit;
    else if (was && home)
      step->bad |= bit;
    if (was && is && !home && back && !pure) {
      step->bad |= bit;
      t->turned |= bit;
    }
    if (home || !is) {
      t->impure &= (uint8_t)~bit;
      t->turned &= (uint8_t)~bit;
    }
  }
  t->block = to;
  t->at = 0;
}

bool perform(const struct random_program *p, const struct exploration *x, struct state *s,
             unsigned thread, unsigned choice, struct step *step) {
  const struct body *b = &p->body[thread];
  struct thread_state *t = &s->thread[thread];
  const struct basic *block = &b->block[t->block];
  if (t->status != RUNNING) return false;
  if (t->at < block->statement_count) return statement(b, s, t, choice, step);
  if (choice > 0) return false;
  for (uint8_t i = 0; i < block->edge_count; i++)
    if (block->edge[i].always || expr_value(t->registers, &block->edge[i].condition) != 0) {
      cross(b, x == NULL ? NULL : x->purity[thread], t, block->edge[i].to, step);
      return true;
    }
  end(b, t, STOPPED, step);
  return true;
}
