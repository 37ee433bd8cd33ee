/*
 * unfold-bench-growth MODE PROGRAM N [ALGORITHM [ORDER]]: one measurement of a program of size N
 * (growth_programs.c), one line of JSON. Modes:
 *
 *   explore      all executions: processor time of naming, running, finish and next
 *   first        N executions of a program that has more
 *   once         one execution, and what next does after it
 *   step         a free step of an execution, one by one, and performing it
 *   visit        ex and cex of the empty configuration, ended at the first event
 *   late-finish, late-next
 *                how long the call goes on after the time limit, which it meets a tenth of a second
 *                after its beginning
 *   interrupted  finish, interrupted every five milliseconds until it is done, against finish alone
 *
 * Bytes are what the library has at most beyond an empty unfolding, as its allocator counts. The
 * exit code is 3 when a call is refused, 4 when the number of traces is wrong.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "clock.h"
#include "growth.h"

/* ---- memory ---- */

struct memory {
  size_t now, most;
};

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  if (new_size == 0) {
    free(block);
    m->now -= old_size;
    return NULL;
  }
  void *result = realloc(block, new_size);
  if (result == NULL) return NULL;
  m->now += new_size - old_size;
  if (m->now > m->most) m->most = m->now;
  return result;
}

/* ---- the explorer's side ---- */

struct subject {
  const struct program *program;
  uint32_t n;
  struct memory memory;
  size_t empty_bytes, named_bytes; /* before and after naming */
  double born;                     /* when the context was made, on the clock of its limits */
  unf_context *context;
  unf_unfolding *unfolding;
  unf_explorer *explorer;
  uint32_t *steps; /* of each thread in the present run */
  double naming, running, finishing, choosing;
};

static double wall_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(unf_status status, const unf_context *context) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s: %s\n", unf_status_text(status),
          context != NULL ? unf_context_detail(context)->text : "");
  exit(3);
}

static void begin(struct subject *s, const unf_explorer_options *options) {
  unf_context_options settings = UNF_CONTEXT_OPTIONS_INIT;
  settings.allocator.reallocate = reallocate;
  settings.allocator.user = &s->memory;
  s->born = wall_time();
  must(unf_context_new(&settings, &s->context), NULL);
  double start = processor_time();
  must(unf_unfolding_new(s->context, NULL, &s->unfolding), s->context);
  s->empty_bytes = s->memory.now;
  must(s->program->name_all(s->unfolding, s->n), s->context);
  s->naming = processor_time() - start;
  s->named_bytes = s->memory.now;
  must(unf_explorer_new(s->unfolding, options, &s->explorer), s->context);
  s->steps = malloc(unf_unfolding_threads(s->unfolding) * sizeof *s->steps);
  if (s->steps == NULL) must(UNF_MEMORY, NULL);
}

static void end(struct subject *s) {
  unf_explorer_free(s->explorer);
  unf_unfolding_free(s->unfolding);
  unf_context_free(s->context);
  free(s->steps);
}

static void offer(struct subject *s, uint32_t thread) {
  unf_operation operation;
  must(s->program->next(s->unfolding, s->n, thread, s->steps[thread], &operation), s->context);
  must(unf_explorer_offer(s->explorer, thread, &operation), s->context);
}

static void offer_first(struct subject *s) {
  uint32_t threads = unf_unfolding_threads(s->unfolding);
  memset(s->steps, 0, threads * sizeof *s->steps);
  for (uint32_t t = 0; t < threads; t++) {
    bool initial;
    must(unf_thread_describe(s->unfolding, t, NULL, NULL, &initial), s->context);
    if (initial) offer(s, t);
  }
}

static void commit(struct subject *s, const unf_action *action) {
  must(unf_explorer_commit(s->explorer, NULL, 0), s->context);
  s->steps[action->thread]++;
  offer(s, action->thread);
  if (action->kind == UNF_DID_CREATE) offer(s, action->target);
}

