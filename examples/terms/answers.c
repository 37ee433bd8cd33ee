/*
 * Whether the facts of a set can be true together. Cheap ways come first: values that were found
 * for others; facts that are known to exclude each other; quick.h. What is left is taken apart into
 * facts that share no inputs, and each part is asked by itself, since it occurs more often than
 * the whole. Whatever is answered is kept, with the set.
 */
#include "answers.h"

#include <stdlib.h>
#include <string.h>

#include "knowledge.h"

enum { RECENT = 8 };

void answers_free(struct answers *a) {
  quick_free(&a->quick);
  free(a->supports);
  free(a->inputs);
  index_free(&a->cores);
  free(a->next);
  free(a->parents);
  free(a->stamps);
}

uint64_t answers_bytes(const struct answers *a) {
  return a->quick.room * (sizeof *a->quick.ranges + 2 * sizeof(uint32_t)) +
         a->support_room * sizeof *a->supports + a->input_room * sizeof *a->inputs +
         a->next_room * sizeof *a->next + a->cores.room * sizeof *a->cores.slots;
}

/* Makes room in a list of numbers, with this value in what is new. False: no memory. */
static bool make_room(struct knowledge *k, uint32_t **list, uint32_t *room, uint32_t wanted,
                      int value) {
  if (wanted <= *room) return true;
  const uint32_t more = 2 * wanted + 64;
  uint32_t *larger = realloc(*list, more * sizeof *larger);
  k->refused |= larger == NULL;
  if (larger == NULL) return false;
  memset(larger + *room, value, (more - *room) * sizeof *larger);
  *list = larger;
  *room = more;
  return true;
}

static term fact_at(const struct knowledge *k, uint32_t set, uint32_t index) {
  return facts_of(&k->facts, set)[index];
}

static uint32_t count_of(const struct knowledge *k, uint32_t set) {
  return facts_count(&k->facts, set);
}

/* ---- models ---- */

/* Of inputs that came later, the value is the one closest to 0. */
static int64_t clamp(const struct input *input, int64_t value) {
  return value < input->low || value > input->high ? input->low : value;
}

/* Makes room for values of all inputs. False: no memory. */
static bool make_values(struct knowledge *k) {
  if (k->fresh_room > k->input_count) return true;
  const uint32_t room = 2 * k->input_count + 16;
  int64_t *fresh = realloc(k->fresh, room * sizeof *fresh);
  if (fresh != NULL) k->fresh = fresh;
  uint32_t *set_by = fresh != NULL ? realloc(k->set_by, room * sizeof *set_by) : NULL;
  k->refused |= set_by == NULL;
  if (set_by == NULL) return false;
  memset(set_by, 0, room * sizeof *set_by);
  k->set_by = set_by;
  k->fresh_room = room;
  k->search = 0;
  return true;
}

/* The last change of an input counts. */
static void find_values(struct knowledge *k, uint32_t model, int64_t *values) {
  k->search++;
  for (uint32_t i = 0; i < k->input_count; i++)
    values[i] = 0;
  for (uint32_t m = model; m != UINT32_MAX; m = k->models[m].like)
    for (uint32_t i = k->models[m].first; i < k->models[m].ends; i++) {
      const struct change *c = &k->changes[i];
      if (k->set_by[c->input] != k->search) values[c->input] = c->value;
      k->set_by[c->input] = k->search;
    }
}

const int64_t *knowledge_values(struct knowledge *k, uint32_t model) {
  struct spread *s = &k->spread[model % SPREADS];
  if (s->room < k->input_count + 1) {
    const uint32_t room = 2 * k->input_count + 16;
    int64_t *values = realloc(s->values, room * sizeof *values);
    k->refused |= values == NULL;
    if (values == NULL) return NULL;
    s->values = values;
    s->room = room;
  }
  if (!make_values(k)) return NULL;
  const bool is_there = s->model == model && s->count > 0;
  if (!is_there) find_values(k, model, s->values);
  for (uint32_t i = is_there ? s->count : 0; i < k->input_count; i++)
    s->values[i] = clamp(&k->inputs[i], is_there ? 0 : s->values[i]);
  s->model = model;
  s->count = k->input_count;
  return s->values;
}

