/*
 * The values of a set are found by a question of their own: its terms are made anew, in an order
 * that follows from their hashes, and asked about from the values next to zero on, without anything
 * that was asked before. The hash is of 64 bits; that two branches of a process have the same one
 * is noticed.
 */
#include "content.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "knowledge.h"

void content_free(struct content *content) {
  free(content->prints);
  free(content->names);
  index_free(&content->branches);
}

uint64_t content_bytes(const struct content *content) {
  return content->print_room * sizeof *content->prints +
         content->name_room * sizeof *content->names +
         content->branches.room * sizeof *content->branches.slots;
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return hash ^ hash >> 32;
}

static uint64_t print_of(const struct knowledge *k, const struct term_node *n) {
  const uint64_t *prints = k->content.prints;
  uint64_t a = prints[n->argument[0]], b = prints[n->argument[1]];
  uint64_t hash = mix(n->op, (uint64_t)n->value);
  if (term_commutes(n->op) && a > b) {
    const uint64_t swapped = a;
    a = b;
    b = swapped;
  }
  hash = mix(mix(mix(hash, a), b), prints[n->argument[2]]);
  return n->op == TERM_INPUT ? mix(mix(hash, (uint64_t)n->low), (uint64_t)n->high) : hash;
}

/* Has a hash of each term. False: no memory. */
static bool print_all(struct knowledge *k) {
  struct content *c = &k->content;
  if (k->terms.count > c->print_room) {
    const uint32_t room = 2 * k->terms.count;
    uint64_t *prints = realloc(c->prints, room * sizeof *prints);
    k->refused |= prints == NULL;
    if (prints == NULL) return false;
    c->prints = prints;
    c->print_room = room;
  }
  if (c->print_count == 0) c->prints[c->print_count++] = 0; /* of TERM_NONE */
  for (; c->print_count < k->terms.count; c->print_count++)
    c->prints[c->print_count] = print_of(k, terms_node(&k->terms, c->print_count));
  return true;
}

/* A hash of the outcomes, in their order. */
static uint64_t name_of(const struct knowledge *k, uint32_t branch) {
  const struct outcome *outcomes = branches_outcomes(&k->branches, branch);
  uint64_t name = k->branches.items[branch].count;
  for (uint32_t i = 0; i < k->branches.items[branch].count; i++) {
    const struct outcome *o = &outcomes[i];
    name = mix(mix(name, k->content.prints[o->fact]), (uint64_t)o->value);
    name = mix(name, (uint64_t)o->position << 32 | o->error);
  }
  return name;
}

bool content_name(struct knowledge *k, uint32_t branch) {
  struct content *c = &k->content;
  if (branch < c->name_count) return true;
  if (branch >= c->name_room) {
    const uint32_t room = 2 * branch + 64;
    uint64_t *names = realloc(c->names, room * sizeof *names);
    k->refused |= names == NULL;
    if (names == NULL) return false;
    c->names = names;
    c->name_room = room;
  }
  if (!print_all(k)) return false;
  const uint64_t name = name_of(k, branch);
  c->clashes |= content_branch(c, name) != UINT32_MAX;
  if (c->clashes) return false;
  const bool good = index_put(&c->branches, name, 0, branch);
  k->refused |= !good;
  if (good) c->names[c->name_count++] = name;
  return good;
}

/* ---- values ---- */

/* Terms made anew. */
struct remade {
  struct knowledge *knowledge;
  struct terms terms;
  term *made;  /* by term of before */
  term *stack; /* arguments are older than their terms, so that each is there once */
  term *facts; /* of before, by hash; then those made of them */
  uint32_t count;
};

/* An argument, those that can be swapped by their hashes. */
static term argument_of(const struct remade *r, const struct term_node *n, unsigned i) {
  const uint64_t *prints = r->knowledge->content.prints;
  const bool swapped =
      i < 2 && term_commutes(n->op) && prints[n->argument[0]] > prints[n->argument[1]];
  return n->argument[swapped ? 1 - i : i];
}

static term make_one(struct remade *r, const struct term_node *n) {
  struct term_node node = *n;
  for (unsigned i = 0; i < 3; i++)
    node.argument[i] = r->made[argument_of(r, n, i)];
  return terms_like(&r->terms, &node);
}

/* The first argument that is not made. */
static term missing(const struct remade *r, const struct term_node *n) {
  for (unsigned i = 0; i < 3; i++) {
    const term a = argument_of(r, n, i);
    if (a != TERM_NONE && r->made[a] == TERM_NONE) return a;
  }
  return TERM_NONE;
}

