/*
 * Random programs whose exploration is written down, thrown away, and gone on with in another
 * unfolding and context: after every execution, after every n-th, in the middle of executions,
 * while calls are interrupted, and while one execution more may begin each time. What comes of it
 * must be what comes of the exploration that is left alone: the same executions, step by step, in
 * the same order, with the same verdicts and counts.
 *
 *   random_continue [--programs N] [--seed S] [--only SEED]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bridge.h"
#include "inside.h"
#include "permutation.h"
#include "sketch.h"

enum {
  FAMILIES = FAMILY_CONDITION | FAMILY_RWLOCK | FAMILY_SEMAPHORE | FAMILY_BARRIER | FAMILY_ATOMIC |
             FAMILY_RANGE | FAMILY_FUTEX,
  EXECUTIONS = 100,
  MOST_DROPS = 20 /* in a row: a long run would hardly come to its end */
};

static const struct {
  const char *name;
  unf_algorithm algorithm;
  uint32_t k;
} manners[] = {{"optimal", UNF_QPOR, UNF_K_OPTIMAL},
               {"k=1", UNF_QPOR, 1},
               {"k=2", UNF_QPOR, 2},
               {"sdpor", UNF_SDPOR, UNF_K_OPTIMAL},
               {"odpor", UNF_ODPOR, UNF_K_OPTIMAL},
               {"eager", UNF_EAGER, UNF_K_OPTIMAL},
               {"dfs", UNF_DFS, UNF_K_OPTIMAL},
               {"random", UNF_RANDOM, UNF_K_OPTIMAL},
               {"pct", UNF_PCT, UNF_K_OPTIMAL}};
enum { MANNERS = sizeof manners / sizeof manners[0] };

/* Bytes of an exploration. */
struct image {
  char *bytes;
  size_t size, room, at;
};

struct exploration {
  const lattice *lattice;
  const uint32_t *order;
  unf_explorer_options options;
  report *report;
  bridge bridge;
  unf_explorer *explorer;
  struct image image;
  random_source *random;
  uint64_t executions;
  uint64_t prints[EXECUTIONS]; /* of each execution */
  unf_counts counts;
  unf_sampling sampling;
  /* How it is disturbed: stopped after each `every` executions (0: never), in the middle of one of
   * so many steps; calls are interrupted; one more execution may begin each time. */
  uint64_t every, middle;
  bool interrupted, limited;
  uint32_t later;            /* see inside_extend_later(); 0: as usual */
  unsigned drops;            /* in the middle of the run that is made again */
  uint64_t stops, unlearned; /* executions of which not all was learned at once */
};

struct total {
  uint64_t programs, stops, unlearned;
};

/* The context to interrupt when it has looked at the clock so often. */
static unf_context *to_interrupt;
static uint32_t looks_left;

/* In place of that of the C library. */
int clock_gettime(clockid_t clock, struct timespec *out) {
  (void)clock;
  *out = (struct timespec){0, 0};
  if (looks_left > 0 && --looks_left == 0) unf_context_interrupt(to_interrupt);
  return 0;
}

static bool fail(struct exploration *x, const char *call, unf_status status) {
  return bridge_fail(&x->bridge, x->report, call, status);
}

static bool append(void *user, const char *bytes, size_t size) {
  struct image *image = user;
  if (image->room - image->size < size) {
    image->room = 2 * image->room + size;
    image->bytes = realloc(image->bytes, image->room);
  }
  memcpy(image->bytes + image->size, bytes, size);
  image->size += size;
  return image->bytes != NULL;
}

/* In pieces of any size. */
static bool take_bytes(void *user, void *bytes, size_t size, size_t *got) {
  struct exploration *x = user;
  size_t left = x->image.size - x->image.at;
  *got = size < left ? size : left;
  if (*got > 1) *got = 1 + random_below(x->random, (unsigned)*got);
  memcpy(bytes, x->image.bytes + x->image.at, *got);
  x->image.at += *got;
  return true;
}

