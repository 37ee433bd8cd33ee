/*
 * Whether the facts of a set can be true together. Cheap ways come first: values that were found
 * for others; facts that are known to exclude each other; quick.h; domains.h. Of a set that has
 * more than one whose values are known only what shares inputs with what is more, over others, is
 * looked at: its slice. What is left is taken apart into facts that share no inputs, and each part
 * is asked by itself, since it occurs more often than the whole. Whatever is answered is kept, with
 * the set.
 */
#include "answers.h"

#include <stdlib.h>
#include <string.h>

#include "knowledge.h"
#include "slices.h"

enum { RECENT = 8, NEAR = 16 };

void answers_free(struct answers *a) {
  term_list_free(&a->terms);
  quick_free(&a->quick);
  domains_free(&a->domains);
  held_free(&a->held);
  free(a->supports);
  free(a->inputs);
  free(a->mentions);
  free(a->mentioned);
  free(a->taken);
  index_free(&a->cores);
  free(a->next);
  free(a->parents);
  free(a->stamps);
}

uint64_t answers_bytes(const struct answers *a) {
  return a->quick.range_room * sizeof *a->quick.ranges + held_bytes(&a->held) +
         domains_bytes(&a->domains) + term_list_bytes(&a->terms) +
         term_list_bytes(&a->quick.terms) +
         (uint64_t)(a->support_room + a->input_room + a->mentioned_room + a->taken_room +
                    a->next_room) *
             sizeof(uint32_t) +
         a->mention_room * sizeof *a->mentions + a->cores.room * sizeof *a->cores.slots;
}

/* ---- models ---- */

/* Of inputs that came later, the value is the one closest to 0. */
static int64_t clamp(const struct input *input, int64_t value) {
  return value < input->low || value > input->high ? input->low : value;
}

/* Makes room for values of all inputs. False: no memory. */
static bool make_values(struct knowledge *k) {
  return knowledge_room(k, &k->now, &k->now_room, (uint64_t)k->input_count + 1, sizeof *k->now);
}

/* The values of no model are those that are closest to 0. */
static int64_t value_in(const struct knowledge *k, uint32_t model, uint32_t input) {
  const bool is_one = model < k->model_count;
  const int64_t value = is_one ? values_read(&k->values, k->models[model], input) : 0;
  return clamp(&k->inputs[input], value);
}

const int64_t *knowledge_values(struct knowledge *k, uint32_t model) {
  if (!make_values(k)) return NULL;
  for (uint32_t i = 0; i < k->input_count; i++)
    k->now[i] = value_in(k, model, i);
  return k->now;
}

/* Inputs of a term have the values of a model now. */
static bool load(struct knowledge *k, uint32_t model, term a) {
  const uint32_t *support = make_values(k) ? slices_inputs(k, a) : NULL;
  for (uint32_t i = 1; support != NULL && i <= support[0]; i++)
    k->now[support[i]] = value_in(k, model, support[i]);
  return support != NULL;
}

bool answers_evaluate(struct knowledge *k, uint32_t model, term a, int64_t *value) {
  k->answers.looked++;
  const bool known = load(k, model, a) && terms_evaluate(&k->terms, a, k->now, value);
  k->refused |= !known;
  return known;
}

bool answers_hold(struct knowledge *k, uint32_t model, term fact) {
  int64_t value = 0;
  k->refused |= fact == TERM_NONE;
  return fact != TERM_NONE && answers_evaluate(k, model, fact, &value) && value != 0;
}

struct tried {
  struct knowledge *knowledge;
  uint32_t model;
};

static bool holds_in(void *user, term fact) {
  const struct tried *t = user;
  return answers_hold(t->knowledge, t->model, fact);
}

/* Whether the values of a model make the facts of a set true, of which those of `known` are, unless
 * that is UINT32_MAX. The last ones first: they are new, and the others are likely true. */
static bool satisfies(struct knowledge *k, uint32_t model, uint32_t set, uint32_t known) {
  struct tried t = {k, model};
  return facts_beyond(&k->facts, set, known, holds_in, &t);
}

/* A model is made, with the values of another one (UINT32_MAX: of none). False: no memory. */
static bool begin_model(struct knowledge *k, uint32_t like) {
  if (!knowledge_room(k, &k->models, &k->model_room, (uint64_t)k->model_count + 1,
                      sizeof *k->models))
    return false;
  values_begin(&k->values);
  k->models[k->model_count] =
      like < k->model_count ? k->models[like] : (struct values_tree){.root = 0};
  return true;
}

