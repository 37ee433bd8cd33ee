/*
 * Comb search that learns from its failures: conflict-driven search, as solvers for propositional
 * logic do it (Marques-Silva, Sakallah: GRASP, 1999; Moskewicz and others: Chaff, 2001), over the
 * spikes of a comb.
 *
 * A choice removes the candidates that are in conflict with it; a spike with one candidate left
 * forces it. When a spike has none left, the choices that removed its candidates, with forced ones
 * traced back to what forced them, are a nogood: they cannot be together. They are traced back
 * until one choice of the last level is left, so that the nogood, once the search has gone back,
 * removes that one. Nogoods are watched at two members that were not chosen.
 *
 * Candidates of different spikes whose rows are equal are interchangeable: they are one *class*, a
 * nogood is one of classes, and choosing a candidate satisfies every spike that has one of its
 * class. Not where configurations must be consistent, since that is no matter of rows. There a
 * candidate that is refused becomes a nogood with the choices before that brought events which
 * consistency depends on.
 *
 * The spike with the most weight for each candidate that it has left is decided next (weights grow
 * with failures, lately more than long ago), first with the candidate that it had last. From time
 * to time the search begins again from the start with what it has learned; the times grow (Luby,
 * Sinclair, Zuckerman 1993), so it ends.
 */
#include "alternative/learning.h"

#include <string.h>

#define FAILURES_BETWEEN_RESTARTS 64u
#define NOGOOD_WORDS              (1u << 18) /* at first; then some are forgotten */
#define HEAVY                     1e100

/* What removed a candidate: a choice, or a nogood. */
#define BY_CHOICE(class)  (2 * (class))
#define BY_NOGOOD(record) (2 * (record) + 1)

/* A record of `nogoods`: how many members, where each of the two lists goes on that it is in (a
 * link: twice the record, plus which of its watches), and the members, the watched ones first. */
enum { RECORD_COUNT, RECORD_NEXT, RECORD_MEMBERS = RECORD_NEXT + 2 };

struct learning {
  struct matrix *m;
  struct lessons *of;
  uint32_t level;
  uint32_t failed_spike, failed_nogood; /* what failed, or NONE */
  uint32_t limit;                       /* words of nogoods from which on some are forgotten */
  double weight;                        /* of a failure now */
  /* By candidate: the first of its class, and the next one of it; what removed it and at which
   * level, NONE: nothing; of the first of a class: place in the trail, plus one, and watches. */
  uint32_t *class, *next_member, *cause, *removed, *chosen, *watches;
  uint32_t *spike_of;
  /* By spike: candidates left, the candidate that satisfied it or NONE, the one it had last. */
  uint32_t *left, *satisfied, *last;
};

void unfi_lessons_free(unf_context *context, struct lessons *lessons) {
  vector_free(context, &lessons->nogoods);
  vector_free(context, &lessons->numbers);
  vector_free(context, &lessons->live);
  vector_free(context, &lessons->trail);
  vector_free(context, &lessons->removals);
  vector_free(context, &lessons->satisfied);
  vector_free(context, &lessons->queue);
  vector_free(context, &lessons->members);
  vector_free(context, &lessons->weights);
}

/* ---- beginning ---- */

/* Room for everything but nogoods. Returns false when refused. */
static bool reserve(struct learning *l) {
  unf_context *context = l->m->u->context;
  struct lessons *of = l->of;
  uint64_t candidates = l->m->candidates, spikes = l->m->spikes;
  /* What begins again may find a spike in the queue that it was in before. */
  return vector_reserve(context, &of->numbers, 7 * candidates + 3 * spikes) &&
         vector_reserve(context, &of->live, l->m->words) &&
         vector_reserve(context, &of->trail, candidates) &&
         vector_reserve(context, &of->removals, candidates) &&
         vector_reserve(context, &of->satisfied, spikes) &&
         vector_reserve(context, &of->queue, spikes + candidates) &&
         vector_reserve(context, &of->members, candidates) &&
         vector_reserve(context, &of->weights, spikes);
}

