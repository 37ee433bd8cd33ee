#include "canonical.h"

#include <stdlib.h>
#include <string.h>

void canonical_make(struct canonical *c, struct knowledge *k, unf_hash hash) {
  memset(c, 0, sizeof *c);
  c->knowledge = k;
  c->hash = hash;
}

void canonical_free(struct canonical *c) {
  free(c->names);
  free(c->terms);
}

/* Makes room, with 0 in what is new. False: no memory. */
static bool make_room(struct canonical *c, void *list, uint32_t *room, uint32_t wanted,
                      size_t size) {
  void **items = list;
  if (wanted <= *room) return true;
  const uint32_t more = 2 * wanted + 64;
  char *larger = realloc(*items, more * size);
  if (larger == NULL) c->status = UNF_MEMORY;
  if (larger == NULL) return false;
  memset(larger + *room * size, 0, (more - *room) * size);
  *items = larger;
  *room = more;
  return true;
}

/* Whether an input of that place has a number and may be used behind the event: what the event
 * itself made of inputs that were used before it is not known yet. */
static bool is_taken(const struct canonical *c, const struct uses *uses,
                     const struct input_name *wanted) {
  for (uint32_t i = 0; i < c->knowledge->input_count && i < c->name_room; i++) {
    const struct input_name *n = &c->names[i];
    if (n->place == wanted->place && n->number == wanted->number &&
        (n->after == wanted->after || uses->sums[i] > 0))
      return true;
  }
  return false;
}

void canonical_name(struct canonical *c, struct uses *uses, unf_thread thread, unf_event after,
                    uint64_t place, term input) {
  const struct term_node *node = terms_node(&c->knowledge->terms, input);
  if (node->op != TERM_INPUT) return;
  const uint32_t number = (uint32_t)node->value;
  if (!make_room(c, &c->names, &c->name_room, number + 1, sizeof *c->names) ||
      c->names[number].place != 0)
    return;
  unf_fingerprint mixed = UNF_FINGERPRINT_INIT;
  const uint64_t words[] = {thread, place, (uint64_t)node->low, (uint64_t)node->high};
  c->status = unf_fingerprint_toggle(c->hash, &mixed, 0, words, sizeof words);
  if (c->status == UNF_OK && !uses_sum(uses, after)) c->status = UNF_MEMORY;
  if (c->status != UNF_OK) return;
  struct input_name name = {mixed.bits[0] | 1, 0, after};
  while (is_taken(c, uses, &name))
    name.number++;
  c->names[number] = name;
}

/* Arguments of a term have smaller handles. */
static unf_fingerprint find_term(struct canonical *c, term a) {
  const struct term_node *node = terms_node(&c->knowledge->terms, a);
  unf_fingerprint found = UNF_FINGERPRINT_INIT;
  struct {
    uint64_t op, value, place;
    unf_fingerprint arguments[3];
  } words;
  memset(&words, 0, sizeof words);
  words.op = node->op;
  words.value = (uint64_t)node->value;
  for (unsigned i = 0; i < 3; i++)
    if (node->argument[i] != TERM_NONE) words.arguments[i] = c->terms[node->argument[i]];
  if (node->op == TERM_INPUT && words.value < c->name_room && c->names[words.value].place != 0) {
    const struct input_name *name = &c->names[words.value];
    words.place = name->place;
    words.value = name->number;
  }
  if (c->status == UNF_OK)
    c->status = unf_fingerprint_toggle(c->hash, &found, 1, &words, sizeof words);
  return found;
}

unf_fingerprint canonical_term(struct canonical *c, term a) {
  static const unf_fingerprint none = UNF_FINGERPRINT_INIT;
  if (a == TERM_NONE ||
      !make_room(c, &c->terms, &c->term_room, c->knowledge->terms.count, sizeof *c->terms))
    return none;
  for (; c->term_count <= a; c->term_count++)
    if (c->term_count > TERM_NONE) c->terms[c->term_count] = find_term(c, c->term_count);
  return c->terms[a];
}

bool canonical_is_ambiguous(const struct canonical *c, const bool *used) {
  const uint32_t count = c->knowledge->input_count;
  const uint32_t named = count < c->name_room ? count : c->name_room;
  for (uint32_t i = 0; i < named; i++) {
    if (!used[i] || c->names[i].place == 0) continue;
    for (uint32_t j = 0; j < i; j++)
      if (used[j] && c->names[j].place == c->names[i].place &&
          c->names[j].number == c->names[i].number)
        return true;
  }
  return false;
}
