/*
 * Random programs explored by several workers and a ledger, simulated in one process: a seed
 * decides who does what next, how long letters travel, when a worker is asked to split, which
 * workers are lost, and when the ledger is written down and read again. Whatever happens, every
 * execution of the program counts exactly once, and none is redundant.
 *
 *   random_workers [--programs N] [--seed S] [--only SEED]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "bridge_families.h"
#include "permutation.h"
#include "sketch.h"

enum {
  FAMILIES = FAMILY_CONDITION | FAMILY_RWLOCK | FAMILY_SEMAPHORE | FAMILY_BARRIER | FAMILY_ATOMIC |
             FAMILY_RANGE | FAMILY_FUTEX | FAMILY_CHANNEL | FAMILY_MAILBOX | FAMILY_FUTURE,
  WORKERS = 5,
  LETTERS = 64, /* of a worker, on their way */
  RESULTS = 400 /* of a worker, that do not count yet */
};

struct bytes {
  char *data;
  size_t size, room, at;
};

/* An execution: where it ended. */
struct result {
  uint64_t run;
  uint32_t configuration;
};

/* A report on its way, with the executions that count when it arrives. */
struct letter {
  struct bytes bytes;
  bool finished;
  uint64_t item;
  uint32_t count, executions;
  uint32_t configurations[RESULTS];
};

struct worker {
  bridge bridge;
  unf_explorer *explorer;
  uint64_t item; /* 0: none */
  uint32_t result_count, letter_first, letter_count;
  struct result results[RESULTS];
  struct letter letters[LETTERS];
};

struct simulation {
  const lattice *lattice;
  const uint32_t *order;
  report *report;
  random_source *random;
  unf_explorer_options options;
  bridge names; /* the ledger's */
  unf_ledger *ledger;
  struct worker workers[WORKERS];
  uint32_t worker_count;
  unsigned losses, splits, saves; /* of 1000 */
  uint32_t *seen;                 /* by configuration */
  uint64_t executions, letters, lost, split, restarts;
};

static bool fail(struct simulation *s, const bridge *b, const char *call, unf_status status) {
  return bridge_fail(b, s->report, call, status);
}

/* ---- bytes ---- */

static bool append(void *user, const char *data, size_t size) {
  struct bytes *bytes = user;
  if (bytes->room - bytes->size < size) {
    bytes->room = 2 * bytes->room + size;
    bytes->data = realloc(bytes->data, bytes->room);
  }
  memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
  return bytes->data != NULL;
}

static bool take_bytes(void *user, void *to, size_t size, size_t *got) {
  struct bytes *bytes = user;
  size_t left = bytes->size - bytes->at;
  *got = size < left ? size : left;
  memcpy(to, bytes->data + bytes->at, *got);
  bytes->at += *got;
  return true;
}

/* ---- workers ---- */

static bool open_worker(struct simulation *s, struct worker *w) {
  if (!bridge_open(&w->bridge, s->lattice->program, s->lattice, s->order, 8, s->report))
    return false;
  unf_status status = unf_explorer_new(w->bridge.unfolding, &s->options, &w->explorer);
  return status == UNF_OK || fail(s, &w->bridge, "unf_explorer_new", status);
}

static void close_worker(struct worker *w) {
  for (uint32_t i = 0; i < LETTERS; i++)
    free(w->letters[i].bytes.data);
  unf_explorer_free(w->explorer);
  bridge_close(&w->bridge);
  memset(w, 0, sizeof *w);
}

static bool offer_all(struct simulation *s, struct worker *w, uint32_t at) {
  for (uint32_t t = 0; t < w->bridge.program->thread_count; t++) {
    operation o = lattice_next(s->lattice, at, t);
    if (o.kind == OPERATION_WAITING) continue;
    unf_operation op = bridge_operation(&w->bridge, &o);
    unf_status status = unf_explorer_offer(w->explorer, w->bridge.threads[t], &op);
    if (status != UNF_OK) return fail(s, &w->bridge, "unf_explorer_offer", status);
  }
  return true;
}