/* From the first step to the end of the execution. */
static void perform(struct subject *s) {
  double start = processor_time();
  offer_first(s);
  for (;;) {
    unf_step step;
    must(unf_explorer_step(s->explorer, &step), s->context);
    if (step.kind != UNF_STEP_ACTION) break;
    commit(s, &step.action);
  }
  s->running += processor_time() - start;
}

static bool choose(struct subject *s) {
  unf_run run;
  double start = processor_time();
  must(unf_explorer_next(s->explorer, &run), s->context);
  s->choosing += processor_time() - start;
  return !run.finished;
}

static void finish(struct subject *s) {
  double start = processor_time();
  must(unf_explorer_finish(s->explorer, false, NULL), s->context);
  s->finishing += processor_time() - start;
}

/* ---- modes ---- */

static size_t grown(const struct subject *s) {
  return s->memory.most - s->empty_bytes;
}

static void report(const struct subject *s) {
  unf_counts counts;
  unf_explorer_counts(s->explorer, &counts);
  printf("{\"n\": %u, \"seconds\": %.9f, \"naming\": %.9f, \"running\": %.9f, \"finish\": %.9f, "
         "\"next\": %.9f, \"bytes\": %zu, \"named_bytes\": %zu, \"executions\": %llu, "
         "\"traces\": %llu, \"events\": %llu, \"extensions\": %llu}\n",
         s->n, s->naming + s->running + s->finishing + s->choosing, s->naming, s->running,
         s->finishing, s->choosing, grown(s), s->named_bytes - s->empty_bytes,
         (unsigned long long)counts.executions, (unsigned long long)counts.traces,
         (unsigned long long)counts.events, (unsigned long long)counts.extensions);
}

/* 0: all executions. */
static int explore(struct subject *s, uint64_t executions) {
  for (uint64_t i = 0; choose(s); i++) {
    if (executions > 0 && i == executions) break;
    perform(s);
    finish(s);
  }
  report(s);
  unf_counts counts;
  unf_explorer_counts(s->explorer, &counts);
  if (executions > 0 || s->program->traces == NULL) return 0;
  uint32_t traces = s->program->traces(s->n);
  if (counts.traces == traces && counts.redundant == (counts.executions - traces)) return 0;
  fprintf(stderr, "%llu traces, not %u\n", (unsigned long long)counts.traces, traces);
  return 4;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The medians, because a clock that is read so often is rough. */
static int step(struct subject *s) {
  enum { STEPS = 101 };
  double choosing[STEPS], performing[STEPS];
  choose(s);
  offer_first(s);
  for (int i = 0; i < STEPS; i++) {
    unf_step next;
    double start = wall_time();
    must(unf_explorer_step(s->explorer, &next), s->context);
    double chosen = wall_time();
    commit(s, &next.action);
    choosing[i] = chosen - start;
    performing[i] = wall_time() - chosen;
  }
  qsort(choosing, STEPS, sizeof *choosing, ascending);
  qsort(performing, STEPS, sizeof *performing, ascending);
  printf("{\"n\": %u, \"seconds\": %.9f, \"performing\": %.9f, \"bytes\": %zu}\n", s->n,
         choosing[STEPS / 2], performing[STEPS / 2], grown(s));
  return 0;
}

static bool stop(void *user, unf_event event) {
  (void)event;
  ++*(uint64_t *)user;
  return false;
}

static int visit(struct subject *s) {
  unf_configuration *c;
  unf_operation operation;
  uint64_t seen = 0;
  must(unf_configuration_new(s->unfolding, &c), s->context);
  must(s->program->next(s->unfolding, s->n, 0, 0, &operation), s->context);
  must(unf_configuration_offer(c, 0, &operation), s->context);
  double start = processor_time();
  must(unf_extensions_all(c, stop, &seen), s->context);
  printf("{\"n\": %u, \"seconds\": %.9f, \"bytes\": %zu}\n", s->n, processor_time() - start,
         grown(s));
  unf_configuration_free(c);
  return seen == 1 ? 0 : 4;
}

/* finish, or next after it, with a limit of time that it meets on its way. */
static int late(struct subject *s, bool in_next) {
  enum { TENTHS = 1 };
  unf_limits limits = {0, 0, 0, 0};
  unf_run run;
  choose(s);
  perform(s);
  if (in_next) finish(s);
  double start = wall_time(), deadline = start + TENTHS / 10.0;
  limits.seconds = deadline - s->born;
  must(unf_context_set_limits(s->context, &limits), s->context);
  unf_status status = in_next ? unf_explorer_next(s->explorer, &run)
                              : unf_explorer_finish(s->explorer, false, NULL);
  double now = wall_time(), over = now > deadline ? now - deadline : 0;
  if (status != UNF_LIMIT) must(status, s->context);
  printf("{\"n\": %u, \"seconds\": %.9f, \"call\": %.9f, \"limited\": %s, \"bytes\": %zu}\n", s->n,
         over, now - start, status == UNF_LIMIT ? "true" : "false", grown(s));
  return 0;
}

static unf_context *to_interrupt;

static void on_alarm(int number) {
  (void)number;
  unf_context_interrupt(to_interrupt);
}

static void every(int microseconds) {
  struct itimerval interval = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &interval, NULL);
}