/* Few elementary steps are spent on whether it is the last one. */
static void allow_run(struct exploration *x) {
  inside_allow_run(x->bridge.context, random_below(x->random, 30));
}

static bool open_library(struct exploration *x) {
  const unf_limits limits = {.seconds = 1e9};
  looks_left = 0;
  if (!bridge_open(&x->bridge, x->lattice->program, x->lattice, x->order, 8, x->report))
    return false;
  to_interrupt = x->bridge.context;
  if (x->limited) allow_run(x);
  return !x->interrupted || unf_context_set_limits(x->bridge.context, &limits) == UNF_OK;
}

static void close_library(struct exploration *x) {
  unf_explorer_free(x->explorer);
  x->explorer = NULL;
  bridge_close(&x->bridge);
}

/* Goes on with what was written, in another library. */
static bool go_on(struct exploration *x) {
  close_library(x);
  if (!open_library(x)) return false;
  x->image.at = 0;
  unf_status s = unf_explorer_read(x->bridge.unfolding, &x->options, take_bytes, x, &x->explorer);
  if (s != UNF_OK) return fail(x, "unf_explorer_read", s);
  if (x->later > 0) inside_extend_later(x->explorer, x->later);
  return x->image.at == x->image.size || report_fail(x->report, "bytes that were not read");
}

/* What is written again is what was read; but the nodes of wakeup trees are given numbers in the
 * order in which they are read, so that these trees are what was read when they are written and
 * read once more. */
static bool is_written_again(struct exploration *x) {
  struct image again = {0};
  unf_status s = unf_explorer_write(x->explorer, append, &again);
  if (s == UNF_OK && x->options.algorithm == UNF_ODPOR) {
    free(x->image.bytes);
    x->image = again;
    again = (struct image){0};
    if (!go_on(x)) return false;
    s = unf_explorer_write(x->explorer, append, &again);
  }
  const bool same = s == UNF_OK && again.size == x->image.size &&
                    memcmp(again.bytes, x->image.bytes, again.size) == 0;
  free(again.bytes);
  return same || report_fail(x->report, "written again it is something else");
}

/* Writes the exploration down, throws it away, and goes on with what was written. */
static bool stop(struct exploration *x) {
  looks_left = 0;
  x->image.size = 0;
  unf_status s = unf_explorer_write(x->explorer, append, &x->image);
  if (s != UNF_OK) return fail(x, "unf_explorer_write", s);
  if (!go_on(x)) return false;
  x->stops++;
  const bool asked = x->options.algorithm != UNF_DFS && random_chance(x->random, 20);
  return !asked || is_written_again(x);
}

static uint64_t print(uint64_t print, uint64_t number) {
  return (print ^ number) * UINT64_C(0x9E3779B97F4A7C15) + (print >> 29);
}

/* By its canonical name: sets of threads have numbers in the order in which they come up. */
static uint64_t print_action(const struct exploration *x, uint64_t name, const unf_action *a) {
  char text[200];
  unf_action_text(x->bridge.unfolding, a, text, sizeof text);
  for (const char *c = text; *c != '\0'; c++)
    name = print(name, (unsigned char)*c);
  return name;
}

static bool offer(struct exploration *x, uint32_t at, uint32_t thread) {
  operation o = lattice_next(x->lattice, at, thread);
  if (o.kind == OPERATION_WAITING) return true;
  unf_operation op = bridge_operation(&x->bridge, &o);
  unf_status s = unf_explorer_offer(x->explorer, x->bridge.threads[thread], &op);
  return s == UNF_OK || fail(x, "unf_explorer_offer", s);
}

static bool offer_all(struct exploration *x, uint32_t at) {
  for (uint32_t t = 0; t < x->bridge.program->thread_count; t++)
    if (!offer(x, at, t)) return false;
  return true;
}