static bool perform(struct simulation *s, struct worker *w, uint32_t *at) {
  for (*at = 0;;) {
    unf_step step;
    action a;
    if (!offer_all(s, w, *at)) return false;
    unf_status status = unf_explorer_step(w->explorer, &step);
    if (status != UNF_OK) return fail(s, &w->bridge, "unf_explorer_step", status);
    if (step.kind != UNF_STEP_ACTION) return true;
    const edge *e =
        bridge_read(&w->bridge, &step.action, &a) ? lattice_step(s->lattice, *at, &a) : NULL;
    if (e == NULL) return report_fail(s->report, "a step that is not possible");
    *at = e->to;
    status = unf_explorer_commit(w->explorer, NULL, 0);
    if (status != UNF_OK) return fail(s, &w->bridge, "unf_explorer_commit", status);
  }
}

/* Puts a report on its way. */
static bool send(struct simulation *s, struct worker *w, bool split) {
  struct letter *letter = &w->letters[(w->letter_first + w->letter_count) % LETTERS];
  unf_report told = UNF_REPORT_INIT;
  letter->bytes.size = letter->bytes.at = letter->count = 0;
  unf_status status = unf_explorer_report(w->explorer, split, append, &letter->bytes, &told);
  if (status != UNF_OK) return fail(s, &w->bridge, "unf_explorer_report", status);
  letter->finished = told.finished;
  letter->item = w->item;
  letter->executions = (uint32_t)told.counts.executions;
  uint32_t i = 0;
  for (; i < w->result_count && w->results[i].run <= told.committed; i++)
    letter->configurations[letter->count++] = w->results[i].configuration;
  w->result_count -= i;
  memmove(w->results, w->results + i, w->result_count * sizeof *w->results);
  if (letter->executions != letter->count || told.counts.traces != letter->count)
    return report_fail(s->report, "%u executions count, and %u were made", letter->executions,
                       letter->count);
  w->letter_count++;
  s->letters++;
  s->split += told.split;
  if (told.finished) w->item = 0;
  return !told.finished || w->result_count == 0 ||
         report_fail(s->report, "executions of a finished item do not count");
}

/* Makes an execution, or finds that there is none left. */
static bool work(struct simulation *s, struct worker *w) {
  unf_run run;
  unf_verdict verdict;
  uint32_t at;
  unf_status status = unf_explorer_next(w->explorer, &run);
  if (status != UNF_OK) return fail(s, &w->bridge, "unf_explorer_next", status);
  if (run.finished) return send(s, w, random_chance(s->random, 50));
  if (!perform(s, w, &at)) return false;
  status = unf_explorer_finish(w->explorer, false, &verdict);
  if (status != UNF_OK) return fail(s, &w->bridge, "unf_explorer_finish", status);
  if (verdict.redundant) return report_fail(s->report, "a redundant execution");
  if (!s->lattice->configurations[at].maximal)
    return report_fail(s->report, "an execution that could go on");
  if (w->result_count == RESULTS) return report_fail(s->report, "too many executions");
  w->results[w->result_count++] = (struct result){run.number, at};
  s->executions++;
  return true;
}

/* ---- the ledger ---- */

static bool open_ledger(struct simulation *s, struct bytes *from) {
  bridge *b = &s->names;
  unf_status status = unf_context_new(NULL, &b->context);
  if (status == UNF_OK) status = unf_unfolding_new(b->context, NULL, &b->unfolding);
  if (status == UNF_OK) status = bridge_families_open(b);
  if (status == UNF_OK && from == NULL) status = unf_ledger_new(b->unfolding, &s->ledger);
  if (status == UNF_OK && from != NULL)
    status = unf_ledger_read(b->unfolding, take_bytes, from, &s->ledger);
  return status == UNF_OK || fail(s, b, "a ledger", status);
}

static void close_ledger(struct simulation *s) {
  unf_ledger_free(s->ledger);
  s->ledger = NULL;
  bridge_close(&s->names);
}