/* It has, of the inputs of a term, the values now. */
static bool write_values(struct knowledge *k, term a) {
  const uint32_t *support = slices_inputs(k, a);
  bool good = support != NULL;
  for (uint32_t i = 1; good && i <= support[0]; i++) {
    const int64_t value = clamp(&k->inputs[support[i]], k->now[support[i]]);
    good = values_write(&k->values, &k->models[k->model_count], support[i], value);
  }
  k->refused |= !good;
  return good;
}

static void end_model(struct knowledge *k, uint32_t set) {
  k->sets[set].model = k->model_count++;
}

static bool has_model(const struct knowledge *k, uint32_t set) {
  return set != UINT32_MAX && k->sets[set].asked && k->sets[set].answer == SOLVER_YES;
}

/* The model of another set, if it has one, else the last one. */
static uint32_t model_like(const struct knowledge *k, uint32_t like) {
  return has_model(k, like) ? k->sets[like].model : k->model_count - 1;
}

/* One of the last few models. */
static bool find_model(struct knowledge *k, uint32_t set) {
  for (uint32_t i = 1; i <= RECENT && i <= k->model_count; i++) {
    if (!satisfies(k, k->model_count - i, set, UINT32_MAX)) continue;
    k->sets[set].model = k->model_count - i;
    return true;
  }
  return false;
}

/* ---- facts that exclude each other ---- */

/* Enters a set of them. */
static void keep_core(struct knowledge *k, uint32_t set) {
  struct answers *a = &k->answers;
  const uint32_t count = knowledge_count(k, set);
  if (count == 0 || k->sets[set].is_core || !slices_room(k, &a->next, &a->next_room, set + 1, 255))
    return;
  const term *list = knowledge_list(k, set);
  if (list == NULL) return;
  const term largest = list[count - 1];
  a->next[set] = index_find(&a->cores, largest, 0);
  k->sets[set].is_core = index_put(&a->cores, largest, 0, set);
  k->refused |= !k->sets[set].is_core;
}

static bool is_missing(void *user, term fact) {
  (void)user, (void)fact;
  return false;
}

/* A core that the set, of these facts, contains, or UINT32_MAX. */
static uint32_t find_core(const struct knowledge *k, uint32_t set, const term *list) {
  const struct answers *a = &k->answers;
  for (uint32_t i = 0; i < knowledge_count(k, set); i++)
    for (uint32_t core = index_find(&a->cores, list[i], 0); core != UINT32_MAX;
         core = a->next[core])
      if (facts_beyond(&k->facts, core, set, is_missing, NULL)) return core;
  return UINT32_MAX;
}

/* Keeps those of a list of facts as a core. */
static void keep_part(struct knowledge *k, const term *list, const uint32_t *where,
                      uint32_t count) {
  knowledge_begin_set(k);
  for (uint32_t i = 0; i < count; i++)
    knowledge_add(k, list[where[i]]);
  const uint32_t core = knowledge_end_set(k);
  if (core != UINT32_MAX && count > 0) keep_core(k, core);
}

/* ---- answers ---- */

/* A question that no values are known for: the facts of a set, as a list, behind which is room for
 * as many again; another set, or UINT32_MAX, has most of them. */
struct unanswered {
  uint32_t set, like;
  term *list;
  uint32_t count;
  bool wants_core;
};

/* The set has the values of its inputs now, and of others those of a model, if it is possible. */
static enum solver_answer settle(struct knowledge *k, const struct unanswered *q, uint32_t like,
                                 enum solver_answer answer) {
  if (answer != SOLVER_YES) return answer;
  bool good = begin_model(k, like);
  for (uint32_t i = 0; good && i < q->count; i++)
    good = write_values(k, q->list[i]);
  if (good) end_model(k, q->set);
  return good ? SOLVER_YES : SOLVER_UNKNOWN;
}

static bool load_all(struct knowledge *k, const struct unanswered *q, uint32_t model) {
  bool good = make_values(k);
  k->answers.looked += q->count;
  for (uint32_t i = 0; good && i < q->count; i++)
    good = load(k, model, q->list[i]);
  return good;
}