static void remake(struct remade *r, term a) {
  uint32_t depth = 0;
  for (r->stack[depth++] = a; depth > 0 && !r->terms.failed;) {
    const term top = r->stack[depth - 1];
    const struct term_node *n = terms_node(&r->knowledge->terms, top);
    const term needed = r->made[top] == TERM_NONE ? missing(r, n) : TERM_NONE;
    if (needed != TERM_NONE) {
      r->stack[depth++] = needed;
      continue;
    }
    if (r->made[top] == TERM_NONE) r->made[top] = make_one(r, n);
    depth--;
  }
}

struct printed {
  uint64_t print;
  term fact;
};

static int compare_printed(const void *a, const void *b) {
  const struct printed *x = a, *y = b;
  if (x->print != y->print) return x->print < y->print ? -1 : 1;
  return (x->fact > y->fact) - (x->fact < y->fact);
}

/* The facts of a set, in the order of their hashes. False: no memory. */
static bool list_facts(struct remade *r, uint32_t set) {
  const struct knowledge *k = r->knowledge;
  r->count = facts_count(&k->facts, set);
  struct printed *order = malloc((r->count + (size_t)1) * sizeof *order);
  if (order == NULL) return false;
  facts_list(&k->facts, set, r->facts);
  for (uint32_t i = 0; i < r->count; i++)
    order[i] = (struct printed){k->content.prints[r->facts[i]], r->facts[i]};
  qsort(order, r->count, sizeof *order, compare_printed);
  for (uint32_t i = 0; i < r->count; i++)
    r->facts[i] = order[i].fact;
  free(order);
  return true;
}

static bool remade_open(struct remade *r, struct knowledge *k, uint32_t set) {
  const size_t count = k->terms.count;
  *r = (struct remade){.knowledge = k};
  r->made = calloc(count, sizeof *r->made);
  r->stack = malloc(count * sizeof *r->stack);
  r->facts = malloc((facts_count(&k->facts, set) + (size_t)1) * sizeof *r->facts);
  if (!terms_make(&r->terms) || r->made == NULL || r->stack == NULL || r->facts == NULL ||
      !list_facts(r, set))
    return false;
  for (uint32_t i = 0; i < r->count; i++) {
    remake(r, r->facts[i]);
    r->facts[i] = r->made[r->facts[i]];
  }
  return !r->terms.failed;
}

static void remade_close(struct remade *r) {
  terms_free(&r->terms);
  free(r->made);
  free(r->stack);
  free(r->facts);
}

static void take_next_to_zero(const struct knowledge *k, int64_t *values) {
  for (uint32_t i = 0; i < k->input_count; i++) {
    const struct input *input = &k->inputs[i];
    values[i] = input->low > 0 ? input->low : input->high < 0 ? input->high : 0;
  }
}

/* Asks a solver that was asked nothing before; of inputs that no fact has it says nothing. */
static bool ask_solver(struct remade *r, int64_t *values) {
  struct knowledge *k = r->knowledge;
  struct solver solver = {.program = k->solver.program,
                          .steps = k->solver.steps,
                          .memory = k->solver.memory,
                          .stops = k->solver.stops,
                          .user = k->solver.user};
  int64_t *found = calloc(k->input_count + (size_t)1, sizeof *found);
  const bool known = found != NULL && solver_ask(&solver, &r->terms, r->facts, r->count,
                                                 k->input_count, found, NULL, NULL) == SOLVER_YES;
  for (term a = 1; known && a < r->terms.count; a++) {
    const struct term_node *n = terms_node(&r->terms, a);
    if (n->op == TERM_INPUT) values[n->value] = found[n->value];
  }
  k->solver.counts.queries += solver.counts.queries;
  k->solver.counts.yes += solver.counts.yes;
  k->solver.counts.no += solver.counts.no;
  k->solver.counts.unknown += solver.counts.unknown;
  k->solver.counts.lost += solver.counts.lost;
  solver_close(&solver);
  free(found);
  return known;
}

/* Values that are found from nothing but the facts. */
static bool find_values(struct knowledge *k, uint32_t set, int64_t *values) {
  struct quick quick = {.ranges = NULL};
  struct remade r = {.made = NULL};
  bool found = false;
  if (print_all(k) && remade_open(&r, k, set)) {
    found = quick_ask(&quick, &r.terms, r.facts, r.count, values, NULL, NULL) == SOLVER_YES;
    if (!found) {
      take_next_to_zero(k, values);
      found = ask_solver(&r, values);
    }
  }
  remade_close(&r);
  quick_free(&quick);
  return found;
}

json_t *content_witness(struct knowledge *k, uint32_t set) {
  if (knowledge_ask(k, set) != SOLVER_YES) return k->refused ? NULL : json_null();
  int64_t *values = malloc((k->input_count + (size_t)1) * sizeof *values);
  if (values == NULL) return NULL;
  take_next_to_zero(k, values);
  json_t *object = find_values(k, set, values) ? knowledge_told(k, values)
                   : k->refused                ? NULL
                                               : knowledge_witness(k, set);
  free(values);
  return object;
}