static bool give(struct simulation *s, struct worker *w) {
  struct bytes bytes = {0};
  unf_status status = unf_ledger_give(s->ledger, append, &bytes, &w->item);
  bool good = status == UNF_OK || fail(s, &s->names, "unf_ledger_give", status);
  if (good && w->item != 0) {
    status = unf_explorer_begin_item(w->explorer, take_bytes, &bytes);
    good = status == UNF_OK || fail(s, &w->bridge, "unf_explorer_begin_item", status);
    if (good && bytes.at != bytes.size)
      good = report_fail(s->report, "bytes of an item that were not read");
  }
  free(bytes.data);
  return good;
}

/* The first letter of a worker arrives. */
static bool deliver(struct simulation *s, struct worker *w) {
  struct letter *letter = &w->letters[w->letter_first];
  unf_status status = unf_ledger_report(s->ledger, letter->item, take_bytes, &letter->bytes);
  if (status != UNF_OK) return fail(s, &s->names, "unf_ledger_report", status);
  w->letter_first = (w->letter_first + 1) % LETTERS;
  w->letter_count--;
  for (uint32_t i = 0; i < letter->count; i++)
    s->seen[letter->configurations[i]]++;
  return true;
}

/* What a worker that is lost had, others do. Of its letters those that arrived are known. */
static bool lose(struct simulation *s, struct worker *w) {
  uint64_t items[LETTERS + 1], count = 0;
  for (uint32_t i = 0; i < w->letter_count; i++)
    items[count++] = w->letters[(w->letter_first + i) % LETTERS].item;
  items[count++] = w->item;
  for (uint32_t i = 0; i < count; i++) {
    if (items[i] == 0 || (i > 0 && items[i] == items[i - 1])) continue;
    unf_status status = unf_ledger_take_back(s->ledger, items[i]);
    if (status != UNF_OK) return fail(s, &s->names, "unf_ledger_take_back", status);
  }
  close_worker(w);
  s->lost++;
  return open_worker(s, w);
}

/* The ledger dies, and all workers with it; it goes on from what was written after the last letter.
 */
static bool restart(struct simulation *s) {
  struct bytes bytes = {0};
  unf_status status = unf_ledger_write(s->ledger, append, &bytes);
  bool good = status == UNF_OK || fail(s, &s->names, "unf_ledger_write", status);
  for (uint32_t i = 0; good && i < s->worker_count; i++) {
    close_worker(&s->workers[i]);
    good = open_worker(s, &s->workers[i]);
  }
  close_ledger(s);
  good = good && open_ledger(s, &bytes);
  free(bytes.data);
  s->restarts++;
  return good;
}

/* ---- what happens ---- */

static bool of_1000(struct simulation *s, unsigned chance) {
  return random_below(s->random, 1000) < chance;
}

static bool happen(struct simulation *s, struct worker *w) {
  if (w->letter_count > 0 && (w->letter_count == LETTERS || random_chance(s->random, 50)))
    return deliver(s, w);
  if (of_1000(s, s->losses)) return lose(s, w);
  if (of_1000(s, s->saves)) return restart(s);
  if (w->item == 0) return give(s, w);
  if (of_1000(s, s->splits)) return send(s, w, random_chance(s->random, 90));
  return work(s, w);
}

static bool is_over(const struct simulation *s) {
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  unf_ledger_look(s->ledger, &state);
  return state.open == 0 && state.given == 0;
}

static bool check_seen(struct simulation *s) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->lattice->counts.configurations; i++) {
    count += s->seen[i];
    if (s->seen[i] != s->lattice->configurations[i].maximal)
      return report_fail(s->report, "%u executions count, there are %u: one %s", count,
                         s->lattice->counts.maximal,
                         s->seen[i] == 0 ? "was lost" : "was made again");
  }
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  unf_ledger_look(s->ledger, &state);
  if (state.nodes != 1)
    return report_fail(s->report, "%" PRIu64 " nodes are left in the end", state.nodes);
  return true;
}

static bool simulate(struct simulation *s) {
  bool good = open_ledger(s, NULL);
  uint64_t steps = 0;
  s->seen = calloc(s->lattice->counts.configurations, sizeof *s->seen);
  for (uint32_t i = 0; good && i < s->worker_count; i++)
    good = open_worker(s, &s->workers[i]);
  while (good && !is_over(s)) {
    good = happen(s, &s->workers[random_below(s->random, s->worker_count)]);
    if (++steps == 1000000) good = report_fail(s->report, "it does not end");
  }
  good = good && check_seen(s);
  for (uint32_t i = 0; i < s->worker_count; i++)
    close_worker(&s->workers[i]);
  close_ledger(s);
  free(s->seen);
  return good;
}