static int interrupted(struct subject *s, const unf_explorer_options *options) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  uint64_t calls = 0;
  choose(s);
  perform(s);
  finish(s);
  struct subject again = {.program = s->program, .n = s->n};
  begin(&again, options);
  choose(&again);
  perform(&again);
  to_interrupt = again.context;
  sigaction(SIGALRM, &action, NULL);
  every(5000);
  double start = processor_time();
  for (unf_status status = UNF_INTERRUPTED; status == UNF_INTERRUPTED; calls++) {
    status = unf_explorer_finish(again.explorer, false, NULL);
    if (status != UNF_INTERRUPTED) must(status, again.context);
  }
  double seconds = processor_time() - start;
  every(0);
  printf("{\"n\": %u, \"seconds\": %.9f, \"alone\": %.9f, \"calls\": %llu, \"bytes\": %zu}\n", s->n,
         seconds, s->finishing, (unsigned long long)calls, grown(&again));
  end(&again);
  return 0;
}

static int measure(struct subject *s, const char *mode, const unf_explorer_options *options) {
  if (strcmp(mode, "explore") == 0) return explore(s, 0);
  if (strcmp(mode, "first") == 0) return explore(s, s->n);
  if (strcmp(mode, "once") == 0) return explore(s, 1);
  if (strcmp(mode, "step") == 0) return step(s);
  if (strcmp(mode, "visit") == 0) return visit(s);
  if (strcmp(mode, "late-finish") == 0) return late(s, false);
  if (strcmp(mode, "late-next") == 0) return late(s, true);
  if (strcmp(mode, "interrupted") == 0) return interrupted(s, options);
  return 2;
}

int main(int argc, char **argv) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  bool known = (argc <= 4 || unf_algorithm_from_text(argv[4], &options.algorithm) == UNF_OK) &&
               (argc <= 5 || unf_order_from_text(argv[5], &options.order) == UNF_OK);
  struct subject s = {.program = argc > 3 ? program_find(argv[2]) : NULL};
  if (s.program != NULL) s.n = (uint32_t)strtoul(argv[3], NULL, 10);
  int status = 2;
  if (s.n > 0 && known) {
    begin(&s, &options);
    status = measure(&s, argv[1], &options);
    end(&s);
  }
  if (status == 2)
    fprintf(stderr,
            "usage: %s explore|first|once|step|visit|late-finish|late-next|interrupted PROGRAM N "
            "[qpor|sdpor|dfs|odpor|eager [dfs|bfs|random|deepest-first]]\n",
            argv[0]);
  return status;
}
