#include "held.h"

#include <stdlib.h>

#include "knowledge.h"

/* What is left of a term: a number, or another term. */
struct remainder {
  int64_t number;
  term term; /* TERM_NONE: it is the number */
};

void held_free(struct held_inputs *h) {
  free(h->inputs.rounds);
  free(h->remainders);
}

uint64_t held_bytes(const struct held_inputs *h) {
  return h->room * sizeof *h->remainders + h->inputs.room * sizeof *h->inputs.rounds;
}

bool held_clear(struct knowledge *k) {
  const bool good = marks_clear(&k->answers.held.inputs, k->input_count + 1);
  k->refused |= !good;
  return good;
}

void held_put(struct knowledge *k, uint32_t input) {
  marks_put(&k->answers.held.inputs, input);
}

static struct remainder of_term(const struct knowledge *k, term a) {
  struct remainder r = {.term = a};
  if (terms_is_constant(&k->terms, a, &r.number)) r.term = TERM_NONE;
  return r;
}

static term as_term(struct knowledge *k, struct remainder r) {
  return r.term != TERM_NONE ? r.term : terms_constant(&k->terms, r.number);
}

/* Of a choice whose condition is known, or of one that is not. */
static struct remainder of_choice(struct knowledge *k, const struct remainder of[3]) {
  if (of[0].term == TERM_NONE) return of[of[0].number != 0 ? 1 : 2];
  const term yes = as_term(k, of[1]), no = as_term(k, of[2]);
  return of_term(k, terms_ite(&k->terms, of[0].term, yes, no));
}

/* Its arguments have theirs. */
static struct remainder find_remainder(struct knowledge *k, term a) {
  const struct held_inputs *h = &k->answers.held;
  const struct term_node n = *terms_node(&k->terms, a);
  if (n.op == TERM_CONSTANT) return (struct remainder){.number = n.value};
  if (n.op == TERM_INPUT && !marks_has(&h->inputs, (uint32_t)n.value))
    return (struct remainder){.term = a};
  if (n.op == TERM_INPUT) return (struct remainder){.number = k->now[n.value]};
  struct remainder of[3] = {{.term = TERM_NONE}};
  bool same = true;
  for (unsigned i = 0; i < 3 && n.argument[i] != TERM_NONE; i++) {
    of[i] = h->remainders[n.argument[i]];
    const bool number = terms_node(&k->terms, n.argument[i])->op == TERM_CONSTANT;
    same &= number || of[i].term == n.argument[i];
  }
  if (same) return (struct remainder){.term = a};
  if (n.op == TERM_ITE) return of_choice(k, of);
  if (of[0].term == TERM_NONE && of[1].term == TERM_NONE)
    return (struct remainder){.number = term_apply(n.op, of[0].number, of[1].number)};
  const term one = as_term(k, of[0]), other = as_term(k, of[1]);
  return of_term(k, terms_binary(&k->terms, n.op, one, other));
}

bool held_apply(struct knowledge *k, term *facts, uint32_t count) {
  struct held_inputs *h = &k->answers.held;
  struct term_list *l = &k->answers.terms;
  if (!term_list_make(l, &k->terms, facts, count, UINT32_MAX, NULL, NULL) ||
      !knowledge_room(k, &h->remainders, &h->room, k->terms.count, sizeof *h->remainders)) {
    k->refused = true;
    return false;
  }
  for (uint32_t i = 0; i < l->count; i++)
    h->remainders[l->list[i]] = find_remainder(k, l->list[i]);
  for (uint32_t i = 0; i < count; i++)
    facts[i] = as_term(k, h->remainders[facts[i]]);
  k->refused |= k->terms.failed;
  return !k->refused;
}
