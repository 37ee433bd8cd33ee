#include "slices.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"

bool slices_room(struct knowledge *k, uint32_t **list, uint32_t *room, uint32_t wanted, int value) {
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

/* ---- inputs of facts ---- */

const uint32_t *slices_inputs(struct knowledge *k, term a) {
  struct answers *s = &k->answers;
  struct term_list *l = &s->terms;
  if (!slices_room(k, &s->supports, &s->support_room, a + 1, 0)) return NULL;
  if (s->supports[a] == 0) {
    if (!term_list_make(l, &k->terms, &a, 1, UINT32_MAX, NULL, NULL)) {
      k->refused = true;
      return NULL;
    }
    if (!slices_room(k, &s->inputs, &s->input_room, s->input_count + l->count + 2, 0)) return NULL;
    s->inputs[s->input_count] = false;
    const uint32_t first = s->input_count + 1;
    s->input_count = first + 1;
    for (uint32_t i = 0; i < l->count; i++) {
      const struct term_node *n = terms_node(&k->terms, l->list[i]);
      if (n->op == TERM_INPUT) s->inputs[s->input_count++] = (uint32_t)n->value;
    }
    s->inputs[first] = s->input_count - first - 1;
    s->supports[a] = first + 1;
  }
  return s->inputs + s->supports[a] - 1;
}

bool slices_mention(struct knowledge *k, term fact) {
  struct answers *a = &k->answers;
  const uint32_t *support = slices_inputs(k, fact);
  if (support == NULL) return false;
  uint32_t *is_mentioned = &a->inputs[a->supports[fact] - 2];
  if (*is_mentioned != 0) return true;
  if (!slices_room(k, &a->mentioned, &a->mentioned_room, k->input_count + 1, 0) ||
      !knowledge_room(k, &a->mentions, &a->mention_room,
                      (uint64_t)a->mention_count + support[0] + 1, sizeof *a->mentions))
    return false;
  for (uint32_t i = 1; i <= support[0]; i++) {
    uint32_t *first = &a->mentioned[support[i]];
    a->mentions[a->mention_count] = (struct mention){fact, *first};
    *first = ++a->mention_count;
  }
  *is_mentioned = true;
  return true;
}

/* ---- parts ---- */

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

/* For a question about inputs, of which none has been met. False: no memory. */
static bool begin_inputs(struct knowledge *k) {
  struct answers *a = &k->answers;
  uint32_t room = a->part_room;
  if (!slices_room(k, &a->parents, &room, k->input_count + 1, 0) ||
      !slices_room(k, &a->stamps, &a->part_room, k->input_count + 1, 0))
    return false;
  a->stamp++;
  return true;
}

/* Joins the inputs of each fact. False: no memory. */
static bool join_inputs(struct knowledge *k, const term *list, uint32_t count) {
  struct answers *a = &k->answers;
  if (!begin_inputs(k)) return false;
  a->looked += count;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t *support = slices_inputs(k, list[i]);
    if (support == NULL) return false;
    for (uint32_t j = 2; j <= support[0]; j++)
      a->parents[find_root(a, support[j])] = find_root(a, support[1]);
  }
  return true;
}

/* The root of a fact's inputs; a fact that has none stands alone. */
static uint32_t part_of(struct knowledge *k, term fact) {
  const uint32_t *support = slices_inputs(k, fact);
  return support != NULL && support[0] > 0 ? find_root(&k->answers, support[1]) : UINT32_MAX;
}

/* Lists of facts, one for each root, in the order of their first ones. */
struct lists {
  uint32_t *last;  /* by root: of its list so far */
  uint32_t *next;  /* by fact: the next one in its list */
  uint32_t *first; /* by list */
  uint32_t count;
};

static void divide(struct knowledge *k, const term *list, uint32_t count, struct lists *lists) {
  for (uint32_t i = 0; i <= k->input_count; i++)
    lists->last[i] = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t root = part_of(k, list[i]);
    uint32_t *last = &lists->last[root < k->input_count ? root : k->input_count];
    lists->next[i] = UINT32_MAX;
    if (*last == UINT32_MAX)
      lists->first[lists->count++] = i;
    else
      lists->next[*last] = i;
    *last = i;
  }
}