bool knowledge_holds(struct knowledge *k, term fact, const int64_t *values) {
  int64_t value = 0;
  const bool known = fact != TERM_NONE && terms_evaluate(&k->terms, fact, values, &value);
  k->refused |= !known;
  return known && value != 0;
}

/* Whether the values of a model make the facts of a set true, of which those of `known` are, unless
 * that is UINT32_MAX. The last ones first: they are new, and the others are likely true. */
static bool satisfies(struct knowledge *k, uint32_t model, uint32_t set, uint32_t known) {
  const int64_t *values = knowledge_values(k, model);
  uint32_t i = count_of(k, set), j = known != UINT32_MAX ? count_of(k, known) : 0;
  while (values != NULL && i > 0) {
    const term fact = fact_at(k, set, i - 1);
    while (j > 0 && fact_at(k, known, j - 1) > fact)
      j--;
    const bool is_known = j > 0 && fact_at(k, known, j - 1) == fact;
    if (!is_known && !knowledge_holds(k, fact, values)) break;
    i--;
  }
  return values != NULL && i == 0;
}

/* Values for a model that is made, those of another one, if there is one. */
static int64_t *begin_model(struct knowledge *k, uint32_t like) {
  if (!make_values(k)) return NULL;
  const int64_t *values = like < k->model_count ? knowledge_values(k, like) : NULL;
  k->fresh_like = values != NULL ? like : UINT32_MAX;
  for (uint32_t i = 0; i < k->input_count; i++)
    k->fresh[i] = values != NULL ? values[i] : 0;
  return k->fresh;
}

/* What of the values that were made differs from a model (NULL: from 0) is appended, or counted. */
static uint32_t list_changes(struct knowledge *k, const int64_t *values, bool append) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < k->input_count; i++) {
    const int64_t value = clamp(&k->inputs[i], k->fresh[i]);
    if (value == (values != NULL ? values[i] : clamp(&k->inputs[i], 0))) continue;
    if (append) k->changes[k->change_count++] = (struct change){i, value};
    count++;
  }
  return count;
}

static bool reach(struct knowledge *k, void *list, uint32_t *room, uint64_t wanted, size_t size) {
  void **items = list;
  if (wanted <= *room) return true;
  void *larger = wanted < UINT32_MAX / 4 ? realloc(*items, 2 * wanted * size) : NULL;
  k->refused |= larger == NULL;
  if (larger == NULL) return false;
  *items = larger;
  *room = (uint32_t)(2 * wanted);
  return true;
}

/* Keeps the values that were made. Where many models stand on each other, finding values would take
 * long, so it stands alone then: what all models take is as much as what they changed. */
static bool keep_model(struct knowledge *k) {
  enum { FEW = 64 };
  uint32_t like = k->fresh_like;
  const int64_t *values = like != UINT32_MAX ? knowledge_values(k, like) : NULL;
  const uint32_t alone = list_changes(k, NULL, false);
  const uint32_t beside = values != NULL ? list_changes(k, values, false) : alone;
  uint32_t cost = beside + 1 + (values != NULL ? k->models[like].cost : 0);
  if (values == NULL || alone <= beside || cost > 2 * k->input_count + FEW) {
    like = UINT32_MAX;
    values = NULL;
    cost = alone + 1;
  }
  const uint32_t count = values != NULL ? beside : alone;
  if (!reach(k, &k->changes, &k->change_room, (uint64_t)k->change_count + count,
             sizeof *k->changes) ||
      !reach(k, &k->models, &k->model_room, (uint64_t)k->model_count + 1, sizeof *k->models))
    return false;
  struct model *m = &k->models[k->model_count++];
  *m = (struct model){.like = like, .first = k->change_count, .cost = cost};
  list_changes(k, values, true);
  m->ends = k->change_count;
  return true;
}

