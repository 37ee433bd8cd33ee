#include "condition.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
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
  c->initial = calloc(c->inputs + (size_t)1, sizeof *c->initial);
  c->values = calloc(c->inputs + (size_t)1, sizeof *c->values);
  c->used = calloc(c->inputs + (size_t)1, sizeof *c->used);
  c->stands = calloc(c->threads + (size_t)1, sizeof *c->stands);
  c->now = calloc(c->threads + (size_t)1, sizeof *c->now);
  if (c->reads == NULL || c->initial == NULL || c->values == NULL || c->used == NULL ||
      c->stands == NULL || c->now == NULL)
    return false;
  while (find_more_reads(c))
    continue;
  return true;
}

void conditions_free(struct conditions *c) {
  free(c->reads);
  free(c->initial);
  free(c->values);
  free(c->used);
  free(c->stands);
  free(c->now);
  free(c->after);
  free(c->uses);
}

uint64_t conditions_bytes(const struct conditions *c) {
  return c->machine == NULL ? 0
                            : (uint64_t)c->machine->program->code_count * c->inputs +
                                  c->after_room * sizeof *c->after + c->use_room * sizeof *c->uses;
}

static struct stand stand_of(const struct conditions *c, uint32_t thread, const int64_t *state) {
  struct intent in;
  machine_intent(c->machine, state, thread, &in);
  return (struct stand){thread, (uint32_t)state[c->machine->base[thread] + POSITION],
                        in.opcode == DO_BRANCH ? in.branch : NO_BRANCH};
}

static void add_initial(struct conditions *c, term a) {
  const uint32_t *inputs = knowledge_inputs(c->knowledge, a);
  c->failed |= inputs == NULL;
  for (uint32_t i = 1; inputs != NULL && i <= inputs[0]; i++)
    c->initial[inputs[i]]++;
}

void conditions_begin(struct conditions *c, const int64_t *state) {
  if (c->machine == NULL || c->begun) return;
  const struct machine *m = c->machine;
  c->begun = true;
  for (uint32_t word = 0; word < m->plain; word++) {
    const term a = (term)state[m->plain + word];
    if (a != TERM_NONE && machine_role(m, m->plain + word) == ROLE_VALUE) add_initial(c, a);
  }
  for (uint32_t t = 0; t < c->threads; t++)
    c->stands[t] = stand_of(c, t, state);
}

/* ---- steps ---- */

static void add_use(struct conditions *c, uint32_t input, int32_t more) {
  uint32_t i = c->use_first;
  while (i < c->use_count && c->uses[i].input != input)
    i++;
  if (i == c->use_count && i == c->use_room) {
    const uint32_t room = 2 * c->use_room + 64;
    struct use *uses = realloc(c->uses, room * sizeof *uses);
    c->failed |= uses == NULL;
    if (uses == NULL) return;
    c->uses = uses;
    c->use_room = room;
  }
  if (i == c->use_count) c->uses[c->use_count++] = (struct use){input, 0};
  c->uses[i].more += more;
}

static void add_term(struct conditions *c, term a, int32_t more) {
  const uint32_t *inputs = a != TERM_NONE ? knowledge_inputs(c->knowledge, a) : NULL;
  c->failed |= a != TERM_NONE && inputs == NULL;
  for (uint32_t i = 1; inputs != NULL && i <= inputs[0]; i++)
    add_use(c, inputs[i], more);
}

void conditions_changed(struct conditions *c, term before, term after) {
  add_term(c, before, -1);
  add_term(c, after, 1);
}

/* Keeps what is behind an event that is new; of another one it is the same. */
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
  struct after *a = &c->after[event];
  if (a->first == 0) {
    const bool creates = action->kind == UNF_DID_CREATE;
    a->first = c->use_first + 1;
    a->count = c->use_count - c->use_first;
    a->own = stand_of(c, action->thread, state);
    a->created = creates ? stand_of(c, action->target, state) : a->own;
    c->use_first = c->use_count;
  }
  c->use_count = c->use_first;
  return true;
}

static bool add_event(void *user, unf_event event) {
  struct conditions *c = user;
  const struct after *a = &c->after[event];
  for (uint32_t i = 0; i < a->count; i++)
    c->values[c->uses[a->first - 1 + i].input] += c->uses[a->first - 1 + i].more;
  c->now[a->own.thread] = a->own;
  c->now[a->created.thread] = a->created;
  return true;
}

static void use_outcomes(struct conditions *c, uint32_t branch) {
  const struct branches *b = &c->knowledge->branches;
  for (uint32_t i = 0; branch != NO_BRANCH && i < b->items[branch].count; i++) {
    const uint32_t *inputs = knowledge_inputs(c->knowledge, branches_outcomes(b, branch)[i].fact);
    c->failed |= inputs == NULL;
    for (uint32_t j = 1; inputs != NULL && j <= inputs[0]; j++)
      c->used[inputs[j]] = true;
  }
}

uint32_t conditions_of(struct conditions *c, const unf_action *action, unf_event event,
                       const int64_t *state) {
  if (c->failed || !keep(c, action, event, state)) return UINT32_MAX;
  for (uint32_t i = 0; i < c->inputs; i++)
    c->values[i] = c->initial[i];
  memcpy(c->now, c->stands, c->threads * sizeof *c->now);
  if (unf_event_history(c->knowledge->unfolding, event, add_event, c) != UNF_OK) return UINT32_MAX;
  for (uint32_t i = 0; i < c->inputs; i++) {
    c->used[i] = c->values[i] > 0;
    for (uint32_t t = 0; t < c->threads && !c->used[i]; t++)
      c->used[i] = c->reads[(size_t)c->now[t].position * c->inputs + i];
  }
  for (uint32_t t = 0; t < c->threads; t++)
    use_outcomes(c, c->now[t].branch);
  if (c->failed) return UINT32_MAX;
  const uint32_t history = knowledge_history(c->knowledge, event);
  return knowledge_about_used(c->knowledge, history, c->used);
}