uint32_t slices_take_apart(struct knowledge *k, const term *list, uint32_t count,
                           uint32_t **parts) {
  uint32_t *room = malloc((2 * (size_t)count + k->input_count + 1) * sizeof *room);
  k->refused |= room == NULL;
  *parts = room;
  if (room == NULL || !join_inputs(k, list, count)) return 0;
  struct lists lists = {.first = room, .next = room + count, .last = room + 2 * (size_t)count};
  divide(k, list, count, &lists);
  for (uint32_t n = 0; n < lists.count; n++) {
    knowledge_begin_set(k);
    for (uint32_t i = lists.first[n]; i != UINT32_MAX; i = lists.next[i])
      knowledge_add(k, list[i]);
    room[n] = knowledge_end_set(k);
    if (room[n] == UINT32_MAX) return 0;
  }
  return lists.count;
}

term *slices_list(struct knowledge *k, uint32_t set) {
  term *list = malloc((2 * (size_t)knowledge_count(k, set) + 1) * sizeof *list);
  k->refused |= list == NULL;
  if (list != NULL) facts_list(&k->facts, set, list);
  return list;
}

static bool add_fact(void *user, term fact) {
  struct knowledge *k = user;
  knowledge_add(k, fact);
  return !k->refused;
}

/* Adds the facts of a set that an input is mentioned in and that are not yet taken. False: no
 * memory, or more facts than a budget were looked at. */
static bool take_mentions(struct knowledge *k, uint32_t set, uint32_t input, uint64_t *budget) {
  struct answers *a = &k->answers;
  for (uint32_t at = a->mentioned[input]; at != 0; at = a->mentions[at - 1].next) {
    const term fact = a->mentions[at - 1].fact;
    a->looked++;
    if ((*budget)-- == 0) return false;
    if (a->taken[fact] == a->slices || !facts_has(&k->facts, set, fact)) continue;
    a->taken[fact] = a->slices;
    knowledge_add(k, fact);
  }
  return !k->refused;
}

/* The facts of the set that is made are those that were taken. False: no memory. */
static bool begin_slice(struct knowledge *k) {
  struct answers *a = &k->answers;
  if (!begin_inputs(k) || !slices_room(k, &a->taken, &a->taken_room, k->terms.count, 0))
    return false;
  a->slices++;
  for (size_t i = 0; i < k->list_count; i++)
    a->taken[k->list[i]] = a->slices;
  return true;
}

/* The inputs of the set that is made, which may grow meanwhile. */
struct met {
  size_t fact;
  uint32_t inputs; /* of this fact */
};

/* The next one, once each. False: there is none. */
static bool next_input(struct knowledge *k, struct met *met, uint32_t *input) {
  struct answers *a = &k->answers;
  for (; met->fact < k->list_count; met->fact++, met->inputs = 0) {
    const uint32_t *support = slices_inputs(k, k->list[met->fact]);
    while (support != NULL && met->inputs < support[0]) {
      *input = support[++met->inputs];
      if (a->stamps[*input] == a->stamp) continue;
      a->stamps[*input] = a->stamp;
      return true;
    }
  }
  return false;
}

/* To the set that is made, the facts of another one that share inputs with its own, over others.
 * False: no memory, or more facts of other sets were on the way than this one has. */
static bool add_by_mentions(struct knowledge *k, uint32_t set) {
  uint64_t budget = 4 * (uint64_t)knowledge_count(k, set) + 64;
  struct met met = {0};
  uint32_t input;
  if (!begin_slice(k)) return false;
  while (next_input(k, &met, &input))
    if (!take_mentions(k, set, input, &budget)) return false;
  return !k->refused;
}

