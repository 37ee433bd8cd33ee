/*
 * Random programs against the oracle: generates programs from a seed, compares each in every order
 * of its threads, prints what the programs were, and fails when they were not varied enough (the
 * floors). A program that fails is cut down and printed with its seed and the order. Before that
 * the kept programs of regressions/ are run, which never change.
 *
 *   random_programs [--effects all|FAMILIES] [--programs N | --campaign N] [--seed S] [--only SEED]
 *                   [--collect always] [--floors no] [--shrink no] [--time SECONDS]
 *                   [PROGRAM.unf …]
 *
 * With --effects the programs use conditions, reader-writer locks, semaphores, barriers, atomic
 * variables, futexes or channels too, or those families that are named by letters: c, r, s, b, a, o
 * (atomics that overlap), f, h (channels), m (mailboxes), u (futures). The programs with known
 * counts (tests/oracle/reference.c) are then compared, in place of those of regressions/.
 * A campaign has larger programs and no end but its number or time. With --shrink no the first
 * failure ends the run, and its program is printed as it was drawn.
 */
#include "program_check.h"
#include "reference.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const program_limits ordinary = {3000, 48, 4000, 2500, false};
static const program_limits with_effects = {2000, 32, 800, 800, false};
static const program_limits campaign = {20000, 48, 60000, 20000, false};
static const program_limits thorough = {20000, 1000, 60000, 20000, false}; /* of kept programs */

/* Samples that have floors: of programs without families, of all of them, of atomics alone, of
 * those whose bytes overlap, of futexes alone, and of channels, mailboxes and futures. */
enum {
  SAMPLE_LOCKS,
  SAMPLE_EFFECTS,
  SAMPLE_ATOMICS,
  SAMPLE_RANGES,
  SAMPLE_FUTEXES,
  SAMPLE_MESSAGES,
  SAMPLES
};

enum { MESSAGES = FAMILY_CHANNEL | FAMILY_MAILBOX | FAMILY_FUTURE };

/* Programs that have a property, and the least share of them in percent, in each sample. */
enum {
  FACT_THREADS_3,
  FACT_THREADS_4,
  FACT_THREADS_5,
  FACT_MAXIMAL_2,
  FACT_MAXIMAL_10,
  FACT_MAXIMAL_50,
  FACT_BLOCKED,
  FACT_DEADLOCK,
  FACT_ERROR,
  FACT_STOPPED,
  FACT_DEPENDENT,
  FACT_TWICE,
  FACT_UNDEFINED,
  FACT_LOST,
  FACT_MANY_NOTIFIED,
  FACT_MANY_WAITING,
  FACT_MANY_WOKEN,
  FACT_MANY_QUEUED,
  FACT_DIFFERENT,
  FACT_READERS,
  FACT_ROUNDS,
  FACT_AT_MAXIMUM,
  FACT_ADDS,
  FACT_AWAITS,
  FACT_BITS,
  FACT_OVERLAPS,
  FACT_DIVIDED_AWAITS,
  FACT_ACTIONS,
  FACTS = FACT_ACTIONS + ACTION_COUNT
};