static bool has_model(const struct knowledge *k, uint32_t set) {
  return set != UINT32_MAX && k->sets[set].asked && k->sets[set].answer == SOLVER_YES;
}

/* The model of another set, if it has one, else the last one. */
static uint32_t model_like(const struct knowledge *k, uint32_t like) {
  return has_model(k, like) ? k->sets[like].model : k->model_count - 1;
}

static bool find_model(struct knowledge *k, uint32_t set, uint32_t like) {
  const uint32_t first = model_like(k, like);
  for (uint32_t i = 0; i <= RECENT && i <= k->model_count && k->model_count > 0; i++) {
    const uint32_t model = i == 0 ? first : k->model_count - i;
    const uint32_t known = i == 0 && has_model(k, like) ? like : UINT32_MAX;
    if ((i > 0 && model == first) || !satisfies(k, model, set, known)) continue;
    k->sets[set].model = model;
    return true;
  }
  return false;
}

/* ---- facts that exclude each other ---- */

/* Enters a set of them. */
static void keep_core(struct knowledge *k, uint32_t set) {
  struct answers *a = &k->answers;
  const uint32_t count = count_of(k, set);
  if (count == 0 || k->sets[set].is_core || !make_room(k, &a->next, &a->next_room, set + 1, 255))
    return;
  const term largest = fact_at(k, set, count - 1);
  a->next[set] = index_find(&a->cores, largest, 0);
  k->sets[set].is_core = index_put(&a->cores, largest, 0, set);
  k->refused |= !k->sets[set].is_core;
}

/* Whether a set has all facts of another one; both are ascending. Where they are in it. */
static bool contains(const struct knowledge *k, uint32_t set, uint32_t part, uint32_t *where) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < count_of(k, part); i++, at++) {
    while (at < count_of(k, set) && fact_at(k, set, at) < fact_at(k, part, i))
      at++;
    if (at == count_of(k, set) || fact_at(k, set, at) != fact_at(k, part, i)) return false;
    if (where != NULL) where[i] = at;
  }
  return true;
}

/* A core that the set contains, or UINT32_MAX. */
static uint32_t find_core(const struct knowledge *k, uint32_t set, uint32_t *where) {
  const struct answers *a = &k->answers;
  for (uint32_t i = 0; i < count_of(k, set); i++)
    for (uint32_t core = index_find(&a->cores, fact_at(k, set, i), 0); core != UINT32_MAX;
         core = a->next[core])
      if (contains(k, set, core, where)) return core;
  return UINT32_MAX;
}

/* Keeps those facts of a set as a core. */
static void keep_part(struct knowledge *k, uint32_t set, const uint32_t *where, uint32_t count) {
  knowledge_begin_set(k);
  for (uint32_t i = 0; i < count; i++)
    knowledge_add(k, fact_at(k, set, where[i]));
  const uint32_t core = knowledge_end_set(k);
  if (core != UINT32_MAX && count > 0) keep_core(k, core);
}

/* ---- parts ---- */

/* The inputs that a fact depends on: their number, then they. NULL: no memory. */
static const uint32_t *support_of(struct knowledge *k, term fact) {
  struct answers *a = &k->answers;
  struct quick *q = &a->quick;
  if (!make_room(k, &a->supports, &a->support_room, fact + 1, 0)) return NULL;
  if (a->supports[fact] == 0) {
    if (!quick_list(q, &k->terms, &fact, 1)) {
      k->refused = true;
      return NULL;
    }
    if (!make_room(k, &a->inputs, &a->input_room, a->input_count + q->count + 1, 0)) return NULL;
    const uint32_t first = a->input_count++;
    for (uint32_t i = 0; i < q->count; i++) {
      const struct term_node *n = terms_node(&k->terms, q->list[i]);
      if (n->op == TERM_INPUT) a->inputs[a->input_count++] = (uint32_t)n->value;
    }
    a->inputs[first] = a->input_count - first - 1;
    a->supports[fact] = first + 1;
  }
  return a->inputs + a->supports[fact] - 1;
}