/* Does that by looking at the whole set, and makes the set of these facts anew. */
static bool add_by_roots(struct knowledge *k, uint32_t set, uint32_t fresh) {
  struct answers *a = &k->answers;
  const uint32_t count = knowledge_count(k, set), fresh_count = knowledge_count(k, fresh);
  term *list = slices_list(k, set), *own = list != NULL ? slices_list(k, fresh) : NULL;
  uint32_t root = UINT32_MAX;
  bool good = own != NULL && join_inputs(k, list, count);
  for (uint32_t i = 0; good && i < fresh_count; i++) {
    const uint32_t part = part_of(k, own[i]);
    if (part != UINT32_MAX && root != UINT32_MAX) a->parents[part] = find_root(a, root);
    if (part != UINT32_MAX) root = part;
  }
  knowledge_begin_set(k);
  for (uint32_t i = 0; good && i < fresh_count; i++)
    knowledge_add(k, own[i]);
  for (uint32_t i = 0; good && root != UINT32_MAX && i < count; i++)
    if (part_of(k, list[i]) == find_root(a, root)) knowledge_add(k, list[i]);
  free(list);
  free(own);
  return good;
}

uint32_t slices_beside(struct knowledge *k, uint32_t set, uint32_t like) {
  knowledge_begin_set(k);
  facts_beyond(&k->facts, set, like, add_fact, k);
  const uint32_t fresh = knowledge_end_set(k);
  if (fresh == UINT32_MAX) return UINT32_MAX;
  const bool good = add_by_mentions(k, set) || (!k->refused && add_by_roots(k, set, fresh));
  return good ? knowledge_end_set(k) : UINT32_MAX;
}

/* Adds facts of a set that an input is mentioned in, until there are so many. False: there are
 * more, or too many facts of other sets on the way, or no memory. */
static bool take_some(struct knowledge *k, uint32_t set, uint32_t input, uint32_t most) {
  struct answers *a = &k->answers;
  uint32_t looks = 4 * most;
  for (uint32_t at = a->mentioned[input]; at != 0; at = a->mentions[at - 1].next) {
    const term fact = a->mentions[at - 1].fact;
    if (looks-- == 0) return false;
    a->looked++;
    if (a->taken[fact] == a->slices || !facts_has(&k->facts, set, fact)) continue;
    if (k->list_count >= most) return false;
    a->taken[fact] = a->slices;
    knowledge_add(k, fact);
  }
  return !k->refused;
}

bool slices_near(struct knowledge *k, uint32_t set, uint32_t like, uint32_t most,
                 struct near *near) {
  struct answers *a = &k->answers;
  knowledge_begin_set(k);
  facts_beyond(&k->facts, set, like, add_fact, k);
  struct met met = {0};
  uint32_t input;
  if (k->refused || !begin_slice(k)) return false;
  *near = (struct near){.held = a->parents};
  while (next_input(k, &met, &input))
    if (!take_some(k, set, input, most)) a->parents[near->held_count++] = input;
  if (k->refused || near->held_count == 0) return false;
  near->set = knowledge_end_set(k);
  return near->set != UINT32_MAX;
}

/* ---- what is said of inputs that are used ---- */

uint32_t slices_about_used(struct knowledge *k, uint32_t set, const bool *used) {
  if (set == UINT32_MAX || knowledge_ask(k, set) != SOLVER_YES)
    return k->refused ? UINT32_MAX : set;
  const uint32_t count = knowledge_count(k, set);
  bool *kept = calloc(k->input_count + (size_t)1, sizeof *kept);
  term *list = slices_list(k, set);
  k->refused |= kept == NULL;
  if (kept != NULL && list != NULL && join_inputs(k, list, count)) {
    for (uint32_t i = 0; i < k->input_count; i++)
      if (used[i]) kept[find_root(&k->answers, i)] = true;
    knowledge_begin_set(k);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t part = part_of(k, list[i]);
      if (part == UINT32_MAX || kept[part]) knowledge_add(k, list[i]);
    }
    set = knowledge_end_set(k);
  }
  free(kept);
  free(list);
  return k->refused ? UINT32_MAX : set;
}