static bool is_interrupt(const struct exploration *x, unf_status s) {
  return x->interrupted && s == UNF_INTERRUPTED;
}

/* Performs a run; *dropped when it was left in the middle. */
static bool perform(struct exploration *x, uint64_t *name, bool *dropped) {
  uint32_t at = 0;
  uint64_t steps = 0;
  if (!offer_all(x, at)) return false;
  for (;;) {
    unf_step step;
    action a;
    unf_status s = unf_explorer_step(x->explorer, &step);
    bool drop = x->middle > 0 && x->drops < MOST_DROPS && ++steps % x->middle == 0;
    *dropped = is_interrupt(x, s) || (drop && random_chance(x->random, 30));
    if (*dropped) return true;
    if (s != UNF_OK) return fail(x, "unf_explorer_step", s);
    *name = print(*name, (uint64_t)step.kind);
    if (step.kind != UNF_STEP_ACTION) return true;
    *name = print_action(x, *name, &step.action);
    const edge *e =
        bridge_read(&x->bridge, &step.action, &a) ? lattice_step(x->lattice, at, &a) : NULL;
    if (e == NULL) return report_fail(x->report, "a step that is not possible");
    at = e->to;
    s = unf_explorer_commit(x->explorer, NULL, 0);
    *dropped = is_interrupt(x, s);
    if (*dropped) return true;
    if (s != UNF_OK) return fail(x, "unf_explorer_commit", s);
    if (!offer_all(x, at)) return false;
  }
}

/* Begins, performs and finishes an execution. *done: what came of the calls was not an interrupt,
 * or a drop in the middle. */
static bool one_run(struct exploration *x, bool *finished, bool *done) {
  unf_run run;
  unf_verdict verdict;
  uint64_t name = 1;
  bool dropped = false;
  *done = false;
  unf_status s = unf_explorer_next(x->explorer, &run);
  if (x->limited && s == UNF_LIMIT) {
    allow_run(x);
    s = unf_explorer_next(x->explorer, &run);
  }
  if (is_interrupt(x, s)) return true;
  if (s != UNF_OK) return fail(x, "unf_explorer_next", s);
  *finished = run.finished;
  *done = run.finished || run.probe;
  if (run.finished) return true;
  if (!perform(x, &name, &dropped)) return false;
  if (!dropped) {
    s = unf_explorer_finish(x->explorer, false, &verdict);
    if (!is_interrupt(x, s) && s != UNF_OK) return fail(x, "unf_explorer_finish", s);
    *done = s == UNF_OK;
    x->unlearned += inside_unlearned(x->explorer);
  }
  if (dropped || s != UNF_OK) unf_explorer_abandon(x->explorer);
  x->drops = *done ? 0 : x->drops + 1;
  if (!*done || run.probe) return true;
  name = print(name, verdict.redundant | verdict.complete << 1 | verdict.deadlock << 2);
  if (run.number != x->executions + 1) return report_fail(x->report, "another number of a run");
  if (x->executions < EXECUTIONS) x->prints[x->executions] = name;
  x->executions++;
  return true;
}

static bool explore(struct exploration *x) {
  bool finished = false, done = true, good = open_library(x);
  x->executions = x->stops = x->unlearned = x->drops = 0;
  unf_status s = good ? unf_explorer_new(x->bridge.unfolding, &x->options, &x->explorer) : UNF_OK;
  if (s != UNF_OK) good = fail(x, "unf_explorer_new", s);
  if (good && x->later > 0) inside_extend_later(x->explorer, x->later);
  for (uint64_t i = 1; good && !finished && x->executions < EXECUTIONS; i++) {
    if (x->interrupted && random_chance(x->random, 70)) {
      inside_look_often(x->bridge.context, 1 + random_below(x->random, 4));
      looks_left = 1 + random_below(x->random, 30);
    }
    good = one_run(x, &finished, &done);
    bool due =
        x->every > 0 && (done ? x->executions % x->every == 0 : random_chance(x->random, 40));
    if (good && (due || (x->middle > 0 && !done))) good = stop(x);
  }
  if (good && x->every > 0) good = stop(x);
  if (good) {
    unf_explorer_counts(x->explorer, &x->counts);
    if (x->options.algorithm >= UNF_RANDOM) unf_explorer_sampling(x->explorer, &x->sampling);
    s = unf_check_explorer(x->explorer);
    if (s != UNF_OK) good = fail(x, "unf_check_explorer", s);
  }
  close_library(x);
  return good;
}

