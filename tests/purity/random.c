/*
 * random SEED COUNT: Theorem 1 on random programs. For each, all states are enumerated as it is,
 * with the assumes that the analysis wants, and with its awaits:
 *
 * - the loops are those that the definition gives;
 * - where an assume stops a thread, the thread was bound to complete a pure iteration (Lemma 1);
 * - a local state that is lost was one from which its thread was bound to do so (Theorem 1.1);
 * - no pure iteration is completed any more (Theorem 1.2);
 * - an await that is said to mean a livelock does: alone, the thread never leaves the loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

enum { MOST_STATES = 20000 };

struct counts {
  uint64_t programs, too_large, loops, pure, insertions, inner, awaits, simple, livelocks;
  uint64_t irreducible, stopped, lost_states, pure_before, blocked;
};

static const char *complaint;

static bool wrong(const char *text) {
  complaint = text;
  return false;
}

/* By state and thread: loops of which the current iteration may not be completed purely. */
typedef uint8_t verdicts[THREADS];

static uint8_t loops_around(const struct body *b, const struct thread_state *t) {
  uint8_t set = 0;
  for (uint8_t i = 0; i < b->loop_count && t->status == RUNNING; i++)
    set |= (uint8_t)((b->loop[i].inside >> t->block & 1) << i);
  return set;
}

static bool spread(const struct exploration *x, verdicts *bad) {
  bool changed = false;
  for (uint32_t i = x->step_count; i-- > 0;) {
    const struct step *s = &x->steps[i];
    for (unsigned t = 0; t < THREADS; t++) {
      uint8_t more = bad[s->to][t];
      if (t == s->thread) more = (uint8_t)(s->bad | (more & ~s->pure));
      changed |= (more & ~bad[s->from][t]) != 0;
      bad[s->from][t] |= more;
    }
  }
  return changed;
}

static verdicts *judge(const struct exploration *x) {
  verdicts *bad = malloc(x->count * sizeof *bad);
  for (uint32_t i = 0; bad != NULL && i < x->count; i++)
    for (unsigned t = 0; t < THREADS; t++) {
      const struct thread_state *s = &x->states[i].thread[t];
      uint8_t around = loops_around(&x->program->body[t], s);
      bad[i][t] = (uint8_t)(x->ends[i] ? 0xFF : ~around | s->impure | s->turned);
    }
  while (bad != NULL && spread(x, bad))
    continue;
  return bad;
}

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Every local state of a thread, sorted. */
static uint64_t *local_states(const struct exploration *x, unsigned thread) {
  uint64_t *keys = malloc(x->count * sizeof *keys);
  for (uint32_t i = 0; keys != NULL && i < x->count; i++)
    keys[i] = local_state(x, &x->states[i], thread);
  if (keys != NULL) qsort(keys, x->count, sizeof *keys, by_number);
  return keys;
}

/* Local states that the changed program lost were bound to a pure iteration. */
static bool keeps_states(const struct exploration *before, const struct exploration *after,
                         verdicts *bad, struct counts *counts) {
  bool good = true;
  for (unsigned t = 0; t < THREADS && good; t++) {
    uint64_t *keys = local_states(after, t);
    for (uint32_t i = 0; keys != NULL && good && i < before->count; i++) {
      uint64_t key = local_state(before, &before->states[i], t);
      if (bsearch(&key, keys, after->count, sizeof *keys, by_number) != NULL) continue;
      counts->lost_states++;
      if (bad[i][t] == 0xFF) good = wrong("a local state is lost");
    }
    free(keys);
  }
  return good;
}

/* Wherever a condition holds the thread is bound to complete a pure iteration of that loop. */
static bool stops_pure(struct exploration *x, verdicts *bad, struct counts *counts) {
  unf_insertion in;
  unf_loop loop;
  for (uint32_t i = 0; i < x->count; i++)
    for (unsigned t = 0; t < THREADS; t++) {
      const struct thread_state *s = &x->states[i].thread[t];
      const struct body *b = &x->program->body[t];
      for (uint32_t j = 0; unf_purity_insertion(x->purity[t], j, &in) == UNF_OK; j++) {
        if (s->status != RUNNING || in.block != s->block || in.before != s->at ||
            !insertion_holds(x, s, t, &in))
          continue;
        counts->stopped++;
        uint8_t number = 0;
        if (unf_purity_loop(x->purity[t], in.loop, &loop) != UNF_OK) return wrong("no loop");
        while (b->loop[number].header != loop.header)
          number++;
        if (bad[i][t] >> number & 1) return wrong("a thread is stopped that could go elsewhere");
      }
    }
  return true;
}