/* The input that stands for those which facts of this question join with one. */
static uint32_t find_root(struct answers *a, uint32_t input) {
  if (a->stamps[input] != a->stamp) {
    a->stamps[input] = a->stamp;
    a->parents[input] = input;
  }
  while (a->parents[input] != input) {
    a->parents[input] = a->parents[a->parents[input]];
    input = a->parents[input];
  }
  return input;
}

/* Joins the inputs of each fact. False: no memory. */
static bool join_inputs(struct knowledge *k, uint32_t set) {
  struct answers *a = &k->answers;
  uint32_t room = a->part_room;
  if (!make_room(k, &a->parents, &room, k->input_count + 1, 0) ||
      !make_room(k, &a->stamps, &a->part_room, k->input_count + 1, 0))
    return false;
  a->stamp++;
  for (uint32_t i = 0; i < count_of(k, set); i++) {
    const uint32_t *support = support_of(k, fact_at(k, set, i));
    if (support == NULL) return false;
    for (uint32_t j = 2; j <= support[0]; j++)
      a->parents[find_root(a, support[j])] = find_root(a, support[1]);
  }
  return true;
}

/* The root of a fact's inputs; a fact that has none stands alone. */
static uint32_t part_of(struct knowledge *k, term fact) {
  const uint32_t *support = support_of(k, fact);
  return support != NULL && support[0] > 0 ? find_root(&k->answers, support[1]) : UINT32_MAX;
}

/* Lists of facts, one for each root, in the order of their first ones. */
struct lists {
  uint32_t *last;  /* by root: of its list so far */
  uint32_t *next;  /* by fact: the next one in its list */
  uint32_t *first; /* by list */
  uint32_t count;
};

static void divide(struct knowledge *k, uint32_t set, struct lists *lists) {
  for (uint32_t i = 0; i <= k->input_count; i++)
    lists->last[i] = UINT32_MAX;
  for (uint32_t i = 0; i < count_of(k, set); i++) {
    const uint32_t root = part_of(k, fact_at(k, set, i));
    uint32_t *last = &lists->last[root < k->input_count ? root : k->input_count];
    lists->next[i] = UINT32_MAX;
    if (*last == UINT32_MAX)
      lists->first[lists->count++] = i;
    else
      lists->next[*last] = i;
    *last = i;
  }
}

/* The parts of a set: facts by root; returns how many there are, 0: no memory. */
static uint32_t take_apart(struct knowledge *k, uint32_t set, uint32_t **parts) {
  const uint32_t count = count_of(k, set);
  uint32_t *room = malloc((2 * (size_t)count + k->input_count + 1) * sizeof *room);
  k->refused |= room == NULL;
  *parts = room;
  if (room == NULL || !join_inputs(k, set)) return 0;
  struct lists lists = {.first = room, .next = room + count, .last = room + 2 * (size_t)count};
  divide(k, set, &lists);
  for (uint32_t n = 0; n < lists.count; n++) {
    knowledge_begin_set(k);
    for (uint32_t i = lists.first[n]; i != UINT32_MAX; i = lists.next[i])
      knowledge_add(k, fact_at(k, set, i));
    room[n] = knowledge_end_set(k);
    if (room[n] == UINT32_MAX) return 0;
  }
  return lists.count;
}

/* ---- answers ---- */

/* The facts of a set, with as much room again for some that exclude each other; NULL: no memory. */
static term *list_facts(struct knowledge *k, uint32_t set) {
  const uint32_t count = count_of(k, set);
  term *list = malloc((2 * (size_t)count + 1) * sizeof *list);
  k->refused |= list == NULL;
  for (uint32_t i = 0; i < count && list != NULL; i++)
    list[i] = fact_at(k, set, i);
  return list;
}

/* The set has the model that was made for it, if it is possible. */
static enum solver_answer settle(struct knowledge *k, uint32_t set, enum solver_answer answer) {
  if (answer != SOLVER_YES) return answer;
  if (!keep_model(k)) return SOLVER_UNKNOWN;
  k->sets[set].model = k->model_count - 1;
  return answer;
}