static bool begin(struct learning *l) {
  struct lessons *of = l->of;
  uint32_t candidates = l->m->candidates, spikes = l->m->spikes;
  if (!reserve(l)) return false;
  uint32_t **parts[] = {&l->class,  &l->next_member, &l->cause,   &l->removed,
                        &l->chosen, &l->watches,     &l->spike_of};
  uint32_t *at = of->numbers.data;
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++, at += candidates)
    *parts[i] = at;
  l->left = at;
  l->satisfied = at + spikes;
  l->last = at + 2 * (size_t)spikes;
  of->nogoods.count = of->trail.count = of->removals.count = of->satisfied.count = 0;
  of->queue.count = 0;
  memset(of->live.data, 0, l->m->words * sizeof *of->live.data);
  for (uint32_t c = 0; c < candidates; c++) {
    of->live.data[c / 64] |= (uint64_t)1 << (c % 64);
    l->class[c] = l->next_member[c] = l->removed[c] = NONE;
    l->cause[c] = l->chosen[c] = l->watches[c] = 0;
  }
  for (uint32_t s = 0; s < spikes; s++) {
    const struct spike *spike = &l->m->comb->spikes.data[s];
    for (uint32_t i = 0; i < spike->count; i++)
      l->spike_of[spike->first + i] = s;
    l->left[s] = spike->count;
    l->satisfied[s] = NONE;
    l->last[s] = spike->first;
    of->weights.data[s] = 1;
    if (spike->count == 1) vector_push(&of->queue, s);
  }
  return true;
}

/* ---- choosing, removing ---- */

static void remove_candidate(struct learning *l, uint32_t candidate, uint32_t cause) {
  uint32_t spike = l->spike_of[candidate];
  l->of->live.data[candidate / 64] &= ~((uint64_t)1 << (candidate % 64));
  l->cause[candidate] = cause;
  l->removed[candidate] = l->level;
  vector_push(&l->of->removals, candidate);
  l->left[spike]--;
  if (l->satisfied[spike] != NONE) return;
  if (l->left[spike] == 0) l->failed_spike = spike;
  if (l->left[spike] == 1) vector_push(&l->of->queue, spike);
}

static void remove_class(struct learning *l, uint32_t class, uint32_t cause) {
  for (uint32_t c = class; c != NONE; c = l->next_member[c])
    if (l->removed[c] == NONE) remove_candidate(l, c, cause);
}

static void satisfy(struct learning *l, uint32_t candidate) {
  uint32_t spike = l->spike_of[candidate];
  if (l->satisfied[spike] != NONE) return;
  l->satisfied[spike] = candidate;
  vector_push(&l->of->satisfied, spike);
}

/* The class of a candidate, whose row is made; the class is looked for when that is new. */
static uint32_t class_of(struct learning *l, uint32_t candidate) {
  struct matrix *m = l->m;
  if (l->class[candidate] != NONE) return l->class[candidate];
  const uint64_t *row = unfi_matrix_row(m, candidate);
  l->class[candidate] = candidate;
  if (m->comb->admission.on) return candidate;
  for (uint32_t c = 0; c < m->candidates; c++) {
    if (l->class[c] != c || c == candidate) continue;
    if (memcmp(m->rows + (size_t)c * m->words, row, m->words * sizeof *row) != 0) continue;
    l->class[candidate] = c;
    l->next_member[candidate] = l->next_member[c];
    l->next_member[c] = candidate;
    return c;
  }
  return candidate;
}

/* ---- nogoods ---- */

static void watch(struct learning *l, uint32_t record, uint32_t which) {
  uint32_t *words = l->of->nogoods.data + record;
  uint32_t class = words[RECORD_MEMBERS + which];
  words[RECORD_NEXT + which] = l->watches[class];
  l->watches[class] = 2 * record + which;
}

/* Keeps `members` as a nogood; the first two of them are watched. Returns 0 when refused. */
static uint32_t keep_nogood(struct learning *l) {
  struct lessons *of = l->of;
  uint32_t count = of->members.count;
  uint32_t record = of->nogoods.count == 0 ? 1 : of->nogoods.count;
  if (!vector_reserve(l->m->u->context, &of->nogoods, (uint64_t)record + RECORD_MEMBERS + count))
    return 0;
  uint32_t *words = of->nogoods.data + record;
  words[RECORD_COUNT] = count;
  memcpy(words + RECORD_MEMBERS, of->members.data, count * sizeof *words);
  of->nogoods.count = record + RECORD_MEMBERS + count;
  for (uint32_t i = 0; i < 2 && i < count; i++)
    watch(l, record, i);
  return record;
}

