#include "domains.h"

#include <stdlib.h>
#include <string.h>

#include "knowledge.h"
#include "slices.h"

/* More would cost as much as the solver does. */
enum { TRIALS_MAX = 65536, WORK_MAX = 1 << 21, CORE_MAX = 256 };
/* With more terms values are tried one by one, where only what decides is computed, and what is
 * compared is kept. */
enum { COLUMNS_MAX = 4000, TERMS_MAX = 50000, KEPT_MAX = 4096 };

void domains_free(struct domains *d) {
  free(d->known);
  free(d->domains);
  free(d->inputs);
  free(d->met.rounds);
  free(d->met_places);
  free(d->others);
  free(d->columns);
  free(d->places);
  free(d->kept);
  free(d->kept_columns);
}

uint64_t domains_bytes(const struct domains *d) {
  const uint64_t numbers = (uint64_t)d->known_room + d->met.room + d->met_room + d->other_room +
                           d->place_room + d->kept_room;
  const uint64_t columns = (uint64_t)d->column_room + d->kept_column_room;
  return numbers * sizeof(uint32_t) + d->room * sizeof *d->domains +
         d->input_room * sizeof *d->inputs + columns * sizeof *d->columns;
}

static bool has_value(const struct domain *d, uint32_t value) {
  return (d->bits[value / 64] >> value % 64 & 1) != 0;
}

static void put_value(struct domain *d, uint32_t value) {
  d->bits[value / 64] |= UINT64_C(1) << value % 64;
}

static bool is_empty(const struct domain *d) {
  uint64_t all = 0;
  for (unsigned i = 0; i < DOMAIN_WORDS; i++)
    all |= d->bits[i];
  return all == 0;
}

static void intersect(struct domain *d, const struct domain *other) {
  for (unsigned i = 0; i < DOMAIN_WORDS; i++)
    d->bits[i] &= other->bits[i];
}

/* How many values an input has; 0: more than are tried. */
static uint32_t values_of(const struct knowledge *k, uint32_t input) {
  const uint64_t more = (uint64_t)k->inputs[input].high - (uint64_t)k->inputs[input].low;
  return more < k->try_values ? (uint32_t)more + 1 : 0;
}

static struct domain whole_domain(const struct knowledge *k, uint32_t input) {
  struct domain d = {{0}};
  for (uint32_t i = 0; i < values_of(k, input); i++)
    put_value(&d, i);
  return d;
}

/* ---- values that are tried ---- */

/* What is left for an input is listed, for trials of which so many have each of the values. */
static void list_values(struct domain_input *in, uint64_t stride) {
  in->count = 0;
  in->stride = stride;
  for (uint32_t i = 0; i < DOMAIN_VALUES; i++)
    if (has_value(&in->domain, i)) in->values[in->count++] = (uint8_t)i;
}

static int64_t value_in(const struct knowledge *k, const struct domain_input *in, uint64_t trial) {
  return k->inputs[in->input].low + in->values[trial / in->stride % in->count];
}

static bool is_kept(const void *user, term a) {
  const struct domains *d = user;
  return a < d->kept_room && d->kept[a] != 0;
}

/* Lists what is to be computed for some terms. What is in a term that is kept is not, where these
 * are about its input alone. False: no memory, or more than TERMS_MAX. */
static bool list_terms(struct knowledge *k, const term *terms, uint32_t count, bool alone) {
  struct domains *d = &k->answers.domains;
  struct term_list *l = &k->answers.terms;
  const bool good =
      term_list_make(l, &k->terms, terms, count, TERMS_MAX, alone ? is_kept : NULL, d) &&
      room_for((void **)&d->places, &d->place_room, k->terms.count, sizeof *d->places);
  k->refused |= !good;
  if (!good || l->count > TERMS_MAX) return false;
  for (uint32_t i = 0; i < l->count; i++)
    d->places[l->list[i]] = i;
  return true;
}

/* Room for the columns of all that is listed. False: there is too much of it, or no memory. */
static bool make_columns(struct knowledge *k) {
  struct domains *d = &k->answers.domains;
  return k->answers.terms.count <= COLUMNS_MAX &&
         knowledge_room(k, &d->columns, &d->column_room, k->answers.terms.count,
                        sizeof *d->columns);
}

static const int64_t *column_of(const struct domains *d, term a) {
  return d->columns[d->places[a]];
}

/* So many trials, from a first one on: of one input's values, or of those of the question. */
struct trials {
  const struct domain_input *only;
  uint64_t first;
  unsigned count;
};

