#include "knowledge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "slices.h"

bool knowledge_open(struct knowledge *k) {
  memset(k, 0, sizeof *k);
  knowledge_try_values(k, DOMAIN_VALUES);
  return facts_make(&k->facts) && terms_make(&k->terms);
}

void knowledge_close(struct knowledge *k) {
  for (uint32_t i = 0; i < k->input_count; i++)
    free(k->inputs[i].name);
  values_free(&k->values);
  terms_free(&k->terms);
  solver_close(&k->solver);
  branches_free(&k->branches);
  content_free(&k->content);
  facts_free(&k->facts);
  free(k->sets);
  free(k->models);
  free(k->now);
  free(k->inputs);
  index_free(&k->input_index);
  index_free(&k->names);
  free(k->list);
  free(k->histories);
  free(k->waiting);
  answers_free(&k->answers);
  memset(k, 0, sizeof *k);
}

/* ---- inputs ---- */

/* The name, or one with a number behind it that no other input has, to be freed; NULL: no memory.
 */
static char *free_name(struct knowledge *k, const char *name) {
  const uint32_t before = index_find(&k->names, index_hash(name), 0);
  uint32_t number = before == UINT32_MAX ? 1 : before + 1;
  const size_t room = strlen(name) + 16;
  char *text = malloc(room);
  if (text == NULL) return NULL;
  snprintf(text, room, "%s", name);
  if (number > 1) {
    do
      snprintf(text, room, "%s.%" PRIu32, name, number++);
    while (index_find(&k->names, index_hash(text), 0) != UINT32_MAX);
    number--;
  }
  if (index_put(&k->names, index_hash(name), 0, number) &&
      (number == 1 || index_put(&k->names, index_hash(text), 0, 1)))
    return text;
  free(text);
  return NULL;
}

uint64_t knowledge_bytes(const struct knowledge *k) {
  return terms_bytes(&k->terms) + branches_bytes(&k->branches) + facts_bytes(&k->facts) +
         content_bytes(&k->content) + answers_bytes(&k->answers) + k->set_room * sizeof *k->sets +
         k->model_room * sizeof *k->models + values_bytes(&k->values);
}

/* The name is to be freed; NULL: no memory. */
static bool add_input(struct knowledge *k, char *name, int64_t low, int64_t high) {
  if (name != NULL && k->input_count == k->input_room) {
    const uint32_t room = 2 * k->input_room + 16;
    struct input *inputs = realloc(k->inputs, room * sizeof *inputs);
    if (inputs == NULL) {
      free(name);
      return false;
    }
    k->inputs = inputs;
    k->input_room = room;
  }
  if (name != NULL) k->inputs[k->input_count++] = (struct input){name, low, high};
  return name != NULL;
}

bool knowledge_declare(struct knowledge *k, const char *name, int64_t low, int64_t high) {
  return add_input(k, strdup(name), low, high);
}

term knowledge_input(struct knowledge *k, unf_thread thread, unf_event cause, uint32_t index,
                     unsigned width, const char *name) {
  const uint64_t after = (uint64_t)thread << 32 | cause;
  uint32_t number = index_find(&k->input_index, after, index);
  if (number == UINT32_MAX) {
    const int64_t high = width == 1 ? 1 : INT64_MAX >> (64 - width);
    number = k->input_count;
    if (!add_input(k, free_name(k, name), width == 1 ? 0 : -high - 1, high) ||
        !index_put(&k->input_index, after, index, number))
      return TERM_NONE;
  }
  return terms_input(&k->terms, number, k->inputs[number].low, k->inputs[number].high);
}

/* ---- sets ---- */

/* What is known of a set has its place; UINT32_MAX: no memory. */
static uint32_t enter(struct knowledge *k, uint32_t set) {
  if (set != UINT32_MAX && set >= k->set_room) {
    const uint32_t room = 2 * set + 64;
    struct set *sets = realloc(k->sets, room * sizeof *sets);
    if (sets != NULL) {
      memset(sets + k->set_room, 0, (room - k->set_room) * sizeof *sets);
      k->sets = sets;
      k->set_room = room;
    }
    if (sets == NULL) set = UINT32_MAX;
  }
  k->refused |= set == UINT32_MAX;
  return set;
}

void knowledge_begin_set(struct knowledge *k) {
  k->list_count = 0;
}

static bool reserve(struct knowledge *k, size_t count) {
  if (count > k->list_room) {
    const size_t room = 2 * count + 16;
    term *list = realloc(k->list, room * sizeof *list);
    k->refused |= list == NULL;
    if (list == NULL) return false;
    k->list = list;
    k->list_room = room;
  }
  return true;
}