static enum solver_answer ask_solver(struct knowledge *k, const struct unanswered *q) {
  uint32_t *core = q->wants_core ? q->list + q->count : NULL, core_count = 0;
  if (!load_all(k, q, UINT32_MAX)) return SOLVER_UNKNOWN;
  const enum solver_answer answer = solver_ask(&k->solver, &k->terms, q->list, q->count,
                                               k->input_count, k->now, core, &core_count);
  k->refused |= k->solver.refused;
  if (answer == SOLVER_NO && core_count > 0)
    keep_part(k, q->list, core, core_count);
  else if (answer == SOLVER_NO)
    keep_core(k, q->set);
  return settle(k, q, UINT32_MAX, answer);
}

static enum solver_answer ask_quick(struct knowledge *k, const struct unanswered *q) {
  const uint32_t like = model_like(k, q->like);
  uint32_t *core = q->list + q->count, core_count = 0;
  if (!load_all(k, q, like)) return SOLVER_UNKNOWN;
  const enum solver_answer answer =
      quick_ask(&k->answers.quick, &k->terms, q->list, q->count, k->now, core, &core_count);
  if (answer == SOLVER_NO && core_count > 0) keep_part(k, q->list, core, core_count);
  k->answers.quick_answers += answer != SOLVER_UNKNOWN;
  return settle(k, q, like, answer);
}

/* Of facts that cannot be taken apart. */
static enum solver_answer ask_alone(struct knowledge *k, const struct unanswered *q) {
  uint32_t *core = q->list + q->count, core_count = 0;
  if (!load_all(k, q, model_like(k, q->like))) return SOLVER_UNKNOWN;
  const enum solver_answer answer = domains_ask(k, q->list, q->count, core, &core_count);
  if (answer == SOLVER_UNKNOWN) return k->refused ? answer : ask_solver(k, q);
  if (answer == SOLVER_NO && core_count > 0)
    keep_part(k, q->list, core, core_count);
  else if (answer == SOLVER_NO)
    keep_core(k, q->set);
  return settle(k, q, model_like(k, q->like), answer);
}

/* Values that the parts have, of their own inputs, together, and else those of a model. */
static bool join_models(struct knowledge *k, uint32_t set, const uint32_t *parts, uint32_t count,
                        uint32_t like) {
  bool good = begin_model(k, like);
  for (uint32_t i = 0; good && i < count; i++) {
    const term *list = knowledge_list(k, parts[i]);
    good = list != NULL;
    for (uint32_t j = 0; good && j < knowledge_count(k, parts[i]); j++)
      good = load(k, k->sets[parts[i]].model, list[j]) && write_values(k, list[j]);
  }
  if (good) end_model(k, set);
  return good;
}

static enum solver_answer answer_set(struct knowledge *k, uint32_t set, uint32_t like,
                                     bool wants_core);

static enum solver_answer ask_parts(struct knowledge *k, const struct unanswered *q) {
  uint32_t *parts;
  const uint32_t count = slices_take_apart(k, q->list, q->count, &parts);
  enum solver_answer answer = count > 0 ? SOLVER_YES : SOLVER_UNKNOWN;
  if (count == 1) answer = ask_alone(k, q);
  for (uint32_t i = 0; count > 1 && i < count && answer != SOLVER_NO; i++) {
    const enum solver_answer part = answer_set(k, parts[i], UINT32_MAX, q->wants_core);
    if (part != SOLVER_YES) answer = part;
  }
  if (count > 1 && answer == SOLVER_YES &&
      !join_models(k, q->set, parts, count, k->model_count - 1))
    answer = SOLVER_UNKNOWN;
  free(parts);
  return answer;
}

static bool has_constant(const struct knowledge *k, const struct unanswered *q) {
  int64_t value;
  uint32_t i = 0;
  while (i < q->count && !terms_is_constant(&k->terms, q->list[i], &value))
    i++;
  return i < q->count; /* which is false, for those that are true are in no set */
}

static enum solver_answer ask_listed(struct knowledge *k, const struct unanswered *q) {
  if (has_constant(k, q)) return SOLVER_NO;
  if (find_core(k, q->set, q->list) != UINT32_MAX) {
    k->answers.core_answers++;
    return SOLVER_NO;
  }
  const enum solver_answer answer = ask_quick(k, q);
  return answer == SOLVER_UNKNOWN && !k->refused ? ask_parts(k, q) : answer;
}