static enum solver_answer ask_solver(struct knowledge *k, uint32_t set, bool wants_core) {
  const uint32_t count = count_of(k, set);
  int64_t *values = begin_model(k, UINT32_MAX);
  term *list = list_facts(k, set);
  enum solver_answer answer = SOLVER_UNKNOWN;
  uint32_t core_count = 0;
  if (values != NULL && list != NULL) {
    uint32_t *core = wants_core ? list + count : NULL;
    answer =
        solver_ask(&k->solver, &k->terms, list, count, k->input_count, values, core, &core_count);
    k->refused |= k->solver.refused;
    if (answer == SOLVER_NO && core_count > 0)
      keep_part(k, set, core, core_count);
    else if (answer == SOLVER_NO)
      keep_core(k, set);
  }
  free(list);
  return settle(k, set, answer);
}

static enum solver_answer ask_quick(struct knowledge *k, uint32_t set, uint32_t like) {
  const uint32_t count = count_of(k, set);
  int64_t *values = begin_model(k, model_like(k, like));
  term *list = list_facts(k, set);
  enum solver_answer answer = SOLVER_UNKNOWN;
  uint32_t core_count = 0;
  if (values != NULL && list != NULL) {
    answer =
        quick_ask(&k->answers.quick, &k->terms, list, count, values, list + count, &core_count);
    if (answer == SOLVER_NO && core_count > 0) keep_part(k, set, list + count, core_count);
    k->answers.quick_answers += answer != SOLVER_UNKNOWN;
  }
  free(list);
  return settle(k, set, answer);
}

/* Values that the parts have, of their own inputs, together, and else those of a model. */
static bool join_models(struct knowledge *k, uint32_t set, const uint32_t *parts, uint32_t count,
                        uint32_t like) {
  int64_t *made = begin_model(k, like);
  if (made == NULL) return false;
  for (uint32_t i = 0; i < count; i++) {
    const int64_t *values = knowledge_values(k, k->sets[parts[i]].model);
    for (uint32_t j = 0; values != NULL && j < count_of(k, parts[i]); j++) {
      const uint32_t *support = support_of(k, fact_at(k, parts[i], j));
      for (uint32_t n = 1; support != NULL && n <= support[0]; n++)
        made[support[n]] = values[support[n]];
    }
  }
  if (k->refused || !keep_model(k)) return false;
  k->sets[set].model = k->model_count - 1;
  return true;
}

static enum solver_answer answer_set(struct knowledge *k, uint32_t set, uint32_t like,
                                     bool wants_core);

static enum solver_answer ask_parts(struct knowledge *k, uint32_t set, uint32_t like,
                                    bool wants_core) {
  uint32_t *parts;
  const uint32_t count = take_apart(k, set, &parts);
  enum solver_answer answer = count > 0 ? SOLVER_YES : SOLVER_UNKNOWN;
  if (count == 1) answer = ask_solver(k, set, wants_core);
  for (uint32_t i = 0; count > 1 && i < count && answer != SOLVER_NO; i++) {
    const enum solver_answer part = answer_set(k, parts[i], like, wants_core);
    if (part != SOLVER_YES) answer = part;
  }
  if (count > 1 && answer == SOLVER_YES && !join_models(k, set, parts, count, k->model_count - 1))
    answer = SOLVER_UNKNOWN;
  free(parts);
  return answer;
}

static bool has_constant(const struct knowledge *k, uint32_t set) {
  int64_t value;
  uint32_t i = 0;
  while (i < count_of(k, set) && !terms_is_constant(&k->terms, fact_at(k, set, i), &value))
    i++;
  return i < count_of(k, set); /* which is false, for those that are true are in no set */
}

/* Of a set for which no values are known. */
static enum solver_answer ask_whole(struct knowledge *k, uint32_t set, uint32_t like,
                                    bool wants_core) {
  if (has_constant(k, set)) return SOLVER_NO;
  if (find_core(k, set, NULL) != UINT32_MAX) {
    k->answers.core_answers++;
    return SOLVER_NO;
  }
  const enum solver_answer answer = ask_quick(k, set, like);
  return answer == SOLVER_UNKNOWN && !k->refused ? ask_parts(k, set, like, wants_core) : answer;
}