/* Whether a watch goes over to a member that was not chosen. */
static bool rewatch(struct learning *l, uint32_t record, uint32_t which) {
  uint32_t *members = l->of->nogoods.data + record + RECORD_MEMBERS;
  for (uint32_t i = 2; i < l->of->nogoods.data[record + RECORD_COUNT]; i++) {
    if (l->chosen[members[i]] != 0) continue;
    uint32_t swap = members[which];
    members[which] = members[i];
    members[i] = swap;
    watch(l, record, which);
    return true;
  }
  return false;
}

/* Nogoods that are watched at a class that was just chosen. */
static void follow_nogoods(struct learning *l, uint32_t class) {
  uint32_t *link = &l->watches[class];
  while (*link != 0) {
    uint32_t record = *link / 2, which = *link % 2;
    uint32_t *words = l->of->nogoods.data + record;
    uint32_t other = words[RECORD_MEMBERS + 1 - which];
    if (words[RECORD_COUNT] == 1 || l->removed[other] == NONE) {
      uint32_t next = words[RECORD_NEXT + which];
      if (rewatch(l, record, which)) {
        *link = next;
        continue;
      }
      if (words[RECORD_COUNT] == 1 || l->chosen[other] != 0)
        l->failed_nogood = record;
      else
        remove_class(l, other, BY_NOGOOD(record));
    }
    link = &words[RECORD_NEXT + which];
  }
}

/* Drops the longer ones of the older half, when there are many. With nothing chosen, so that none
 * of them is a cause that is asked for. */
static void forget(struct learning *l) {
  struct lessons *of = l->of;
  if (of->nogoods.count < l->limit) return;
  l->limit += l->limit / 4;
  uint32_t half = of->nogoods.count / 2, to = 1, count;
  for (uint32_t c = 0; c < l->m->candidates; c++)
    l->watches[c] = 0;
  for (uint32_t record = 1; record < of->nogoods.count; record += RECORD_MEMBERS + count) {
    count = of->nogoods.data[record];
    if (record < half && count > 4) continue;
    memmove(of->nogoods.data + to, of->nogoods.data + record,
            (RECORD_MEMBERS + (size_t)count) * sizeof *of->nogoods.data);
    for (uint32_t i = 0; i < 2 && i < count; i++)
      watch(l, to, i);
    to += RECORD_MEMBERS + count;
  }
  of->nogoods.count = to;
}

/* A candidate that consistency refuses: a nogood with what was chosen before and matters to it. */
static unf_status refuse(struct learning *l, uint32_t candidate) {
  struct lessons *of = l->of;
  of->members.count = 0;
  vector_push(&of->members, candidate);
  for (uint32_t i = of->trail.count; i > 0; i--) {
    const struct choice *choice = &of->trail.data[i - 1];
    if (choice->level > 0 && choice->admitted)
      vector_push(&of->members, l->class[choice->candidate]);
  }
  uint32_t record = keep_nogood(l);
  if (record == 0) return unfi_refused(l->m->u->context);
  remove_candidate(l, candidate, BY_NOGOOD(record));
  return UNF_OK;
}

/* Chooses a candidate of a spike, or finds that it cannot be chosen. */
static unf_status choose(struct learning *l, uint32_t spike, uint32_t candidate, bool forced) {
  struct matrix *m = l->m;
  struct lessons *of = l->of;
  struct admission *admission = &m->comb->admission;
  unf_status status = unfi_work(m->u->context, 1 + m->candidates / (m->made[candidate] ? 64 : 1));
  if (status != UNF_OK) return status;
  uint32_t class = class_of(l, candidate), known = admission->events.count;
  /* The row may have shown only now that it is of a class about which something is known. */
  if (class != candidate && l->removed[class] != NONE) {
    remove_candidate(l, candidate, l->cause[class]);
    l->removed[candidate] = l->removed[class];
    return UNF_OK;
  }
  if (l->chosen[class] != 0) {
    satisfy(l, candidate);
    return UNF_OK;
  }
  bool admitted;
  status = unfi_admit_choice(m->u, admission, m->event[candidate], &admitted);
  if (status != UNF_OK) return status;
  if (!admitted) return refuse(l, candidate);
  struct choice choice = {candidate,
                          spike,
                          l->level,
                          forced,
                          false,
                          admission->events.count > known,
                          of->removals.count,
                          of->satisfied.count};
  vector_push(&of->trail, choice);
  l->chosen[class] = of->trail.count;
  l->last[spike] = candidate;
  for (uint32_t c = class; c != NONE; c = l->next_member[c])
    satisfy(l, c);
  const uint64_t *row = unfi_matrix_row(m, candidate);
  for (uint32_t w = 0; w < m->words; w++)
    for (uint64_t gone = of->live.data[w] & ~row[w]; gone != 0; gone &= gone - 1)
      remove_candidate(l, w * 64 + (uint32_t)__builtin_ctzll(gone), BY_CHOICE(class));
  follow_nogoods(l, class);
  return UNF_OK;
}