/* Whether it says something; what is true anyway is in no set. */
static bool is_fact(const struct knowledge *k, term fact) {
  int64_t value;
  return fact == TERM_NONE || !terms_is_constant(&k->terms, fact, &value) || value == 0;
}

void knowledge_add(struct knowledge *k, term fact) {
  if (!is_fact(k, fact)) return;
  if (fact == TERM_NONE)
    k->refused = true;
  else if (slices_mention(k, fact) && reserve(k, k->list_count + 1))
    k->list[k->list_count++] = fact;
}

void knowledge_add_aside(struct knowledge *k, term fact) {
  if (is_fact(k, fact) && reserve(k, k->list_count + 1)) k->list[k->list_count++] = fact;
}

static int compare_facts(const void *a, const void *b) {
  const term x = *(const term *)a, y = *(const term *)b;
  return (x > y) - (x < y);
}

uint32_t knowledge_end_set(struct knowledge *k) {
  size_t count = 0, sorted = k->list_count > 0;
  if (k->refused) return UINT32_MAX;
  while (sorted < k->list_count && k->list[sorted - 1] <= k->list[sorted])
    sorted++;
  if (sorted < k->list_count) qsort(k->list, k->list_count, sizeof *k->list, compare_facts);
  for (size_t i = 0; i < k->list_count; i++)
    if (i == 0 || k->list[i] != k->list[i - 1]) k->list[count++] = k->list[i];
  k->list_count = count;
  return enter(k, facts_intern(&k->facts, k->list, (uint32_t)count));
}

const term *knowledge_list(struct knowledge *k, uint32_t set) {
  k->list_count = facts_count(&k->facts, set);
  if (!reserve(k, k->list_count + 1)) return NULL;
  facts_list(&k->facts, set, k->list);
  return k->list;
}

uint32_t knowledge_union(struct knowledge *k, uint32_t one, uint32_t other) {
  return k->refused ? UINT32_MAX : enter(k, facts_union(&k->facts, one, other));
}

uint32_t knowledge_with(struct knowledge *k, uint32_t set, term fact) {
  if (!is_fact(k, fact)) return set;
  if (fact == TERM_NONE || !slices_mention(k, fact)) k->refused = true;
  return k->refused ? UINT32_MAX : enter(k, facts_with(&k->facts, set, fact));
}

/* What the literal of a branch event says; TERM_NONE: that is not known here. */
static term fact_of(const struct knowledge *k, unf_event event) {
  unf_literal literal;
  if (unf_event_literal(k->unfolding, event, &literal) != UNF_OK) return TERM_NONE;
  const bool named = k->content.name_count > 0;
  const uint32_t branch =
      named ? content_branch(&k->content, literal.term) : (uint32_t)literal.term;
  if (branch >= k->branches.count) return TERM_NONE;
  return branches_outcomes(&k->branches, branch)[literal.outcome].fact;
}

static bool add_event(void *user, unf_event event) {
  struct knowledge *k = user;
  unf_action action;
  if (unf_event_action(k->unfolding, event, &action) != UNF_OK)
    k->refused = true;
  else if (action.kind == UNF_DID_BRANCH)
    knowledge_add(k, fact_of(k, event));
  return !k->refused;
}

/* ---- histories ---- */

/* Makes room for a number of elements, with 0 in what is new. False: no memory. */
static bool reach(struct knowledge *k, void *list, size_t *room, size_t wanted, size_t size) {
  char **items = list;
  if (wanted <= *room) return true;
  const size_t more = 2 * wanted + 64;
  char *larger = realloc(*items, more * size);
  k->refused |= larger == NULL;
  if (larger == NULL) return false;
  memset(larger + *room * size, 0, (more - *room) * size);
  *items = larger;
  *room = more;
  return true;
}

static bool is_known(const struct knowledge *k, unf_event event) {
  return event == UNF_EVENT_BOTTOM || (event < k->history_room && k->histories[event] != 0);
}

static bool add_waiting(void *user, unf_event event) {
  struct knowledge *k = user;
  if (is_known(k, event)) return true;
  if (!reach(k, &k->waiting, &k->waiting_room, k->waiting_count + 1, sizeof *k->waiting))
    return false;
  k->waiting[k->waiting_count++] = event;
  return true;
}

/* A set that is made of the facts that an event and those before it have. */
struct joined {
  struct knowledge *knowledge;
  uint32_t set;
};