/* What a term is in them. */
static void fill(struct knowledge *k, const struct trials *of, term a, int64_t *out) {
  const struct domains *d = &k->answers.domains;
  const struct term_node *n = terms_node(&k->terms, a);
  const int64_t *with[3];
  const struct domain_input *in = of->only;
  if (in != NULL && is_kept(d, a)) {
    memcpy(out, d->kept_columns[d->kept[a] - 1], of->count * sizeof *out);
    return;
  }
  if (n->op == TERM_INPUT && in == NULL) in = &d->inputs[d->met_places[n->value]];
  for (unsigned i = 0; i < 3 && n->argument[i] != TERM_NONE; i++)
    with[i] = column_of(d, n->argument[i]);
  for (unsigned i = 0; i < of->count; i++)
    if (n->op == TERM_CONSTANT)
      out[i] = n->value;
    else if (n->op == TERM_INPUT)
      out[i] = value_in(k, in, of->first + i);
    else if (n->op == TERM_ITE)
      out[i] = with[with[0][i] != 0 ? 1 : 2][i];
    else
      out[i] = term_apply(n->op, with[0][i], with[1][i]);
}

static void fill_columns(struct knowledge *k, const struct trials *of) {
  struct domains *d = &k->answers.domains;
  for (uint32_t i = 0; i < k->answers.terms.count; i++)
    fill(k, of, k->answers.terms.list[i], d->columns[i]);
}

/* ---- facts about one input ---- */

/* Which input a term is about; UINT32_MAX: about several, one of many values, or no memory. */
static uint32_t only_input(struct knowledge *k, term a) {
  const uint32_t *support = slices_inputs(k, a);
  const bool is_one = support != NULL && support[0] == 1 && values_of(k, support[1]) > 0;
  return is_one ? support[1] : UINT32_MAX;
}

static bool is_stopped(const struct knowledge *k) {
  return k->solver.stops != NULL && k->solver.stops(k->solver.user);
}

/* What is listed, for all values of the only input. */
static void compute_at_once(struct knowledge *k, uint32_t input) {
  struct domain_input in = {.input = input, .domain = whole_domain(k, input)};
  list_values(&in, 1);
  fill_columns(k, &(struct trials){&in, 0, in.count});
}

/* A term, one value of the input after the other. False: no memory, or no more time. */
static bool compute_one_by_one(struct knowledge *k, term a, uint32_t input, int64_t *out) {
  const int64_t now = k->now[input];
  bool good = true;
  for (uint32_t i = 0; good && i < values_of(k, input); i++) {
    k->now[input] = k->inputs[input].low + i;
    good = terms_evaluate(&k->terms, a, k->now, &out[i]);
    k->refused |= !good;
    good &= !is_stopped(k);
  }
  k->now[input] = now;
  return good;
}

/* Keeps what a term is, so that it is a leaf of others. False: it has too many terms, no memory, or
 * no more time. */
static bool keep_column(struct knowledge *k, term a, uint32_t input) {
  struct domains *d = &k->answers.domains;
  if (is_kept(d, a) || terms_node(&k->terms, a)->op <= TERM_INPUT) return true;
  if (d->kept_count == KEPT_MAX) {
    memset(d->kept, 0, d->kept_room * sizeof *d->kept);
    d->kept_count = 0;
  }
  if (!list_terms(k, &a, 1, true) || !slices_room(k, &d->kept, &d->kept_room, a + 1, 0) ||
      !knowledge_room(k, &d->kept_columns, &d->kept_column_room, (uint64_t)d->kept_count + 1,
                      sizeof *d->kept_columns))
    return false;
  int64_t *out = d->kept_columns[d->kept_count];
  if (make_columns(k)) {
    compute_at_once(k, input);
    memcpy(out, column_of(d, a), values_of(k, input) * sizeof *out);
  } else if (k->refused || !compute_one_by_one(k, a, input, out)) {
    return false;
  }
  d->kept[a] = ++d->kept_count;
  return true;
}