/* The loops that the library found are the natural ones, and those that it does not treat. */
static bool same_loops(const struct body *b, const unf_purity *p, struct counts *counts) {
  unf_loop loop;
  uint32_t found = 0;
  for (uint32_t i = 0; unf_purity_loop(p, i, &loop) == UNF_OK; i++) {
    uint8_t number = 0, inside = 0;
    while (number < b->loop_count && b->loop[number].header != loop.header)
      number++;
    for (uint8_t j = 0; j < b->block_count; j++)
      inside |= (uint8_t)(unf_purity_contains(p, i, j) << j);
    found += number < b->loop_count;
    counts->irreducible += loop.irreducible;
    counts->loops++;
    counts->pure += loop.insertions > 0;
    if (loop.irreducible && loop.insertions > 0) return wrong("an irreducible loop is treated");
    if (number < b->loop_count && !loop.irreducible && b->loop[number].two_entries)
      return wrong("a loop is not known for one with two entries");
    if (!loop.irreducible && (number == b->loop_count || inside != b->loop[number].inside))
      return wrong("a loop that is none");
    if (loop.insertions == 0 && loop.remarks == 0) return wrong("no reason is given");
  }
  return found == b->loop_count || wrong("a loop was not found");
}

/* The thread alone, from a state in which it waits for ever: it must stay in the loop. */
static bool turns_for_ever(struct exploration *x, struct state s, unsigned thread,
                           const unf_insertion *in) {
  for (unsigned steps = 0; steps < 200; steps++) {
    struct step step = {0};
    if (!perform(x->program, x, &s, thread, steps >> 1 & 1, &step) &&
        !perform(x->program, x, &s, thread, 0, &step))
      return s.thread[thread].status == RUNNING; /* an await of the program */
    if (!unf_purity_contains(x->purity[thread], in->loop, s.thread[thread].block) ||
        s.thread[thread].status != RUNNING)
      return false;
  }
  return true;
}

static bool livelocks(struct exploration *x, struct counts *counts) {
  unf_insertion in;
  for (uint32_t i = 0; i < x->count; i++)
    for (unsigned t = 0; t < THREADS && x->ends[i]; t++) {
      const struct thread_state *s = &x->states[i].thread[t];
      for (uint32_t j = 0; unf_purity_insertion(x->purity[t], j, &in) == UNF_OK; j++) {
        if (s->status != RUNNING || !in.await || in.block != s->block || in.before != s->at + 1u ||
            !waits(x, &x->states[i], t, &in))
          continue;
        counts->blocked++;
        if (in.livelock && !turns_for_ever(x, x->states[i], t, &in))
          return wrong("no livelock, although it is said to be one");
      }
    }
  return true;
}

/* Whether a bound made something false, after which pure iterations may be left. */
static bool complete(const struct exploration *x) {
  unf_remark remark;
  unf_loop loop;
  for (unsigned t = 0; t < THREADS; t++) {
    for (uint32_t i = 0; unf_purity_remark(x->purity[t], i, &remark) == UNF_OK; i++)
      if (remark.why == UNF_IMPURITY_DISJUNCTS || remark.why == UNF_IMPURITY_CONJUNCTS)
        return false;
    for (uint32_t i = 0; unf_purity_loop(x->purity[t], i, &loop) == UNF_OK; i++)
      if (loop.irreducible) return false;
  }
  return true;
}

static void count(const struct exploration *x, struct counts *counts) {
  unf_insertion in;
  for (unsigned t = 0; t < THREADS; t++)
    for (uint32_t i = 0; unf_purity_insertion(x->purity[t], i, &in) == UNF_OK; i++) {
      counts->insertions++;
      counts->inner += in.inner;
      counts->awaits += in.await;
      counts->simple += in.await && in.operand != UNF_TERM_NONE;
      counts->livelocks += in.await && in.livelock;
    }
}

static bool compare(struct exploration *x, verdicts *bad, struct counts *counts) {
  bool good = stops_pure(x, bad, counts);
  for (enum variant v = WITH_ASSUMES; v <= WITH_AWAITS && good; v++) {
    struct exploration changed = {.program = x->program, .variant = v};
    memcpy(changed.flow, x->flow, sizeof changed.flow);
    memcpy(changed.purity, x->purity, sizeof changed.purity);
    if (!explore(&changed, MOST_STATES)) good = wrong("more states than before");
    if (good) good = keeps_states(x, &changed, bad, counts);
    if (good && complete(x) && changed.pure_iterations > 0)
      good = wrong("a pure iteration is completed");
    if (good && v == WITH_AWAITS) good = livelocks(&changed, counts);
    if (changed.wrong) good = wrong("a condition and what is waited for do not agree");
    explore_free(&changed);
  }
  return good && !x->wrong;
}