static bool add_history(void *user, unf_event event) {
  struct joined *j = user;
  struct knowledge *k = j->knowledge;
  if (event != UNF_EVENT_BOTTOM) j->set = knowledge_union(k, j->set, k->histories[event] - 1);
  return !k->refused;
}

/* The facts of an event's predecessors, and its own. */
static bool find_history(struct knowledge *k, unf_event event) {
  knowledge_begin_set(k);
  if (!add_event(k, event)) return false;
  struct joined j = {k, knowledge_end_set(k)};
  if (j.set != UINT32_MAX)
    k->refused |= unf_event_predecessors(k->unfolding, event, add_history, &j) != UNF_OK;
  const uint32_t set = k->refused ? UINT32_MAX : j.set;
  if (set == UINT32_MAX ||
      !reach(k, &k->histories, &k->history_room, event + (size_t)1, sizeof *k->histories))
    return false;
  k->histories[event] = set + 1;
  return true;
}

/* From those of the predecessors: each event is looked at once. */
static uint32_t known_history(struct knowledge *k, unf_event event) {
  k->waiting_count = 0;
  add_waiting(k, event);
  while (k->waiting_count > 0 && !k->refused) {
    const size_t count = k->waiting_count;
    const unf_event top = k->waiting[count - 1];
    k->refused |= unf_event_predecessors(k->unfolding, top, add_waiting, k) != UNF_OK;
    if (k->waiting_count > count || k->refused) continue;
    k->waiting_count--;
    if (!is_known(k, top) && !find_history(k, top)) k->refused = true;
  }
  return k->refused ? UINT32_MAX : k->histories[event] - 1;
}

uint32_t knowledge_history(struct knowledge *k, unf_event event) {
  if (k->events_stay && event != UNF_EVENT_BOTTOM) return known_history(k, event);
  knowledge_begin_set(k);
  if (event != UNF_EVENT_BOTTOM && unf_event_history(k->unfolding, event, add_event, k) != UNF_OK)
    k->refused = true;
  return knowledge_end_set(k);
}

uint32_t knowledge_run(struct knowledge *k, const unf_explorer *x) {
  knowledge_begin_set(k);
  unf_explorer_path(x, add_event, k);
  return knowledge_end_set(k);
}

/* ---- answers ---- */

enum solver_answer knowledge_ask(struct knowledge *k, uint32_t set) {
  return set == UINT32_MAX ? SOLVER_UNKNOWN : knowledge_look_up(k, set, UINT32_MAX, NULL, NULL);
}

bool knowledge_value(struct knowledge *k, uint32_t set, term a, int64_t *value) {
  return answers_evaluate(k, k->sets[set].model, a, value);
}

enum possible knowledge_possible(struct knowledge *k, uint32_t history, term fact, term wanted,
                                 int64_t *value) {
  static const enum possible answers[] = {
      [SOLVER_NO] = POSSIBLE_NO, [SOLVER_YES] = POSSIBLE_YES, [SOLVER_UNKNOWN] = POSSIBLE_UNKNOWN};
  const uint32_t set = history != UINT32_MAX ? knowledge_with(k, history, fact) : UINT32_MAX;
  const enum solver_answer answer =
      set != UINT32_MAX ? knowledge_look_up(k, set, history, NULL, NULL) : SOLVER_UNKNOWN;
  if (k->refused || k->terms.failed) return POSSIBLE_REFUSED;
  if (answer == SOLVER_YES && value != NULL && !knowledge_value(k, set, wanted, value))
    return POSSIBLE_REFUSED;
  return answers[answer];
}

json_t *knowledge_witness(struct knowledge *k, uint32_t set) {
  if (knowledge_ask(k, set) != SOLVER_YES) return k->refused ? NULL : json_null();
  const int64_t *values = knowledge_values(k, k->sets[set].model);
  return values != NULL ? knowledge_told(k, values) : NULL;
}

json_t *knowledge_told(const struct knowledge *k, const int64_t *values) {
  json_t *object = json_object();
  for (uint32_t i = 0; object != NULL && i < k->input_count; i++) {
    if (json_object_set_new(object, k->inputs[i].name, json_integer((json_int_t)values[i])) == 0)
      continue;
    json_decref(object);
    return NULL;
  }
  return object;
}

static const char *input_name(void *user, uint32_t input) {
  const struct knowledge *k = user;
  return k->inputs[input].name;
}

void knowledge_fact_text(const struct knowledge *k, unf_event event, char *text, size_t size) {
  terms_text(&k->terms, fact_of(k, event), input_name, (void *)(uintptr_t)k, text, size);
}

