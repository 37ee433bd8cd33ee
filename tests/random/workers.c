/*
 * Random programs explored by several workers and a ledger, simulated in one process: a seed
 * decides who does what next, how long letters travel, when a worker is asked to split, which
 * workers are lost, and when the ledger is written down and read again. Whatever happens, every
 * execution of the program counts exactly once, and none is redundant. Programs with inputs have a
 * solver that tries all values, and does not know now and then.
 *
 *   random_workers [--programs N] [--seed S] [--only SEED] [--inputs yes]
 *   random_workers --golden COUNTS
 *
 * --golden has the families of the table that have so few traces that they are simulated whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "bridge_families.h"
#include "families.h"
#include "input_programs.h"
#include "inputs.h"
#include "permutation.h"
#include "sketch.h"

enum {
  FAMILIES = FAMILY_CONDITION | FAMILY_RWLOCK | FAMILY_SEMAPHORE | FAMILY_BARRIER | FAMILY_ATOMIC |
             FAMILY_RANGE | FAMILY_FUTEX | FAMILY_CHANNEL | FAMILY_MAILBOX | FAMILY_FUTURE,
  THREADS = 64, /* of a program, at most */
  WORKERS = 5,
  LETTERS = 64, /* of a worker, on their way */
  RESULTS = 400 /* of a worker, that do not count yet */
};

struct bytes {
  char *data;
  size_t size, room, at;
};

/* An execution: where it ended, or ORACLE_NONE if that is no execution for any input. */
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

/* A question comes from the unfolding of a worker. */
struct asked {
  struct simulation *simulation;
  struct worker *worker;
};