/* What may differ is what caches spare; where executions were dropped too, what they met before. */
static bool same_counts(const unf_counts *a, const unf_counts *b, bool dropped) {
  unf_counts x = *a, y = *b;
  x.resumed = y.resumed = x.reversals = y.reversals = x.turns_tested = y.turns_tested = 0;
  memset(&x.alternatives, 0, sizeof x.alternatives);
  memset(&y.alternatives, 0, sizeof y.alternatives);
  if (dropped) {
    x.probes = y.probes = x.events = y.events = x.extensions = y.extensions = 0;
    x.reversals_inserted = y.reversals_inserted = 0;
    x.collections = y.collections = x.collected = y.collected = 0;
  }
  return memcmp(&x, &y, sizeof x) == 0;
}

static bool compare(struct exploration *x, const struct exploration *alone) {
  const unf_counts *c = &x->counts, *d = &alone->counts;
  uint64_t count = x->executions < EXECUTIONS ? x->executions : EXECUTIONS;
  if (x->executions != alone->executions)
    return report_fail(x->report, "%" PRIu64 " executions, alone %" PRIu64, x->executions,
                       alone->executions);
  for (uint64_t i = 0; i < count; i++)
    if (x->prints[i] != alone->prints[i])
      return report_fail(x->report, "execution %" PRIu64 " is another one", i + 1);
  /* The last execution may be one of those of which not all was learned. */
  bool rest = x->limited && x->executions == EXECUTIONS;
  if (same_counts(c, d, x->middle > 0 || x->interrupted || rest) &&
      memcmp(&x->sampling, &alone->sampling, sizeof x->sampling) == 0)
    return true;
  return report_fail(x->report,
                     "other counts: traces %" PRIu64 " %" PRIu64 ", redundant %" PRIu64 " %" PRIu64
                     ", events %" PRIu64 " %" PRIu64 ", steps %" PRIu64 " %" PRIu64
                     ", extensions %" PRIu64 " %" PRIu64 ", waiting %" PRIu64 " %" PRIu64
                     ", inserted %" PRIu64 " %" PRIu64,
                     c->traces, d->traces, c->redundant, d->redundant, c->events, d->events,
                     c->steps, d->steps, c->extensions, d->extensions, c->waiting, d->waiting,
                     c->reversals_inserted, d->reversals_inserted);
}

static void choose_options(unf_explorer_options *o, size_t manner, random_source *random) {
  static const unf_explorer_options defaults = UNF_EXPLORER_OPTIONS_INIT;
  *o = defaults;
  o->algorithm = manners[manner].algorithm;
  o->alternative.k = manners[manner].k;
  o->seed = random_next(random);
  o->runs = 20;
  bool bounded = o->algorithm != UNF_ODPOR && o->algorithm < UNF_ODPOR && random_chance(random, 20);
  if (bounded) {
    o->max_switches = random_chance(random, 50) ? random_below(random, 8) : UNF_UNBOUNDED;
    o->max_preemptions = random_chance(random, 50) ? random_below(random, 4) : UNF_UNBOUNDED;
  } else if (o->algorithm < UNF_RANDOM && random_chance(random, 30)) {
    o->probes = 1;
  }
  if (o->algorithm == UNF_DFS || random_chance(random, 50)) return;
  o->collect = 1 + random_below(random, 10);
  o->collect_percent = 0;
}