json_t *knowledge_facts(struct knowledge *k, uint32_t set) {
  enum { FACT_SIZE = 1 << 16 };
  json_t *facts = json_array();
  char *text = malloc(FACT_SIZE);
  const term *list = knowledge_list(k, set);
  bool good = text != NULL && facts != NULL && list != NULL;
  for (uint32_t i = 0; good && i < facts_count(&k->facts, set); i++) {
    terms_text(&k->terms, list[i], input_name, k, text, FACT_SIZE);
    good = json_array_append_new(facts, json_string(text)) == 0;
  }
  free(text);
  if (good) return facts;
  json_decref(facts);
  return NULL;
}

/* ---- questions of the library ---- */

/* The events of a core of facts; of several with one fact the first. */
static uint64_t core_events(const struct knowledge *k, const term *core, uint32_t count,
                            const unf_event *events, uint64_t event_count, unf_event *out) {
  for (uint32_t i = 0; i < count; i++) {
    uint64_t j = 0;
    while (j < event_count && fact_of(k, events[j]) != core[i])
      j++;
    if (j == event_count) return 0;
    out[i] = events[j];
  }
  return count;
}

static uint32_t set_of_events(struct knowledge *k, const unf_event *events, uint64_t count) {
  knowledge_begin_set(k);
  for (uint64_t i = 0; i < count; i++)
    knowledge_add(k, fact_of(k, events[i]));
  return knowledge_end_set(k);
}

static unf_answer find_consistent(void *user, const unf_event *events, uint64_t count,
                                  uint64_t before, unf_event *core, uint64_t *core_count,
                                  uint64_t *witness) {
  static const unf_answer answers[] = {[SOLVER_NO] = UNF_ANSWER_NO,
                                       [SOLVER_YES] = UNF_ANSWER_YES,
                                       [SOLVER_UNKNOWN] = UNF_ANSWER_UNKNOWN};
  struct knowledge *k = user;
  uint32_t size = 0;
  const uint32_t likely = set_of_events(k, events, before);
  const uint32_t set = set_of_events(k, events, count);
  term *facts = set != UINT32_MAX ? malloc((size_t)(count + 1) * sizeof *facts) : NULL;
  k->refused |= facts == NULL;
  if (facts == NULL) return UNF_ANSWER_UNKNOWN;
  const enum solver_answer answer = knowledge_look_up(k, set, likely, facts, &size);
  if (answer == SOLVER_YES) *witness = (uint64_t)k->sets[set].model + 1;
  if (answer == SOLVER_NO && size > 0)
    *core_count = core_events(k, facts, size, events, count, core);
  free(facts);
  return answers[answer];
}

static bool holds(void *user, uint64_t witness, unf_event event) {
  struct knowledge *k = user;
  return answers_hold(k, (uint32_t)(witness - 1), fact_of(k, event));
}

void knowledge_about(struct knowledge *k, unf_unfolding *unfolding) {
  k->unfolding = unfolding;
}

unf_status knowledge_attach(struct knowledge *k, unf_unfolding *unfolding) {
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  knowledge_about(k, unfolding);
  consistency.consistent = find_consistent;
  consistency.holds = holds;
  consistency.user = k;
  return unf_unfolding_set_consistency(unfolding, &consistency);
}

json_t *knowledge_statistics(const struct knowledge *k) {
  const struct solver_counts *c = &k->solver.counts;
  unf_consistency_counts asked;
  unf_unfolding_consistency_counts(k->unfolding, &asked);
  return json_pack(
      "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
      "s:I}",
      "queries", (json_int_t)c->queries, "yes", (json_int_t)c->yes, "no", (json_int_t)c->no,
      "unknown", (json_int_t)c->unknown, "lost", (json_int_t)c->lost, "inputs",
      (json_int_t)k->input_count, "questions", (json_int_t)asked.questions, "witnessed",
      (json_int_t)asked.witnessed, "refuted", (json_int_t)asked.refuted, "remembered",
      (json_int_t)asked.remembered, "terms", (json_int_t)k->terms.count, "branches",
      (json_int_t)k->branches.count, "quick", (json_int_t)k->answers.quick_answers, "cores",
      (json_int_t)k->answers.core_answers, "tried", (json_int_t)k->answers.domains.answers,
      "kept_facts", (json_int_t)k->facts.node_count, "kept_values",
      (json_int_t)k->values.node_count + k->values.leaf_count, "asked_facts", (json_int_t)c->facts,
      "looked_at", (json_int_t)k->answers.looked);
}
