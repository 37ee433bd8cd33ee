#include "condition.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "slices.h"
#include "objects.h"

/* ---- what can be read ---- */

/* Enters what can be read behind an instruction; whether that is more than was known. */
static bool add_reads(struct conditions *c, uint32_t at, uint32_t next) {
  bool more = false;
  for (uint32_t i = 0; i < c->inputs; i++) {
    bool *here = &c->reads[(size_t)at * c->inputs + i];
    if (*here || !c->reads[(size_t)next * c->inputs + i]) continue;
    *here = more = true;
  }
  return more;
}

/* One pass from the end of the code to its beginning: only loops need another one. */
static bool find_more_reads(struct conditions *c) {
  const struct program *p = c->machine->program;
  bool more = false;
  for (uint32_t at = p->code_count; at-- > 0;) {
    const struct instruction *in = &p->code[at];
    if (in->opcode == DO_EXIT) continue;
    if (in->opcode == DO_INPUT && !c->reads[(size_t)at * c->inputs + in->target])
      c->reads[(size_t)at * c->inputs + in->target] = more = true;
    if (in->opcode == DO_JUMP || in->opcode == DO_JUMP_IF_ZERO)
      more |= add_reads(c, at, in->target);
    if (in->opcode != DO_JUMP && at + 1 < p->code_count) more |= add_reads(c, at, at + 1);
  }
  return more;
}

/* ---- the beginning ---- */

bool conditions_make(struct conditions *c, const struct machine *m, struct knowledge *k) {
  memset(c, 0, sizeof *c);
  c->machine = m;
  c->knowledge = k;
  c->inputs = m->program->count[SYMBOL_INPUT];
  c->threads = m->program->count[SYMBOL_THREAD];
  c->reads = calloc((size_t)m->program->code_count * c->inputs + 1, sizeof *c->reads);
  uses_make(&c->uses, k, &k->input_count);
  c->used = calloc(c->inputs + (size_t)1, sizeof *c->used);
  c->stands = calloc(c->threads + (size_t)1, sizeof *c->stands);
  c->now = calloc(c->threads + (size_t)1, sizeof *c->now);
  if (c->reads == NULL || c->used == NULL || c->stands == NULL || c->now == NULL) return false;
  while (find_more_reads(c))
    continue;
  return true;
}

void conditions_free(struct conditions *c) {
  free(c->reads);
  uses_free(&c->uses);
  free(c->used);
  free(c->stands);
  free(c->now);
  free(c->after);
}

uint64_t conditions_bytes(const struct conditions *c) {
  return c->machine == NULL ? 0
                            : (uint64_t)c->machine->program->code_count * c->inputs +
                                  c->after_room * sizeof *c->after + uses_bytes(&c->uses);
}

static struct stand stand_of(const struct conditions *c, uint32_t thread, const int64_t *state) {
  struct intent in;
  machine_intent(c->machine, state, thread, &in);
  return (struct stand){thread, (uint32_t)state[c->machine->base[thread] + POSITION],
                        in.opcode == DO_BRANCH ? in.branch : NO_BRANCH};
}

void conditions_begin(struct conditions *c, const int64_t *state) {
  if (c->machine == NULL || c->begun) return;
  const struct machine *m = c->machine;
  c->begun = true;
  for (uint32_t word = 0; word < m->plain; word++) {
    const term a = (term)state[m->plain + word];
    if (a != TERM_NONE && machine_role(m, m->plain + word) == ROLE_VALUE)
      uses_add_term(&c->uses, a, 1);
  }
  uses_initially(&c->uses);
  for (uint32_t t = 0; t < c->threads; t++)
    c->stands[t] = stand_of(c, t, state);
}

/* ---- steps ---- */

void conditions_changed(struct conditions *c, term before, term after) {
  uses_add_term(&c->uses, before, -1);
  uses_add_term(&c->uses, after, 1);
}

/* Keeps what is behind an event. False: no memory. */
static bool keep(struct conditions *c, const unf_action *action, unf_event event,
                 const int64_t *state) {
  if (event >= c->after_room) {
    const uint32_t room = 2 * event + 64;
    struct after *after = realloc(c->after, room * sizeof *after);
    if (after == NULL) return false;
    memset(after + c->after_room, 0, (room - c->after_room) * sizeof *after);
    c->after = after;
    c->after_room = room;
  }
  const bool creates = action->kind == UNF_DID_CREATE;
  const struct stand own = stand_of(c, action->thread, state);
  c->after[event] = (struct after){own, creates ? stand_of(c, action->target, state) : own};
  uses_keep(&c->uses, event);
  return !c->uses.failed;
}

static bool add_event(void *user, unf_event event) {
  struct conditions *c = user;
  const struct after *a = &c->after[event];
  c->now[a->own.thread] = a->own;
  c->now[a->created.thread] = a->created;
  return true;
}

static void use_outcomes(struct conditions *c, uint32_t branch) {
  const struct branches *b = &c->knowledge->branches;
  for (uint32_t i = 0; branch != NO_BRANCH && i < b->items[branch].count; i++) {
    const uint32_t *inputs = slices_inputs(c->knowledge, branches_outcomes(b, branch)[i].fact);
    c->failed |= inputs == NULL;
    for (uint32_t j = 1; inputs != NULL && j <= inputs[0]; j++)
      c->used[inputs[j]] = true;
  }
}

uint32_t conditions_of(struct conditions *c, const unf_action *action, unf_event event,
                       const int64_t *state) {
  if (c->failed || !keep(c, action, event, state)) return UINT32_MAX;
  memcpy(c->now, c->stands, c->threads * sizeof *c->now);
  if (!uses_sum(&c->uses, event) ||
      unf_event_history(c->knowledge->unfolding, event, add_event, c) != UNF_OK)
    return UINT32_MAX;
  for (uint32_t i = 0; i < c->inputs; i++) {
    c->used[i] = c->uses.sums[i] > 0;
    for (uint32_t t = 0; t < c->threads && !c->used[i]; t++)
      c->used[i] = c->reads[(size_t)c->now[t].position * c->inputs + i];
  }
  for (uint32_t t = 0; t < c->threads; t++)
    use_outcomes(c, c->now[t].branch);
  if (c->failed) return UINT32_MAX;
  const uint32_t history = knowledge_history(c->knowledge, event);
  return slices_about_used(c->knowledge, history, c->used);
}