/* The only fact of a set that another one, which is possible, does not have; or TERM_NONE. */
static term find_new(const struct knowledge *k, uint32_t set, uint32_t like) {
  if (!has_model(k, like) || count_of(k, set) != count_of(k, like) + 1) return TERM_NONE;
  uint32_t at = 0;
  while (at < count_of(k, like) && fact_at(k, set, at) == fact_at(k, like, at))
    at++;
  for (uint32_t i = at; i < count_of(k, like); i++)
    if (fact_at(k, set, i + 1) != fact_at(k, like, i)) return TERM_NONE;
  return fact_at(k, set, at);
}

/* Where one fact is new, what shares inputs with it, over others, decides; the rest is true as it
 * was. */
static enum solver_answer ask_beside(struct knowledge *k, uint32_t set, uint32_t like, term fact,
                                     bool wants_core) {
  if (!join_inputs(k, set)) return SOLVER_UNKNOWN;
  const uint32_t root = part_of(k, fact);
  knowledge_begin_set(k);
  for (uint32_t i = 0; i < count_of(k, set); i++)
    if (part_of(k, fact_at(k, set, i)) == root) knowledge_add(k, fact_at(k, set, i));
  const uint32_t part = knowledge_end_set(k);
  if (part == UINT32_MAX || part == set)
    return k->refused ? SOLVER_UNKNOWN : ask_whole(k, set, like, wants_core);
  const enum solver_answer answer = answer_set(k, part, like, wants_core);
  if (answer == SOLVER_YES && !join_models(k, set, &part, 1, k->sets[like].model))
    return SOLVER_UNKNOWN;
  return answer;
}

static enum solver_answer answer_set(struct knowledge *k, uint32_t set, uint32_t like,
                                     bool wants_core) {
  if (k->sets[set].asked) return k->sets[set].answer;
  k->sets[set].asked = true;
  k->sets[set].answer = SOLVER_UNKNOWN;
  enum solver_answer answer = SOLVER_YES;
  if (!find_model(k, set, like)) {
    const term fact = find_new(k, set, like);
    answer = fact != TERM_NONE ? ask_beside(k, set, like, fact, wants_core)
                               : ask_whole(k, set, like, wants_core);
  }
  k->sets[set].answer = answer;
  return answer;
}

enum solver_answer knowledge_look_up(struct knowledge *k, uint32_t set, uint32_t like,
                                     uint32_t *core, uint32_t *core_count) {
  const enum solver_answer answer = answer_set(k, set, like, core != NULL);
  if (core == NULL) return answer;
  *core_count = 0;
  if (answer != SOLVER_NO) return answer;
  const uint32_t found = find_core(k, set, core);
  if (found != UINT32_MAX) *core_count = count_of(k, found);
  return answer;
}

/* ---- what is said of inputs that are used ---- */

const uint32_t *knowledge_inputs(struct knowledge *k, term a) {
  return support_of(k, a);
}

uint32_t knowledge_about_used(struct knowledge *k, uint32_t set, const bool *used) {
  if (set == UINT32_MAX || knowledge_ask(k, set) != SOLVER_YES)
    return k->refused ? UINT32_MAX : set;
  bool *kept = calloc(k->input_count + (size_t)1, sizeof *kept);
  k->refused |= kept == NULL;
  if (kept != NULL && join_inputs(k, set)) {
    for (uint32_t i = 0; i < k->input_count; i++)
      if (used[i]) kept[find_root(&k->answers, i)] = true;
    knowledge_begin_set(k);
    for (uint32_t i = 0; i < count_of(k, set); i++) {
      const uint32_t part = part_of(k, fact_at(k, set, i));
      if (part == UINT32_MAX || kept[part]) knowledge_add(k, fact_at(k, set, i));
    }
    set = knowledge_end_set(k);
  }
  free(kept);
  return k->refused ? UINT32_MAX : set;
}