/* Takes back all choices above a level. */
static void go_back(struct learning *l, uint32_t level) {
  struct lessons *of = l->of;
  while (of->trail.count > 0 && of->trail.data[of->trail.count - 1].level > level) {
    const struct choice *choice = &of->trail.data[--of->trail.count];
    l->chosen[l->class[choice->candidate]] = 0;
    unfi_admission_pop(&l->m->comb->admission);
    while (of->satisfied.count > choice->satisfied)
      l->satisfied[of->satisfied.data[--of->satisfied.count]] = NONE;
    while (of->removals.count > choice->removals) {
      uint32_t c = of->removals.data[--of->removals.count];
      of->live.data[c / 64] |= (uint64_t)1 << (c % 64);
      l->removed[c] = NONE;
      l->left[l->spike_of[c]]++;
    }
  }
  /* What is removed still depends on nothing that can be taken back. */
  for (uint32_t i = 0; level == 0 && i < of->removals.count; i++)
    l->removed[of->removals.data[i]] = 0;
  l->level = level;
  l->failed_spike = l->failed_nogood = NONE;
  of->queue.count = 0;
}

/* The first candidate that is left of a spike, the one that it had last if that is. */
static uint32_t candidate_of(const struct learning *l, uint32_t spike) {
  uint32_t c = l->last[spike];
  if (l->removed[c] == NONE) return c;
  for (c = l->m->comb->spikes.data[spike].first; l->removed[c] != NONE;)
    c++;
  return c;
}

/* Chooses what is forced, until nothing is or something failed. */
static unf_status propagate(struct learning *l) {
  unf_status status = UNF_OK;
  for (uint32_t i = 0; status == UNF_OK && i < l->of->queue.count; i++) {
    uint32_t spike = l->of->queue.data[i];
    if (l->failed_spike != NONE || l->failed_nogood != NONE) break;
    if (l->satisfied[spike] == NONE && l->left[spike] == 1)
      status = choose(l, spike, candidate_of(l, spike), true);
  }
  l->of->queue.count = 0;
  return status;
}

/* ---- failures ---- */

static void bump(struct learning *l, uint32_t spike) {
  double *weights = l->of->weights.data;
  weights[spike] += l->weight;
  if (weights[spike] < HEAVY) return;
  for (uint32_t s = 0; s < l->m->spikes; s++)
    weights[s] /= HEAVY;
  l->weight /= HEAVY;
}

/* What is to be traced back of a failure. */
struct analysis {
  uint32_t top;  /* the highest level among it */
  uint32_t open; /* choices of that level */
};

static void see(struct learning *l, struct analysis *a, uint32_t class) {
  struct choice *choice = &l->of->trail.data[l->chosen[class] - 1];
  if (choice->level == 0 || choice->seen) return;
  choice->seen = true;
  if (choice->level > a->top) {
    a->top = choice->level;
    a->open = 0;
  }
  a->open += choice->level == a->top;
}

/* The members of a nogood, but one. */
static void see_nogood(struct learning *l, struct analysis *a, uint32_t record, uint32_t but) {
  const uint32_t *words = l->of->nogoods.data + record;
  for (uint32_t i = 0; i < words[RECORD_COUNT]; i++)
    if (words[RECORD_MEMBERS + i] != but) see(l, a, words[RECORD_MEMBERS + i]);
}