static bool check_manner(const lattice *l, const uint32_t *order, size_t manner,
                         random_source *random, struct total *total, report *r) {
  static struct exploration alone, x;
  memset(&alone, 0, sizeof alone);
  alone.lattice = l;
  alone.order = order;
  alone.random = random;
  alone.report = r;
  choose_options(&alone.options, manner, random);
  alone.later = (uint32_t)(alone.options.seed % 8);
  if (alone.later > 4) alone.later = 0;
  bool good = explore(&alone);
  for (unsigned way = 0; good && way < 5; way++) {
    x = alone;
    x.every = way == 0 ? 1 : 1 + random_below(random, 8);
    x.middle = way == 2 ? 1 + random_below(random, 6) : 0;
    x.interrupted = way == 3;
    x.limited = way == 4;
    good = explore(&x) && compare(&x, &alone);
    free(x.image.bytes);
    total->stops += x.stops;
    total->unlearned += x.unlearned;
    if (!good)
      printf("%s, collect %" PRIu64 ", probes %" PRIu64 ", way %u, every %" PRIu64
             ", later %" PRIu32 "\n",
             manners[manner].name, x.options.collect, x.options.probes, way, x.every, x.later);
  }
  return good;
}

static bool in_every_order(const lattice *l, uint64_t seed, struct total *total, report *r) {
  uint32_t order[SKETCH_THREADS_MAX] = {0, 1, 2, 3, 4};
  random_source random = {seed};
  bool good = true;
  do {
    size_t manner = random_below(&random, MANNERS);
    if (manners[manner].algorithm == UNF_DFS && l->configurations[0].paths > EXECUTIONS) manner = 1;
    good = check_manner(l, order, manner, &random, total, r);
  } while (good && next_permutation(order, l->program->thread_count));
  return good;
}

/* False when it failed, with the program and what is wrong printed. */
static bool check(const char *text, int64_t bound, bool commuting, uint64_t seed,
                  struct total *total) {
  report r = {{0}};
  program_options options = {.bound = bound, .commuting = commuting, .saturating = true};
  program *p = program_read(text, &options, r.text);
  bool good = p != NULL;
  lattice *l = good ? lattice_walk(p, 1500) : NULL;
  r.text[0] = '\0';
  if (l != NULL && l->status == LATTICE_WHOLE && l->counts.maximal <= 150) {
    good = in_every_order(l, seed, total, &r);
    total->programs++;
  }
  if (!good) printf("FAILED:\n%s%s\n", text, r.text);
  if (l != NULL) lattice_free(l);
  if (p != NULL) program_free(p);
  return good;
}

int main(int argc, char **argv) {
  uint64_t programs = 30, seed = 1, only = 0;
  struct total total = {0, 0, 0};
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t value = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--programs") == 0) programs = value;
    if (strcmp(argv[i], "--seed") == 0) seed = value;
    if (strcmp(argv[i], "--only") == 0) only = value;
  }
  for (uint64_t i = 0; total.programs < programs; i++) {
    uint64_t drawn = only != 0 ? only : seed * UINT64_C(1000000000) + i;
    random_source random = {drawn};
    sketch *s = sketch_generate(&random, drawn % 2 == 0 ? 0 : FAMILIES);
    char *text = sketch_text(s);
    bool good = check(text, s->bound, s->commuting, drawn, &total);
    if (!good) printf("--only %" PRIu64 "\n", drawn);
    free(text);
    sketch_free(s);
    if (!good) return 1;
    if (only != 0) break;
  }
  printf("%" PRIu64 " programs in every order of their threads, gone on with %" PRIu64
         " times, %" PRIu64 " executions not learned from at once\n",
         total.programs, total.stops, total.unlearned);
  return only != 0 || total.unlearned >= total.programs ? 0 : 1;
}