static bool check(const struct random_program *p, struct counts *counts, bool show) {
  static const unf_purity_options narrow = {sizeof narrow, 2, 2};
  struct exploration x = {.program = p, .variant = AS_IT_IS};
  unf_context *context;
  bool good = true;
  if (unf_context_new(NULL, &context) != UNF_OK) return wrong("no context");
  for (unsigned t = 0; t < THREADS && good; t++) {
    if (unf_flow_new(context, &x.flow[t]) != UNF_OK || describe(x.flow[t], &p->body[t]) != UNF_OK ||
        unf_purity_new(x.flow[t], p->initial[0][0] == 3 ? &narrow : NULL, &x.purity[t]) != UNF_OK)
      good = wrong(unf_context_detail(context)->text);
    if (good) good = same_loops(&p->body[t], x.purity[t], counts);
  }
  counts->programs++;
  if (good && explore(&x, MOST_STATES)) {
    verdicts *bad = judge(&x);
    count(&x, counts);
    counts->pure_before += x.pure_iterations;
    good = bad != NULL && compare(&x, bad, counts);
    free(bad);
  } else if (good) {
    counts->too_large++;
  }
  for (unsigned t = 0; t < THREADS; t++) {
    if (show) print_body(&p->body[t]);
    if (show) printf("  --\n");
    unf_purity_free(x.purity[t]);
    unf_flow_free(x.flow[t]);
  }
  explore_free(&x);
  unf_context_free(context);
  return good;
}

/* Removes what is not needed for the program to be wrong. */
static void shrink(struct random_program *p) {
  struct counts ignored = {0};
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (unsigned t = 0; t < THREADS; t++)
      for (unsigned i = 0; i < p->body[t].block_count; i++)
        for (unsigned j = 0; j < EDGES + STATEMENTS; j++) {
          struct random_program q = *p;
          struct basic *b = &q.body[t].block[i];
          if (j < EDGES && j < b->edge_count) {
            memmove(&b->edge[j], &b->edge[j + 1], (EDGES - 1 - j) * sizeof b->edge[0]);
            b->edge_count--;
          } else if (j >= EDGES && j - EDGES < b->statement_count) {
            struct stmt *s = &b->statement[j - EDGES];
            memmove(s, s + 1, (STATEMENTS - 1 - (j - EDGES)) * sizeof *s);
            b->statement_count--;
          } else {
            continue;
          }
          derive(&q.body[t]);
          const char *before = complaint;
          if (!check(&q, &ignored, false) && complaint == before) {
            *p = q;
            smaller = true;
          } else {
            complaint = before;
          }
        }
  }
}

/* What the programs must have had in them for the result to mean something. */
static bool enough(const struct counts *c) {
  uint64_t n = c->programs;
  return c->too_large * 4 < n && c->pure * 3 > n && c->insertions * 4 > n && c->inner * 200 > n &&
         c->awaits * 8 > n && c->simple * 10 > n && c->livelocks * 10 > n &&
         c->irreducible * 20 > n && c->stopped > n && c->lost_states > n &&
         c->pure_before > 10 * n && c->blocked * 10 > n;
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  uint64_t programs = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
  static struct random_program p;
  struct counts c = {0};
  for (uint64_t i = 0; i < programs; i++) {
    generate(&p, seed + i);
    if (check(&p, &c, false)) continue;
    printf("seed %llu: %s\n", (unsigned long long)(seed + i), complaint);
    shrink(&p);
    check(&p, &c, true);
    return 1;
  }
  printf(
      "%llu programs (%llu too large): %llu loops, %llu pure, %llu not treated; %llu insertions, "
      "%llu with a flag, %llu awaits, %llu of one comparison, %llu meaning livelocks\n"
      "%llu states stopped, %llu lost, %llu pure iterations before, %llu blocked for ever\n",
      (unsigned long long)c.programs, (unsigned long long)c.too_large, (unsigned long long)c.loops,
      (unsigned long long)c.pure, (unsigned long long)c.irreducible,
      (unsigned long long)c.insertions, (unsigned long long)c.inner, (unsigned long long)c.awaits,
      (unsigned long long)c.simple, (unsigned long long)c.livelocks, (unsigned long long)c.stopped,
      (unsigned long long)c.lost_states, (unsigned long long)c.pure_before,
      (unsigned long long)c.blocked);
  return enough(&c) ? 0 : 1;
}