/* Why candidates of a spike were removed. */
static void see_spike(struct learning *l, struct analysis *a, uint32_t spike) {
  const struct spike *of = &l->m->comb->spikes.data[spike];
  bump(l, spike);
  for (uint32_t c = of->first; c < of->first + of->count; c++) {
    if (l->removed[c] == NONE || l->removed[c] == 0) continue;
    if (l->cause[c] % 2 == 0)
      see(l, a, l->cause[c] / 2);
    else
      see_nogood(l, a, l->cause[c] / 2, l->class[c]);
  }
}

/* Makes a nogood of a failure, in `members`: first the one choice of the highest level, then one of
 * the level to go back to, *back. Returns false if nothing that was chosen is to blame. */
static bool analyse(struct learning *l, uint32_t *back) {
  struct lessons *of = l->of;
  struct analysis a = {0, 0};
  if (l->failed_nogood != NONE)
    see_nogood(l, &a, l->failed_nogood, NONE);
  else
    see_spike(l, &a, l->failed_spike);
  l->weight *= 1.05;
  *back = 0;
  of->members.count = 0;
  if (a.top == 0) return false;
  for (uint32_t i = of->trail.count; i > 0; i--) {
    struct choice *choice = &of->trail.data[i - 1];
    if (!choice->seen) continue;
    choice->seen = false;
    if (choice->level == a.top && a.open > 1) {
      a.open--;
      see_spike(l, &a, choice->spike);
      continue;
    }
    vector_push(&of->members, l->class[choice->candidate]);
    uint32_t last = of->members.count - 1;
    if (choice->level == a.top) a.open = 0; /* the one that is left of the highest level */
    if (last == 0 || choice->level <= *back) continue;
    *back = choice->level;
    uint32_t swap = of->members.data[1];
    of->members.data[1] = of->members.data[last];
    of->members.data[last] = swap;
  }
  return true;
}

/* Goes back behind a failure with what it teaches. *over: there is no answer. */
static unf_status learn(struct learning *l, bool *over) {
  uint32_t back;
  *over = !analyse(l, &back);
  if (*over) return UNF_OK;
  uint32_t class = l->of->members.data[0];
  go_back(l, back);
  uint32_t record = keep_nogood(l);
  if (record == 0) return unfi_refused(l->m->u->context);
  remove_class(l, class, BY_NOGOOD(record));
  return unfi_work(l->m->u->context, 1 + l->of->members.count);
}

/* ---- the search ---- */

/* The spike to decide next, or NONE. */
static uint32_t decide(const struct learning *l) {
  uint32_t best = NONE;
  double most = 0;
  for (uint32_t s = 0; s < l->m->spikes; s++) {
    if (l->satisfied[s] != NONE) continue;
    double weight = l->of->weights.data[s] / l->left[s];
    if (best != NONE && weight <= most) continue;
    best = s;
    most = weight;
  }
  return best;
}

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 …, from 1 on. */
static uint32_t luby(uint32_t i) {
  for (uint32_t power = 2;; power *= 2) {
    if (i == power - 1) return power / 2;
    if (i < power - 1) {
      i -= power / 2 - 1;
      power = 1;
    }
  }
}

unf_status unfi_comb_learn(struct matrix *m, unf_alternative_statistics *statistics, bool *found) {
  struct comb *comb = m->comb;
  struct learning l = {.m = m, .of = &comb->lessons, .limit = NOGOOD_WORDS, .weight = 1};
  l.failed_spike = l.failed_nogood = NONE;
  if (!begin(&l)) return unfi_refused(m->u->context);
  uint32_t restarts = 1, failures = 0;
  for (;;) {
    unf_status status = propagate(&l);
    if (status != UNF_OK) return status;
    if (l.failed_spike != NONE || l.failed_nogood != NONE) {
      bool over;
      failures++;
      status = learn(&l, &over);
      if (status != UNF_OK || over) return status;
      continue;
    }
    if (failures >= FAILURES_BETWEEN_RESTARTS * luby(restarts)) {
      go_back(&l, 0);
      forget(&l);
      restarts++;
      failures = 0;
    }
    uint32_t spike = decide(&l);
    if (spike == NONE) break;
    l.level++;
    statistics->nodes++;
    status = choose(&l, spike, candidate_of(&l, spike), false);
    if (status != UNF_OK) return status;
  }
  for (uint32_t s = 0; s < m->spikes; s++)
    vector_push(&comb->chosen, m->event[l.satisfied[s]]);
  *found = true;
  return UNF_OK;
}