static int compare_values(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

uint32_t domains_values(struct knowledge *k, term a, int64_t values[DOMAIN_VALUES]) {
  const struct domains *d = &k->answers.domains;
  const uint32_t input = only_input(k, a);
  if (input == UINT32_MAX ||
      !knowledge_room(k, &k->now, &k->now_room, (uint64_t)k->input_count + 1, sizeof *k->now) ||
      !keep_column(k, a, input) || !is_kept(d, a))
    return 0;
  const uint32_t all = values_of(k, input);
  uint32_t count = 0;
  memcpy(values, d->kept_columns[d->kept[a] - 1], all * sizeof *values);
  qsort(values, all, sizeof *values, compare_values);
  for (uint32_t i = 0; i < all; i++)
    if (count == 0 || values[count - 1] != values[i]) values[count++] = values[i];
  return count;
}

static bool is_truth(const struct term_node *n) {
  return n->low >= 0 && n->high <= 1;
}

/* Keeps what is compared in a fact, and looks at so many terms. False: as keep_column(), or there
 * are more. */
static bool keep_operands(struct knowledge *k, term fact, uint32_t input, unsigned *left) {
  const struct term_node node = *terms_node(&k->terms, fact);
  const bool compares = node.op == TERM_EQUAL || node.op == TERM_LESS || node.op == TERM_AT_MOST;
  if (!compares && !(is_truth(&node) && (node.op == TERM_AND || node.op == TERM_OR)))
    return keep_column(k, fact, input);
  bool good = *left > 0;
  if (good) --*left;
  for (unsigned i = 0; good && i < 2; i++) {
    const term a = node.argument[i];
    good = is_truth(terms_node(&k->terms, a)) ? keep_operands(k, a, input, left)
                                              : keep_column(k, a, input);
  }
  return good;
}

/* Which values of its only input make a fact true. False: it has too many terms, no memory, or no
 * more time. */
static bool find_domain(struct knowledge *k, term fact, uint32_t input, struct domain *out) {
  struct domains *d = &k->answers.domains;
  unsigned left = COLUMNS_MAX;
  *out = (struct domain){{0}};
  if (!list_terms(k, &fact, 1, true)) return false;
  if (k->answers.terms.count > COLUMNS_MAX &&
      (!keep_operands(k, fact, input, &left) || !list_terms(k, &fact, 1, true)))
    return false;
  if (!make_columns(k)) return false;
  compute_at_once(k, input);
  for (uint32_t i = 0; i < values_of(k, input); i++)
    if (column_of(d, fact)[i] != 0) put_value(out, i);
  return true;
}

/* The domain of a fact, as it is kept; NULL: it has none, or no memory. */
static const struct domain *domain_of(struct knowledge *k, term fact, uint32_t input) {
  struct domains *d = &k->answers.domains;
  struct domain found;
  if (!slices_room(k, &d->known, &d->known_room, fact + 1, 0)) return NULL;
  if (d->known[fact] == 0) {
    const bool has_one =
        knowledge_room(k, &d->domains, &d->room, (uint64_t)d->count + 1, sizeof *d->domains) &&
        find_domain(k, fact, input, &found);
    if (k->refused || (!has_one && is_stopped(k))) return NULL;
    if (has_one) d->domains[d->count++] = found;
    d->known[fact] = has_one ? d->count : UINT32_MAX;
  }
  return d->known[fact] != UINT32_MAX ? &d->domains[d->known[fact] - 1] : NULL;
}

/* ---- questions ---- */

/* The input among those of the question; NULL: it has too many values, or no memory. */
static struct domain_input *meet(struct knowledge *k, uint32_t input) {
  struct domains *d = &k->answers.domains;
  if (marks_has(&d->met, input)) return &d->inputs[d->met_places[input]];
  if (values_of(k, input) == 0 || !knowledge_room(k, &d->inputs, &d->input_room,
                                                  (uint64_t)d->input_count + 1, sizeof *d->inputs))
    return NULL;
  marks_put(&d->met, input);
  d->met_places[input] = d->input_count;
  d->inputs[d->input_count] =
      (struct domain_input){.input = input, .domain = whole_domain(k, input)};
  return &d->inputs[d->input_count++];
}

/* Of facts about one input those that exclude each other: each of the others is left out if it can
 * be. */
static uint32_t find_core(struct knowledge *k, uint32_t input, const term *facts, uint32_t count,
                          uint32_t *core) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++)
    if (only_input(k, facts[i]) == input && domain_of(k, facts[i], input) != NULL) core[kept++] = i;
  for (uint32_t left_out = kept; left_out-- > 0 && kept <= CORE_MAX;) {
    struct domain d = whole_domain(k, input);
    for (uint32_t i = 0; i < kept; i++)
      if (i != left_out) intersect(&d, domain_of(k, facts[core[i]], input));
    if (!is_empty(&d)) continue;
    memmove(core + left_out, core + left_out + 1, (kept - left_out - 1) * sizeof *core);
    kept--;
  }
  return kept;
}

/* Narrows the inputs by the facts about one each, and lists the others. NO: no value of *empty is
 * left. */