static const struct {
  const char *name;
  double floors[SAMPLES];
} fact_rows[FACTS] = {
    [FACT_THREADS_3] = {"at least 3 threads", {50, 50, 50, 50, 50, 58}},
    [FACT_THREADS_4] = {"at least 4 threads", {8, 20, 20, 20, 20, 26}},
    [FACT_THREADS_5] = {"5 threads", {0.5, 0.5, 0.5, 0.5, 0.3, 1.1}},
    [FACT_MAXIMAL_2] = {"at least 2 maximal configurations", {70, 60, 60, 60, 60, 45}},
    [FACT_MAXIMAL_10] = {"at least 10 maximal configurations", {15, 20, 20, 20, 20, 9.5}},
    [FACT_MAXIMAL_50] = {"at least 50 maximal configurations", {1, 2, 2, 2, 2, 0.5}},
    [FACT_BLOCKED] = {"some execution blocked", {25, 40, 30, 30, 40, 40}},
    [FACT_DEADLOCK] = {"some deadlock", {20, 40, 30, 30, 40, 38}},
    [FACT_ERROR] = {"some assertion failed", {2, 0.2, 0.2, 0.2, 0.2, 0.3}},
    [FACT_STOPPED] = {"blocked by a false assumption or a bound", {2, 1, 1, 1, 1, 2}},
    [FACT_DEPENDENT] = {"control or operands depend on data", {20, 16, 8, 8, 16, 8}},
    [FACT_TWICE] = {"a thread started from two places", {1, 0, 0, 0, 0, 0}},
    [FACT_UNDEFINED] = {"an operation that is undefined", {3, 3, 1.5, 1.5, 1.5, 1.5}},
    [FACT_LOST] = {"a notification lost", {0, 20, 0, 0, 0, 0}},
    [FACT_MANY_NOTIFIED] = {"a broadcast to two or more", {0, 2, 0, 0, 0, 0}},
    [FACT_MANY_WAITING] = {"a signal with two or more to choose from", {0, 3.5, 0, 0, 0, 0}},
    [FACT_MANY_WOKEN] = {"a wake of two or more", {0, 0.7, 0, 0, 8, 0}},
    [FACT_MANY_QUEUED] = {"a wake with several to choose from", {0, 0.7, 0, 0, 8, 0}},
    [FACT_DIFFERENT] = {"waiters of one condition, several mutexes", {0, 7, 0, 0, 0, 0}},
    [FACT_READERS] = {"readers at once", {0, 4.5, 0, 0, 0, 0}},
    [FACT_ROUNDS] = {"a second round of a barrier", {0, 0.7, 0, 0, 0, 0}},
    [FACT_AT_MAXIMUM] = {"a post at the maximum of a semaphore", {0, 1, 0, 0, 0, 0}},
    [FACT_ADDS] = {"additions that commute at once", {0, 0.5, 4, 0.5, 0.2, 0}},
    [FACT_AWAITS] = {"an await blocked at the end", {0, 5, 25, 25, 0.5, 0}},
    [FACT_BITS] = {"bits of an atomic changed", {0, 3, 20, 20, 0, 0}},
    [FACT_OVERLAPS] = {"accesses at once that overlap in part", {0, 1, 0, 40, 0, 0}},
    [FACT_DIVIDED_AWAITS] = {"an await of several parts blocked", {0, 0.5, 0, 12, 0, 0}},
    [FACT_ACTIONS + ACTION_ACQUIRE] = {"lock taken", {60, 60, 40, 40, 40, 40}},
    [FACT_ACTIONS + ACTION_RELEASE] = {"lock released", {50, 50, 35, 35, 35, 32}},
    [FACT_ACTIONS + ACTION_TRYFAIL] = {"trylock failed", {25, 8, 5, 5, 5, 6.5}},
    [FACT_ACTIONS + ACTION_SPAWN] = {"thread spawned", {15, 15, 15, 15, 15, 17}},
    [FACT_ACTIONS + ACTION_JOIN] = {"thread joined", {8, 6, 6, 6, 6, 8}},
    [FACT_ACTIONS + ACTION_CHOOSE] = {"value chosen", {25, 15, 12, 12, 12, 14}},
    [FACT_ACTIONS + ACTION_WAIT] = {"began to wait", {0, 27, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_WAKE] = {"woke up", {0, 17, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_TIMEOUT] = {"time-out", {0, 7, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_SIGNAL] = {"signal", {0, 19, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_BROADCAST] = {"broadcast", {0, 16, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_RDACQUIRE] = {"taken for reading", {0, 10, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_RDFAIL] = {"try to read failed", {0, 2, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_WRACQUIRE] = {"taken for writing", {0, 7.5, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_WRFAIL] = {"try to write failed", {0, 3.5, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_RDRELEASE] = {"given back after reading", {0, 9, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_WRRELEASE] = {"given back after writing", {0, 7, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_POST] = {"post that commutes", {0, 6, 0, 0, 0, 0}},
    [FACT_ACTIONS +
        ACTION_POST_ALONE] = {"post where the maximum can be exceeded", {0, 2, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_SEM_ACQUIRE] = {"semaphore taken", {0, 8, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_SEM_FAIL] = {"try of a semaphore failed", {0, 3, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_ARRIVE] = {"arrived at a barrier", {0, 10, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_PASS] = {"passed a barrier", {0, 3.5, 0, 0, 0, 0}},
    [FACT_ACTIONS + ACTION_READ] = {"atomic read", {0, 10, 50, 50, 13, 0}},
    [FACT_ACTIONS + ACTION_WRITE] = {"atomic write", {0, 12, 60, 60, 25, 0}},
    [FACT_ACTIONS + ACTION_ADD] = {"commuting addition", {0, 3, 20, 10, 5, 0}},
    [FACT_ACTIONS + ACTION_FUTEX_WAIT] = {"waits at a futex", {0, 8, 0, 0, 50, 0}},
    [FACT_ACTIONS + ACTION_FUTEX_AGAIN] = {"finds another value in a futex", {0, 4, 0, 0, 25, 0}},
    [FACT_ACTIONS + ACTION_FUTEX_RETURN] = {"woken at a futex", {0, 5, 0, 0, 35, 0}},
    [FACT_ACTIONS + ACTION_FUTEX_TIMEOUT] = {"time-out at a futex", {0, 3, 0, 0, 15, 0}},
    [FACT_ACTIONS + ACTION_FUTEX_WAKE] = {"wake of the number asked for", {0, 4, 0, 0, 25, 0}},
    [FACT_ACTIONS + ACTION_FUTEX_WAKE_ALL] = {"wake of fewer", {0, 8, 0, 0, 50, 0}},
    [FACT_ACTIONS + ACTION_SEND] = {"sent", {0, 3.5, 0, 0, 0, 36}},
    [FACT_ACTIONS + ACTION_RECEIVE] = {"received", {0, 3, 0, 0, 0, 28}},
    [FACT_ACTIONS + ACTION_CLOSE] = {"closed", {0, 1.5, 0, 0, 0, 13}},
    [FACT_ACTIONS + ACTION_FULL] = {"a try at a full channel", {0, 0.4, 0, 0, 0, 5}},
    [FACT_ACTIONS + ACTION_EMPTY] = {"a try at an empty channel", {0, 2, 0, 0, 0, 20}},
    [FACT_ACTIONS +
        ACTION_ENDED] = {"a receive of a closed and empty channel", {0, 1.1, 0, 0, 0, 9}},
    [FACT_ACTIONS + ACTION_SEND_CLOSED] = {"a send to a closed channel", {0, 1.1, 0, 0, 0, 9.5}},
    [FACT_ACTIONS + ACTION_CLOSE_CLOSED] = {"a close of a closed channel", {0, 0, 0, 0, 0, 2}},
    [FACT_ACTIONS + ACTION_MAIL] = {"sent to a mailbox", {0, 2, 0, 0, 0, 22}},
    [FACT_ACTIONS + ACTION_ACCEPT] = {"received from a mailbox", {0, 1.2, 0, 0, 0, 10}},
    [FACT_ACTIONS + ACTION_NO_MAIL] = {"a try at a mailbox", {0, 0.7, 0, 0, 0, 7}},
    [FACT_ACTIONS + ACTION_SET] = {"future set", {0, 0.9, 0, 0, 0, 9}},
    [FACT_ACTIONS + ACTION_GET] = {"future read", {0, 0.5, 0, 0, 0, 6.5}},
    [FACT_ACTIONS + ACTION_UNSET] = {"future not set yet", {0, 0.7, 0, 0, 0, 6.5}},
    [FACT_ACTIONS + ACTION_SET_AGAIN] = {"future set again", {0, 0.4, 0, 0, 0, 4}},
};

typedef struct tally {
  uint64_t facts[FACTS];
  uint64_t passed, failed, left_out[PROGRAM_FATES];
  uint64_t executions, orders, maximal, events, most_maximal, most_events;
} tally;

static void add_facts(tally *t, const program_facts *f) {
  const lattice_counts *c = &f->counts;
  bool has[FACTS] = {[FACT_THREADS_3] = f->threads >= 3,
                     [FACT_THREADS_4] = f->threads >= 4,
                     [FACT_THREADS_5] = f->threads >= 5,
                     [FACT_MAXIMAL_2] = c->maximal >= 2,
                     [FACT_MAXIMAL_10] = c->maximal >= 10,
                     [FACT_MAXIMAL_50] = c->maximal >= 50,
                     [FACT_BLOCKED] = c->blocked > 0,
                     [FACT_DEADLOCK] = c->deadlocks > 0,
                     [FACT_ERROR] = c->errors > 0,
                     [FACT_STOPPED] = c->blocked > c->deadlocks + c->errors,
                     [FACT_DEPENDENT] = f->data_dependent,
                     [FACT_TWICE] = f->started_twice,
                     [FACT_UNDEFINED] = f->undefined,
                     [FACT_LOST] = f->lost,
                     [FACT_MANY_NOTIFIED] = f->many_notified,
                     [FACT_MANY_WAITING] = f->many_waiting,
                     [FACT_MANY_WOKEN] = f->many_woken,
                     [FACT_MANY_QUEUED] = f->many_queued,
                     [FACT_DIFFERENT] = f->different,
                     [FACT_READERS] = f->readers_together,
                     [FACT_ROUNDS] = f->many_rounds,
                     [FACT_AT_MAXIMUM] = f->at_maximum,
                     [FACT_ADDS] = f->adds_together,
                     [FACT_AWAITS] = f->awaits_for_ever,
                     [FACT_BITS] = f->bits,
                     [FACT_OVERLAPS] = f->overlaps,
                     [FACT_DIVIDED_AWAITS] = f->divided_awaits};
  for (int i = 0; i < ACTION_COUNT; i++) {
    has[FACT_ACTIONS + i] = c->operations[i] > 0;
  }
  for (int i = 0; i < FACTS; i++) {
    t->facts[i] += has[i];
  }
  t->executions += f->executions;
  t->orders += f->orders;
  t->maximal += c->maximal;
  t->events += c->events;
  if (c->maximal > t->most_maximal) t->most_maximal = c->maximal;
  if (c->events > t->most_events) t->most_events = c->events;
}

/* Prints the account; returns the number of floors that were missed. */
static unsigned print_tally(const tally *t, bool floors, int sample) {
  unsigned missed = 0;
  double programs = (double)(t->passed + t->failed);
  if (programs < 1) programs = 1;
  printf("programs %" PRIu64 ", thread orders %" PRIu64 ", executions %" PRIu64
         ", maximal configurations %" PRIu64 " (most %" PRIu64 "), events %" PRIu64
         " (most %" PRIu64 ")\n",
         t->passed + t->failed, t->orders, t->executions, t->maximal, t->most_maximal, t->events,
         t->most_events);
  printf("left out: %" PRIu64 " too large, %" PRIu64 " with a race, %" PRIu64
         " with a run-time error, %" PRIu64 " with a contended barrier\n",
         t->left_out[PROGRAM_LARGE], t->left_out[PROGRAM_RACY], t->left_out[PROGRAM_RUNTIME],
         t->left_out[PROGRAM_CONTENDED]);
  for (int i = 0; i < FACTS; i++) {
    double share = 100.0 * (double)t->facts[i] / programs;
    double floor = fact_rows[i].floors[sample];
    bool low = floors && share < floor;
    if (floor <= 0 && t->facts[i] == 0) continue;
    printf("  %-44s %7" PRIu64 "  %5.1f %%  (floor %.1f %%)%s\n", fact_rows[i].name, t->facts[i],
           share, floor, low ? "  TOO FEW" : "");
    missed += low;
  }
  return missed;
}

/* ---- where it was when it crashed ---- */

static char place[128];

#ifndef __SANITIZE_ADDRESS__
static void on_crash(int number) {
  size_t length = strlen(place);
  if (write(STDOUT_FILENO, place, length) < 0) length = 0;
  signal(number, SIG_DFL);
  raise(number);
}
#endif

static void watch(void) {
#ifndef __SANITIZE_ADDRESS__
  signal(SIGSEGV, on_crash);
  signal(SIGABRT, on_crash);
  signal(SIGFPE, on_crash);
#endif
}

static void print_failure(const char *text, const uint32_t *order, size_t threads,
                          const report *r) {
  printf("%sthreads are children", text);
  for (size_t i = 0; i < threads; i++) {
    printf("%s%" PRIu32, i == 0 ? " " : ", ", order[i]);
  }
  printf("\n%s\n", r->text);
}

static void explain(const sketch *s, const program_limits *limits, uint64_t seed) {
  program_facts facts;
  uint32_t order[SKETCH_THREADS_MAX] = {0};
  report r = {{0}};
  sketch *small = program_shrink(s, limits, seed);
  char *text = sketch_text(small);
  const program_options options = {
      .bound = small->bound, .commuting = small->commuting, .saturating = true};
  program_check(text, &options, limits, seed, &facts, order, &r);
  printf("FAILED: seed %" PRIu64 ", cut down to\n", seed);
  print_failure(text, order, small->threads, &r);
  free(text);
  sketch_free(small);
}

typedef struct run_options {
  uint64_t programs, seed, only;
  double seconds;
  bool campaign, alone, floors, collect, shrink;
  unsigned families;
} run_options;

static bool failed_enough(const run_options *o, const tally *t) {
  return t->failed >= (o->shrink ? 5 : 1);
}

static void random_program(uint64_t seed, const program_limits *limits, const run_options *o,
                           tally *t) {
  random_source random = {seed};
  program_facts facts;
  uint32_t order[SKETCH_THREADS_MAX];
  report r = {{0}};
  sketch *s = sketch_generate(&random, o->families);
  char *text = sketch_text(s);
  if (o->alone) puts(text);
  snprintf(place, sizeof place, "crashed at the program of --only %" PRIu64 "\n", seed);
  const program_options options = {
      .bound = s->bound, .commuting = s->commuting, .saturating = true};
  program_fate fate = program_check(text, &options, limits, seed, &facts, order, &r);
  if (fate == PROGRAM_UNREADABLE) printf("FAILED: unreadable: %s\n%s\n", r.text, text);
  if (fate == PROGRAM_FAILED && o->shrink) explain(s, limits, seed);
  if (fate == PROGRAM_FAILED && !o->shrink) {
    printf("FAILED: seed %" PRIu64 "\n", seed);
    print_failure(text, order, facts.threads, &r);
  }
  if (fate == PROGRAM_GOOD) t->passed++;
  if (fate == PROGRAM_FAILED || fate == PROGRAM_UNREADABLE) t->failed++;
  if (fate == PROGRAM_GOOD || fate == PROGRAM_FAILED) add_facts(t, &facts);
  t->left_out[fate]++;
  free(text);
  sketch_free(s);
}

/* A program in a file; a first line "// bound N" bounds its loops, or "// commuting"
 * lets additions commute. */
static void kept_program(const char *name, tally *t) {
  char text[8192];
  FILE *file = fopen(name, "r");
  size_t length = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
  program_options options = {.bound = -1, .commuting = false, .saturating = true};
  program_facts facts;
  uint32_t order[64];
  report r = {{0}};
  if (file != NULL) fclose(file);
  text[length] = '\0';
  if (strncmp(text, "// bound ", 9) == 0) options.bound = atoi(text + 9);
  options.commuting = strstr(text, "// commuting") != NULL;
  snprintf(place, sizeof place, "crashed at %.100s\n", name);
  program_fate fate = PROGRAM_UNREADABLE;
  for (uint64_t seed = 1; seed <= 7; seed++) {
    program_limits limits = thorough;
    limits.collect = seed > 5;
    fate = program_check(text, &options, &limits, seed, &facts, order, &r);
    if (fate != PROGRAM_GOOD) break;
  }
  if (fate == PROGRAM_GOOD) {
    t->passed++;
  } else {
    t->failed++;
    printf("FAILED: %s\n", name);
    print_failure(text, order, facts.threads, &r);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void kept_programs(const char *folder, const run_options *o, tally *t) {
  char *names[256];
  size_t count = 0;
  DIR *d = opendir(folder);
  if (d == NULL) {
    printf("FAILED: no folder %s\n", folder);
    t->failed++;
    return;
  }
  for (struct dirent *e = readdir(d); e != NULL && count < 256; e = readdir(d)) {
    size_t length = strlen(e->d_name);
    if (length < 4 || strcmp(e->d_name + length - 4, ".unf") != 0) continue;
    size_t size = strlen(folder) + length + 2;
    names[count] = oracle_allocate(size);
    snprintf(names[count++], size, "%s/%s", folder, e->d_name);
  }
  closedir(d);
  qsort(names, count, sizeof names[0], by_name);
  for (size_t i = 0; i < count; i++) {
    if (!failed_enough(o, t)) kept_program(names[i], t);
    free(names[i]);
  }
  printf("kept programs: %zu\n", count);
}

static void reference_program_check(const reference_program *q, tally *t) {
  const program_options options = {
      .bound = q->bound, .commuting = q->commuting, .saturating = true};
  program_facts facts;
  uint32_t order[64];
  report r = {{0}};
  snprintf(place, sizeof place, "crashed at %.100s\n", q->name);
  program_fate fate = program_check(q->text, &options, &thorough, 1, &facts, order, &r);
  if (fate == PROGRAM_GOOD) t->passed++;
  if (fate != PROGRAM_FAILED) return;
  t->failed++;
  printf("FAILED: %s\n", q->name);
  print_failure(q->text, order, facts.threads, &r);
}

/* The families by the first letters of their names; "all" for all that the library has. */
static unsigned read_families(const char *names) {
  static const char letters[] = "crsbaofhmu";
  unsigned families = 0;
  if (strcmp(names, "all") == 0) names = letters;
  for (; *names != '\0'; names++) {
    const char *at = strchr(letters, *names);
    if (at != NULL) families |= 1u << (at - letters);
  }
  return families;
}

static bool read_options(int argc, char **argv, run_options *o, tally *t) {
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (argv[i][0] != '-') {
      kept_program(argv[i], t);
      o->programs = 0;
      o->floors = false;
      continue;
    }
    i++;
    if (strcmp(argv[i - 1], "--programs") == 0) {
      o->programs = strtoull(value, NULL, 10);
    } else if (strcmp(argv[i - 1], "--campaign") == 0) {
      o->programs = strtoull(value, NULL, 10);
      o->campaign = true;
    } else if (strcmp(argv[i - 1], "--seed") == 0) {
      o->seed = strtoull(value, NULL, 10);
    } else if (strcmp(argv[i - 1], "--only") == 0) {
      o->only = strtoull(value, NULL, 10);
      o->alone = true;
    } else if (strcmp(argv[i - 1], "--floors") == 0) {
      o->floors = strcmp(value, "no") != 0;
    } else if (strcmp(argv[i - 1], "--shrink") == 0) {
      o->shrink = strcmp(value, "no") != 0;
    } else if (strcmp(argv[i - 1], "--collect") == 0) {
      o->collect = strcmp(value, "always") == 0;
    } else if (strcmp(argv[i - 1], "--effects") == 0) {
      o->families = read_families(value);
    } else if (strcmp(argv[i - 1], "--time") == 0) {
      o->seconds = atof(value);
    } else {
      fprintf(stderr, "unknown option %s\n", argv[i - 1]);
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  static tally kept, total;
  run_options o = {.programs = 2000, .seed = 1, .floors = true, .shrink = true};
  watch();
  if (!read_options(argc, argv, &o, &kept)) return 2;
  int sample = o.families == 0               ? SAMPLE_LOCKS
               : o.families == FAMILY_ATOMIC ? SAMPLE_ATOMICS
               : o.families == FAMILY_RANGE  ? SAMPLE_RANGES
               : o.families == FAMILY_FUTEX  ? SAMPLE_FUTEXES
               : o.families == MESSAGES      ? SAMPLE_MESSAGES
                                             : SAMPLE_EFFECTS;
  program_limits limits = o.campaign ? campaign : o.families != 0 ? with_effects : ordinary;
  limits.collect = o.collect;
  if (o.alone) {
    random_program(o.only, &limits, &o, &total);
    o.floors = false;
  } else if (o.programs > 0) {
    if (o.families == 0) kept_programs(REGRESSIONS, &o, &kept);
    for (size_t i = 0; sample == SAMPLE_EFFECTS && i < reference_count; i++) {
      if (failed_enough(&o, &kept)) break;
      reference_program_check(&reference_programs[i], &kept);
    }
    time_t start = time(NULL);
    for (uint64_t i = 0; total.passed + total.failed < o.programs; i++) {
      if (failed_enough(&o, &kept) || failed_enough(&o, &total)) break;
      if (o.seconds > 0 && difftime(time(NULL), start) > o.seconds) break;
      random_program(o.seed * UINT64_C(1000000000) + i, &limits, &o, &total);
    }
  }
  unsigned missed = print_tally(&total, o.floors && o.programs >= 1000, sample);
  total.failed += missed;
  printf("%" PRIu64 " passed, %" PRIu64 " failed\n", kept.passed + total.passed,
         kept.failed + total.failed);
  return kept.failed + total.failed == 0 ? 0 : 1;
}