struct simulation {
  const lattice *lattice;
  const symbolic *symbolic; /* NULL: without inputs */
  uint64_t domain;          /* the values that the inputs have of those it was walked for */
  unsigned unknown;         /* of 1000 questions */
  const uint32_t *order;
  report *report;
  random_source *random;
  unf_explorer_options options;
  bridge names; /* the ledger's */
  unf_ledger *ledger;
  struct worker workers[WORKERS];
  struct asked asked[WORKERS];
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

/* ---- inputs ---- */

static unf_answer solve(void *user, const unf_event *events, uint64_t count, uint64_t known,
                        unf_event *core, uint64_t *core_count, uint64_t *witness) {
  const struct asked *asked = user;
  const symbolic *inputs = asked->simulation->symbolic;
  uint64_t all = UINT64_MAX >> (64 - inputs->valuations);
  (void)known, (void)core, (void)core_count, (void)witness;
  for (uint64_t i = 0; i < count; i++) {
    unf_literal literal;
    if (unf_event_literal(asked->worker->bridge.unfolding, events[i], &literal) == UNF_OK)
      all &= inputs->points[literal.term].values[literal.outcome];
  }
  if (all != 0 && random_below(asked->simulation->random, 1000) < asked->simulation->unknown)
    return UNF_ANSWER_UNKNOWN;
  return (all & asked->simulation->domain) != 0 ? UNF_ANSWER_YES : UNF_ANSWER_NO;
}

/* The ledger knows of branches, and asks nothing. */
static unf_answer never(void *user, const unf_event *events, uint64_t count, uint64_t known,
                        unf_event *core, uint64_t *core_count, uint64_t *witness) {
  struct simulation *s = user;
  (void)events, (void)count, (void)known, (void)core, (void)core_count, (void)witness;
  report_fail(s->report, "the ledger asks");
  return UNF_ANSWER_UNKNOWN;
}

static unf_status give_ledger_inputs(struct simulation *s) {
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  if (s->symbolic == NULL) return UNF_OK;
  consistency.consistent = never;
  consistency.user = s;
  return unf_unfolding_set_consistency(s->names.unfolding, &consistency);
}

static unf_status give_inputs(struct simulation *s, struct worker *w) {
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  if (s->symbolic == NULL) return UNF_OK;
  consistency.consistent = solve;
  consistency.user = &s->asked[w - s->workers];
  s->asked[w - s->workers] = (struct asked){s, w};
  return unf_unfolding_set_consistency(w->bridge.unfolding, &consistency);
}

static bool is_consistent(const struct simulation *s, uint32_t at) {
  return s->symbolic == NULL || (s->symbolic->of_configuration[at] & s->domain) != 0;
}

/* ---- workers ---- */

static bool open_worker(struct simulation *s, struct worker *w) {
  if (!bridge_open(&w->bridge, s->lattice->program, s->lattice, s->order, 8, s->report))
    return false;
  unf_status status = give_inputs(s, w);
  if (status == UNF_OK) status = unf_explorer_new(w->bridge.unfolding, &s->options, &w->explorer);
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
  uint64_t counted = told.counts.traces + told.counts.undecided + told.counts.infeasible;
  if (letter->executions != letter->count || counted != letter->count)
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
  const unf_limits none = {.runs = 0}, one = {.runs = 1};
  bool limited = w->result_count > 0 && random_chance(s->random, 5);
  if (limited) unf_context_set_limits(w->bridge.context, &one);
  unf_status status = unf_explorer_next(w->explorer, &run);
  unf_context_set_limits(w->bridge.context, &none);
  /* The next execution is decided, and did not begin. */
  if (limited && status == UNF_LIMIT) return send(s, w, true);
  if (status != UNF_OK) return fail(s, &w->bridge, "unf_explorer_next", status);
  if (run.finished) return send(s, w, random_chance(s->random, 50));
  if (!perform(s, w, &at)) return false;
  status = unf_explorer_finish(w->explorer, false, &verdict);
  if (status != UNF_OK) return fail(s, &w->bridge, "unf_explorer_finish", status);
  if (verdict.redundant) return report_fail(s->report, "a redundant execution");
  bool cut_short = verdict.infeasible && s->symbolic != NULL;
  if (!s->lattice->configurations[at].maximal && !cut_short)
    return report_fail(s->report, "an execution that could go on");
  if (s->unknown == 0 && (verdict.infeasible || verdict.undecided))
    return report_fail(s->report, "undecided or infeasible, though the solver always knows");
  if (cut_short && is_consistent(s, at) && s->lattice->configurations[at].maximal)
    return report_fail(s->report, "an execution counts as infeasible");
  if (cut_short || (verdict.undecided && !is_consistent(s, at))) at = ORACLE_NONE;
  if (w->result_count == RESULTS) return report_fail(s->report, "too many executions");
  w->results[w->result_count++] = (struct result){run.number, at};
  s->executions++;
  return true;
}

/* ---- the ledger ---- */

static bool open_ledger(struct simulation *s, struct bytes *from, bool resume) {
  bridge *b = &s->names;
  unf_status status = unf_context_new(NULL, &b->context);
  if (status == UNF_OK) status = unf_unfolding_new(b->context, NULL, &b->unfolding);
  if (status == UNF_OK) status = bridge_families_open(b);
  if (status == UNF_OK) status = give_ledger_inputs(s);
  if (status == UNF_OK && from == NULL) status = unf_ledger_new(b->unfolding, &s->ledger);
  if (status == UNF_OK && from != NULL)
    status = resume ? unf_ledger_resume(b->unfolding, take_bytes, from, &s->ledger)
                    : unf_ledger_read(b->unfolding, take_bytes, from, &s->ledger);
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
    if (letter->configurations[i] != ORACLE_NONE) s->seen[letter->configurations[i]]++;
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

/* Nodes of the ledger, with what it has in lists. */
static uint64_t count_nodes(const struct simulation *s) {
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  return unf_ledger_look(s->ledger, &state) == UNF_OK ? state.nodes : 0;
}

/* Whether a ledger that was made of what was written is the same: it has as many nodes, and writes
 * that again. */
static bool is_same(struct simulation *s, const struct bytes *written, uint64_t nodes) {
  struct bytes again = {0};
  unf_status status = unf_ledger_write(s->ledger, append, &again);
  bool good = status == UNF_OK || fail(s, &s->names, "unf_ledger_write", status);
  if (good && (count_nodes(s) != nodes || again.size != written->size ||
               memcmp(again.data, written->data, again.size) != 0))
    good = report_fail(s->report, "a ledger that was read is another one");
  free(again.data);
  return good;
}

/* The ledger dies, and all workers with it, or they go on; it goes on from what was written after
 * the last letter. */
static bool restart(struct simulation *s) {
  struct bytes bytes = {0};
  bool alone = random_chance(s->random, 30);
  uint64_t nodes = count_nodes(s);
  unf_status status = unf_ledger_write(s->ledger, append, &bytes);
  bool good = status == UNF_OK || fail(s, &s->names, "unf_ledger_write", status);
  for (uint32_t i = 0; good && !alone && i < s->worker_count; i++) {
    close_worker(&s->workers[i]);
    good = open_worker(s, &s->workers[i]);
  }
  close_ledger(s);
  good = good && open_ledger(s, &bytes, alone) && (!alone || is_same(s, &bytes, nodes));
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
    if (s->seen[i] != (s->lattice->configurations[i].maximal && is_consistent(s, i)))
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
  bool good = open_ledger(s, NULL, false);
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
  s->saves = 4 * chances[random_below(s->random, 2)];
  s->domain = UINT64_MAX;
  if (s->symbolic == NULL || random_chance(s->random, 50)) return;
  s->unknown = random_below(s->random, 500);
  s->domain = random_next(s->random);
  if ((s->domain & (UINT64_MAX >> (64 - s->symbolic->valuations))) == 0) s->domain = UINT64_MAX;
}

static bool in_every_order(const lattice *l, const symbolic *inputs, uint64_t seed,
                           struct totals *totals, report *r) {
  static struct simulation s;
  uint32_t order[THREADS];
  random_source random = {seed};
  bool good = true;
  for (uint32_t t = 0; t < THREADS; t++)
    order[t] = t;
  do {
    memset(&s, 0, sizeof s);
    s.lattice = l;
    s.symbolic = inputs;
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
  } while (good && l->program->thread_count <= SKETCH_THREADS_MAX &&
           next_permutation(order, l->program->thread_count));
  return good;
}

/* False when it failed, with what is wrong printed. */
static bool check_walked(const lattice *l, const symbolic *inputs, uint64_t seed,
                         struct totals *totals) {
  report r = {{0}};
  if (l == NULL || l->status != LATTICE_WHOLE || l->counts.maximal > RESULTS) return true;
  totals->programs++;
  bool good = in_every_order(l, inputs, seed, totals, &r);
  if (!good) printf("FAILED: %s\n", r.text);
  return good;
}

static bool check(const char *text, const program_options *options, bool inputs, uint64_t seed,
                  struct totals *totals) {
  char error[ORACLE_ERROR_MAX];
  program *p = program_read(text, options, error);
  if (p == NULL) return inputs; /* a value that a program with inputs must not depend on */
  symbolic *walked = inputs ? symbolic_walk(p, 3000) : NULL;
  lattice *l = inputs ? NULL : lattice_walk(p, 3000);
  bool good = check_walked(inputs ? walked->lattice : l, walked, seed, totals);
  if (!good) printf("%s", text);
  if (inputs) symbolic_free(walked);
  if (l != NULL) lattice_free(l);
  program_free(p);
  return good;
}

static bool check_drawn(uint64_t drawn, struct totals *totals) {
  random_source random = {drawn};
  sketch *s = sketch_generate(&random, drawn % 2 == 0 ? 0 : FAMILIES);
  char *text = sketch_text(s);
  program_options options = {.bound = s->bound, .commuting = s->commuting, .saturating = true};
  bool good = check(text, &options, false, drawn, totals);
  free(text);
  sketch_free(s);
  return good;
}

static bool check_drawn_with_inputs(uint64_t drawn, struct totals *totals) {
  random_source random = {drawn};
  input_program p = {0};
  program_options options = {.bound = -1, .commuting = drawn % 2 == 0, .saturating = true};
  input_program_draw(&p, &random, input_effects);
  char *text = input_program_text(&p);
  bool good = check(text, &options, true, drawn, totals);
  free(text);
  input_program_free(&p);
  return good;
}

/* A family of the golden table, the threads in their own order; its traces are those of the table.
 */
static bool check_family(const char *family, int first, int second, uint64_t traces,
                         struct totals *totals) {
  char error[ORACLE_ERROR_MAX];
  char *text = family_text(family, first, second);
  const program_options options = {.bound = -1, .commuting = strstr(text, "// commuting") != NULL};
  program *p = program_read(text, &options, error);
  lattice *l = p != NULL ? lattice_walk(p, 20000) : NULL;
  free(text);
  bool good = l != NULL && (l->status != LATTICE_WHOLE || l->counts.maximal == traces);
  for (uint64_t seed = 1; good && seed <= 3; seed++)
    good = check_walked(l, NULL, seed, totals);
  if (!good) printf("FAILED: %s(%d,%d)\n", family, first, second);
  if (l != NULL) lattice_free(l);
  if (p != NULL) program_free(p);
  return good;
}

static bool check_golden(const char *table, struct totals *totals) {
  char line[256], family[16];
  int first, second;
  uint64_t traces;
  FILE *file = fopen(table, "r");
  bool good = file != NULL;
  while (good && fgets(line, sizeof line, file) != NULL)
    if (strstr(line, ",odpor,") != NULL &&
        sscanf(line, "%15[^,],%d,%d,odpor,-,%" SCNu64, family, &first, &second, &traces) == 4 &&
        traces <= RESULTS)
      good = check_family(family, first, second, traces, totals);
  if (file != NULL) fclose(file);
  return good;
}

static void print(const struct totals *totals) {
  printf("%" PRIu64 " programs: %" PRIu64 " simulations, %" PRIu64 " executions, %" PRIu64
         " letters, %" PRIu64 " splits, %" PRIu64 " workers lost, %" PRIu64 " restarts\n",
         totals->programs, totals->simulations, totals->executions, totals->letters, totals->split,
         totals->lost, totals->restarts);
}

int main(int argc, char **argv) {
  uint64_t programs = 150, seed = 1, only = 0;
  const char *golden = NULL;
  bool inputs = false;
  struct totals totals = {0};
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t value = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--programs") == 0) programs = value;
    if (strcmp(argv[i], "--seed") == 0) seed = value;
    if (strcmp(argv[i], "--only") == 0) only = value;
    if (strcmp(argv[i], "--golden") == 0) golden = argv[i + 1];
    if (strcmp(argv[i], "--inputs") == 0) inputs = strcmp(argv[i + 1], "yes") == 0;
  }
  if (golden != NULL && !check_golden(golden, &totals)) return 1;
  for (uint64_t i = 0; golden == NULL && totals.programs < programs; i++) {
    uint64_t drawn = only != 0 ? only : seed * UINT64_C(1000000000) + i;
    bool good = inputs ? check_drawn_with_inputs(drawn, &totals) : check_drawn(drawn, &totals);
    if (!good) printf("--only %" PRIu64 "\n", drawn);
    if (!good) return 1;
    if (only != 0) break;
  }
  print(&totals);
  return 0;
}