static enum solver_answer narrow(struct knowledge *k, const term *facts, uint32_t count,
                                 uint32_t *empty) {
  struct domains *d = &k->answers.domains;
  d->input_count = d->other_count = 0;
  const bool good = knowledge_room(k, &d->others, &d->other_room, count, sizeof *d->others) &&
                    slices_room(k, &d->met_places, &d->met_room, k->input_count, 0) &&
                    marks_clear(&d->met, k->input_count);
  k->refused |= !good;
  if (!good) return SOLVER_UNKNOWN;
  for (uint32_t i = 0; i < count && !k->refused; i++) {
    const uint32_t input = only_input(k, facts[i]);
    const struct domain *domain = input != UINT32_MAX ? domain_of(k, facts[i], input) : NULL;
    struct domain_input *in = domain != NULL ? meet(k, input) : NULL;
    if (in == NULL) {
      d->others[d->other_count++] = facts[i];
      continue;
    }
    intersect(&in->domain, domain);
    *empty = input;
    if (is_empty(&in->domain)) return SOLVER_NO;
  }
  return k->refused ? SOLVER_UNKNOWN : SOLVER_YES;
}

/* Each input has the value that it has, if it may, and else the lowest one. */
static void choose_values(struct knowledge *k) {
  const struct domains *d = &k->answers.domains;
  for (uint32_t i = 0; i < d->input_count; i++) {
    const struct domain_input *in = &d->inputs[i];
    const uint64_t now = (uint64_t)k->now[in->input] - (uint64_t)k->inputs[in->input].low;
    uint32_t lowest = 0;
    while (!has_value(&in->domain, lowest))
      lowest++;
    if (now >= DOMAIN_VALUES || !has_value(&in->domain, (uint32_t)now))
      k->now[in->input] = k->inputs[in->input].low + lowest;
  }
}

/* The inputs of the other facts are among those of the question. False: one has too many values, or
 * no memory. */
static bool meet_all(struct knowledge *k) {
  const struct domains *d = &k->answers.domains;
  bool good = true;
  for (uint32_t i = 0; good && i < d->other_count; i++) {
    const uint32_t *support = slices_inputs(k, d->others[i]);
    good = support != NULL;
    for (uint32_t j = 1; good && j <= support[0]; j++)
      good = meet(k, support[j]) != NULL;
  }
  return good;
}

/* How often all of them are to be tried; more than TRIALS_MAX: too often. */
static uint64_t count_trials(struct domains *d) {
  uint64_t trials = 1;
  for (uint32_t i = 0; i < d->input_count && trials <= TRIALS_MAX; i++) {
    list_values(&d->inputs[i], trials);
    trials *= d->inputs[i].count;
  }
  return trials;
}

/* Whether the other facts are true in one of these trials. */
static bool holds_in(const struct domains *d, unsigned trial) {
  uint32_t i = 0;
  while (i < d->other_count && column_of(d, d->others[i])[trial] != 0)
    i++;
  return i == d->other_count;
}

/* Tries all values that are left, until some make the other facts true. */
static enum solver_answer try_all(struct knowledge *k) {
  struct domains *d = &k->answers.domains;
  if (!meet_all(k)) return SOLVER_UNKNOWN;
  const uint64_t trials = count_trials(d);
  if (trials > TRIALS_MAX || !list_terms(k, d->others, d->other_count, false) ||
      trials * k->answers.terms.count > WORK_MAX || !make_columns(k))
    return SOLVER_UNKNOWN;
  for (uint64_t first = 0; first < trials; first += DOMAIN_VALUES) {
    const uint64_t left = trials - first;
    const unsigned count = left < DOMAIN_VALUES ? (unsigned)left : DOMAIN_VALUES;
    fill_columns(k, &(struct trials){NULL, first, count});
    for (unsigned i = 0; i < count; i++) {
      if (!holds_in(d, i)) continue;
      for (uint32_t j = 0; j < d->input_count; j++)
        k->now[d->inputs[j].input] = value_in(k, &d->inputs[j], first + i);
      return SOLVER_YES;
    }
  }
  return SOLVER_NO;
}

enum solver_answer domains_ask(struct knowledge *k, const term *facts, uint32_t count,
                               uint32_t *core, uint32_t *core_count) {
  struct domains *d = &k->answers.domains;
  uint32_t empty = UINT32_MAX;
  enum solver_answer answer = narrow(k, facts, count, &empty);
  *core_count = 0;
  if (answer == SOLVER_NO)
    *core_count = find_core(k, empty, facts, count, core);
  else if (answer == SOLVER_YES && d->other_count > 0)
    answer = try_all(k);
  else if (answer == SOLVER_YES)
    choose_values(k);
  if (k->refused) answer = SOLVER_UNKNOWN;
  d->answers += answer != SOLVER_UNKNOWN;
  return answer;
}