struct totals {
  uint64_t programs, simulations, executions, letters, lost, split, restarts;
};

static void draw_manner(struct simulation *s) {
  static const unsigned chances[] = {0, 1, 10, 50};
  static const unf_explorer_options defaults = UNF_EXPLORER_OPTIONS_INIT;
  s->options = defaults;
  s->options.algorithm = UNF_ODPOR;
  if (random_chance(s->random, 30)) s->options.collect = 1 + random_below(s->random, 10);
  s->worker_count = 1 + random_below(s->random, WORKERS);
  s->splits = 1 + random_below(s->random, 600);
  s->losses = chances[random_below(s->random, 3)];
  s->saves = chances[random_below(s->random, 2)];
}

static bool in_every_order(const lattice *l, uint64_t seed, struct totals *totals, report *r) {
  static struct simulation s;
  uint32_t order[SKETCH_THREADS_MAX] = {0, 1, 2, 3, 4};
  random_source random = {seed};
  bool good = true;
  do {
    memset(&s, 0, sizeof s);
    s.lattice = l;
    s.order = order;
    s.random = &random;
    s.report = r;
    draw_manner(&s);
    good = simulate(&s);
    totals->simulations++;
    totals->executions += s.executions;
    totals->letters += s.letters;
    totals->lost += s.lost;
    totals->split += s.split;
    totals->restarts += s.restarts;
    if (!good)
      printf("%u workers, chances of 1000: split %u, lost %u, restart %u; collect %" PRIu64 "\n",
             s.worker_count, s.splits, s.losses, s.saves, s.options.collect);
  } while (good && next_permutation(order, l->program->thread_count));
  return good;
}

/* False when it failed, with the program and what is wrong printed. */
static bool check(const char *text, int64_t bound, bool commuting, uint64_t seed,
                  struct totals *totals) {
  report r = {{0}};
  program_options options = {.bound = bound, .commuting = commuting, .saturating = true};
  program *p = program_read(text, &options, r.text);
  bool good = p != NULL;
  lattice *l = good ? lattice_walk(p, 3000) : NULL;
  r.text[0] = '\0';
  if (l != NULL && l->status == LATTICE_WHOLE && l->counts.maximal <= RESULTS) {
    good = in_every_order(l, seed, totals, &r);
    totals->programs++;
  }
  if (!good) printf("FAILED:\n%s%s\n", text, r.text);
  if (l != NULL) lattice_free(l);
  if (p != NULL) program_free(p);
  return good;
}

int main(int argc, char **argv) {
  uint64_t programs = 150, seed = 1, only = 0;
  struct totals totals = {0};
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t value = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--programs") == 0) programs = value;
    if (strcmp(argv[i], "--seed") == 0) seed = value;
    if (strcmp(argv[i], "--only") == 0) only = value;
  }
  for (uint64_t i = 0; totals.programs < programs; i++) {
    uint64_t drawn = only != 0 ? only : seed * UINT64_C(1000000000) + i;
    random_source random = {drawn};
    sketch *s = sketch_generate(&random, drawn % 2 == 0 ? 0 : FAMILIES);
    char *text = sketch_text(s);
    bool good = check(text, s->bound, s->commuting, drawn, &totals);
    if (!good) printf("--only %" PRIu64 "\n", drawn);
    free(text);
    sketch_free(s);
    if (!good) return 1;
    if (only != 0) break;
  }
  printf("%" PRIu64 " programs in every order of their threads: %" PRIu64 " simulations, %" PRIu64
         " executions, %" PRIu64 " letters, %" PRIu64 " splits, %" PRIu64 " workers lost, %" PRIu64
         " restarts\n",
         totals.programs, totals.simulations, totals.executions, totals.letters, totals.split,
         totals.lost, totals.restarts);
  return 0;
}