/* Of a set by itself; another one (or UINT32_MAX) has values from which some may be found. */
static enum solver_answer ask_whole(struct knowledge *k, uint32_t set, uint32_t like,
                                    bool wants_core) {
  if (find_model(k, set)) return SOLVER_YES;
  const struct unanswered q = {set, like, slices_list(k, set), knowledge_count(k, set), wants_core};
  const enum solver_answer answer = q.list != NULL ? ask_listed(k, &q) : SOLVER_UNKNOWN;
  free(q.list);
  return answer;
}

/* Of a part of a set, which is kept with it. */
static enum solver_answer ask_part(struct knowledge *k, uint32_t part, uint32_t like,
                                   bool wants_core) {
  if (!k->sets[part].asked) {
    k->sets[part].asked = true;
    k->sets[part].answer = SOLVER_UNKNOWN;
    const enum solver_answer found = ask_whole(k, part, like, wants_core);
    k->sets[part].answer = found; /* the list of sets may have grown */
  }
  return k->sets[part].answer;
}

/* The set of what is left of some facts where inputs have the values of a model; UINT32_MAX: no
 * memory. */
static uint32_t hold(struct knowledge *k, const struct near *near, uint32_t model) {
  const uint32_t count = knowledge_count(k, near->set);
  term *facts = make_values(k) && held_clear(k) ? slices_list(k, near->set) : NULL;
  for (uint32_t i = 0; facts != NULL && i < near->held_count; i++) {
    k->now[near->held[i]] = value_in(k, model, near->held[i]);
    held_put(k, near->held[i]);
  }
  const bool good = facts != NULL && held_apply(k, facts, count);
  knowledge_begin_set(k);
  for (uint32_t i = 0; good && i < count; i++)
    knowledge_add_aside(k, facts[i]);
  free(facts);
  return good ? knowledge_end_set(k) : UINT32_MAX;
}

/* Of a large slice some facts around what is new: first with the values that are known for all
 * inputs that others mention, so that these stay true; what is impossible without that is
 * impossible. UNKNOWN: this does not decide. */
static enum solver_answer ask_near(struct knowledge *k, uint32_t set, uint32_t like,
                                   bool wants_core) {
  const uint32_t model = k->sets[like].model;
  struct near near;
  if (!slices_near(k, set, like, NEAR, &near)) return SOLVER_UNKNOWN;
  const uint32_t held = hold(k, &near, model);
  const enum solver_answer answer =
      held != UINT32_MAX ? ask_part(k, held, like, wants_core) : SOLVER_UNKNOWN;
  if (answer == SOLVER_YES) return join_models(k, set, &held, 1, model) ? answer : SOLVER_UNKNOWN;
  const bool impossible =
      answer == SOLVER_NO && ask_part(k, near.set, like, wants_core) == SOLVER_NO;
  return impossible ? SOLVER_NO : SOLVER_UNKNOWN;
}

/* Where values of another set are known, the slice of what is new decides; the rest is true as it
 * was. */
static enum solver_answer ask_beside(struct knowledge *k, uint32_t set, uint32_t like,
                                     bool wants_core) {
  const enum solver_answer near = ask_near(k, set, like, wants_core);
  if (near != SOLVER_UNKNOWN || k->refused) return near;
  const uint32_t part = slices_beside(k, set, like);
  if (part == UINT32_MAX) return SOLVER_UNKNOWN;
  if (part == set) return ask_whole(k, set, like, wants_core);
  const enum solver_answer answer = ask_part(k, part, like, wants_core);
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
  if (!has_model(k, like))
    answer = ask_whole(k, set, like, wants_core);
  else if (satisfies(k, k->sets[like].model, set, like))
    k->sets[set].model = k->sets[like].model;
  else
    answer = ask_beside(k, set, like, wants_core);
  k->sets[set].answer = answer;
  return answer;
}

enum solver_answer knowledge_look_up(struct knowledge *k, uint32_t set, uint32_t like, term *core,
                                     uint32_t *core_count) {
  const enum solver_answer answer = answer_set(k, set, like, core != NULL);
  if (core == NULL) return answer;
  *core_count = 0;
  if (answer != SOLVER_NO) return answer;
  const term *list = knowledge_list(k, set);
  const uint32_t found = list != NULL ? find_core(k, set, list) : UINT32_MAX;
  if (found == UINT32_MAX) return answer;
  *core_count = knowledge_count(k, found);
  facts_list(&k->facts, found, core);
  return answer;
}
