/*
 * What many workers would be good for: one exploration of a family by so many, simulated. Workers
 * and ledger are those of the library, and every execution is performed; only time is not that of a
 * clock. An execution takes as long as is asked for, a letter as long on its way, and what the
 * ledger and workers do with letters as long as the processor needed for it here. The ledger does
 * one thing after the other. Who is given what follows examples/common/jobs.
 *
 * Between what the ledger does, this process performs executions, which the ledger's own would not:
 * its caches are not the ledger's. So all is explored twice, the second time with the ledger as
 * much faster as it is when it does the same things alone, one after the other.
 *
 *   unfold-bench-simulate-jobs FAMILY A B WORKERS EXECUTION_US LATENCY_US
 *
 * prints a line of JSON.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "programs.h"

enum { ITEMS_AT_ONCE = 16 };

struct bytes {
  char *data;
  size_t size, room, at;
};

enum kind { TO_LEDGER, TO_WORKER, ASKED, NEXT };

/* Something that happens at a time, to a worker or because of one. */
struct event {
  double time;
  uint64_t order; /* of two at one time */
  enum kind kind;
  unsigned worker;
  uint64_t item; /* of a report, or that is given */
  bool finished;
  struct bytes letter;
};

struct waiting {
  uint64_t item;
  struct bytes letter;
};

struct worker {
  unf_context *context;
  unf_unfolding *unfolding;
  unf_explorer *explorer;
  struct binding binding;
  struct waiting items[ITEMS_AT_ONCE]; /* that it has not begun */
  unsigned item_count, first;
  uint64_t item;    /* that it is at; 0: none */
  bool split, busy; /* it is asked to; an event for its next execution is there */
  unsigned held;    /* items, as the ledger knows */
  bool asked;
};

struct simulation {
  struct program program;
  double execution, latency, ledger_free, ledger_busy, end;
  unf_context *context;
  unf_unfolding *names;
  unf_ledger *ledger;
  struct worker *workers;
  unsigned count;
  struct event *heap;
  size_t heap_count, heap_room;
  uint64_t orders, executions, letters, bytes;
  double overhead; /* of workers, with letters */
  /* What the ledger was asked, in its order: an item, or to take a report; and what that takes on a
   * processor of its own, as a share of what it takes between executions of workers. */
  struct call {
    uint64_t item; /* of a report; 0: to give one */
    struct bytes letter;
  } * calls;
  size_t call_count, call_room;
  double share;
};

static void check(unf_status status, const char *what) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s: %s\n", what, unf_status_text(status));
  exit(1);
}

/* Microseconds of the processor. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool append(void *user, const char *data, size_t size) {
  struct bytes *bytes = user;
  if (bytes->room - bytes->size < size) {
    bytes->room = 2 * bytes->room + size;
    bytes->data = realloc(bytes->data, bytes->room);
    if (bytes->data == NULL) abort();
  }
  memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
  return true;
}

static bool take(void *user, void *to, size_t size, size_t *got) {
  struct bytes *bytes = user;
  const size_t left = bytes->size - bytes->at;
  *got = size < left ? size : left;
  memcpy(to, bytes->data + bytes->at, *got);
  bytes->at += *got;
  return true;
}

/* ---- what happens when ---- */

static bool before(const struct event *a, const struct event *b) {
  return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void happen(struct simulation *s, struct event event) {
  event.order = s->orders++;
  if (s->heap_count == s->heap_room) {
    s->heap_room = 2 * s->heap_room + 64;
    s->heap = realloc(s->heap, s->heap_room * sizeof *s->heap);
    if (s->heap == NULL) abort();
  }
  size_t at = s->heap_count++;
  for (; at > 0 && before(&event, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
    s->heap[at] = s->heap[(at - 1) / 2];
  s->heap[at] = event;
}

static struct event next_event(struct simulation *s) {
  const struct event first = s->heap[0], last = s->heap[--s->heap_count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= s->heap_count) break;
    if (child + 1 < s->heap_count && before(&s->heap[child + 1], &s->heap[child])) child++;
    if (!before(&s->heap[child], &last)) break;
    s->heap[at] = s->heap[child];
    at = child;
  }
  s->heap[at] = last;
  return first;
}

/* ---- workers ---- */

static void open_worker(struct simulation *s, struct worker *w) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.algorithm = UNF_ODPOR;
  options.collect = 1000;
  check(unf_context_new(NULL, &w->context), "a context");
  check(unf_unfolding_new(w->context, NULL, &w->unfolding), "an unfolding");
  check(program_bind(&s->program, w->unfolding, &w->binding), "names");
  check(unf_explorer_new(w->unfolding, &options, &w->explorer), "an explorer");
}

/* Sends a report; returns what it took. */
static double report(struct simulation *s, struct worker *w, double time, bool split) {
  unf_report told = UNF_REPORT_INIT;
  struct bytes letter = {.data = NULL};
  const double begin = now();
  check(unf_explorer_report(w->explorer, split, append, &letter, &told), "a report");
  const double took = now() - begin;
  s->letters++;
  s->bytes += letter.size;
  happen(s, (struct event){.time = time + took + s->latency,
                           .kind = TO_LEDGER,
                           .worker = (unsigned)(w - s->workers),
                           .item = w->item,
                           .finished = told.finished,
                           .letter = letter});
  if (told.finished) w->item = 0;
  return took;
}

/* A worker does what is next, and takes some time for it. */
static void work(struct simulation *s, struct worker *w, double time) {
  double took = 0;
  w->busy = false;
  if (w->item == 0 && w->item_count == 0) return;
  if (w->item == 0) {
    struct waiting *next = &w->items[w->first];
    const double begin = now();
    check(unf_explorer_begin_item(w->explorer, take, &next->letter), "an item");
    took += now() - begin;
    w->item = next->item;
    free(next->letter.data);
    w->first = (w->first + 1) % ITEMS_AT_ONCE;
    w->item_count--;
  }
  unf_run run;
  check(unf_explorer_next(w->explorer, &run), "an execution");
  if (run.finished) {
    took += report(s, w, time + took, false);
  } else {
    check(program_once(&w->binding, w->explorer), "an execution");
    s->executions++;
    s->overhead += took;
    took += s->execution;
    if (w->split) {
      const double cost = report(s, w, time + took, true);
      s->overhead += cost;
      took += cost;
    }
    w->split = false;
  }
  w->busy = true;
  happen(s,
         (struct event){.time = time + took, .kind = NEXT, .worker = (unsigned)(w - s->workers)});
}

static void wake(struct simulation *s, struct worker *w, double time) {
  if (w->busy) return;
  w->busy = true;
  happen(s, (struct event){.time = time, .kind = NEXT, .worker = (unsigned)(w - s->workers)});
}

/* ---- the ledger ---- */

static void note(struct simulation *s, struct call call) {
  if (s->call_count == s->call_room) {
    s->call_room = 2 * s->call_room + 64;
    s->calls = realloc(s->calls, s->call_room * sizeof *s->calls);
    if (s->calls == NULL) abort();
  }
  s->calls[s->call_count++] = call;
}

/* The ledger did something that took so long. */
static void spend(struct simulation *s, double took) {
  s->ledger_free += took * s->share;
  s->ledger_busy += took * s->share;
}

static void give(struct simulation *s, struct worker *w, uint64_t open) {
  uint64_t most = open / (2 * s->count) + 1, item;
  if (most > ITEMS_AT_ONCE) most = ITEMS_AT_ONCE;
  for (; most > 0; most--) {
    struct bytes letter = {.data = NULL};
    const double begin = now();
    check(unf_ledger_give(s->ledger, append, &letter, &item), "giving");
    spend(s, now() - begin);
    note(s, (struct call){0});
    if (item == 0) break;
    w->held++;
    s->letters++;
    s->bytes += letter.size;
    happen(s, (struct event){.time = s->ledger_free + s->latency,
                             .kind = TO_WORKER,
                             .worker = (unsigned)(w - s->workers),
                             .item = item,
                             .letter = letter});
  }
}

/* Gives what is open to those who have nothing; if some are left, asks the others to split. */
static void distribute(struct simulation *s) {
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  bool waiting = false;
  for (unsigned i = 0; i < s->count; i++) {
    if (s->workers[i].held > 0) continue;
    unf_ledger_look(s->ledger, &state);
    if (state.open > 0) give(s, &s->workers[i], state.open);
    waiting |= s->workers[i].held == 0;
  }
  for (unsigned i = 0; waiting && i < s->count; i++) {
    struct worker *w = &s->workers[i];
    if (w->held == 0 || w->asked) continue;
    w->asked = true;
    s->letters++;
    happen(s, (struct event){.time = s->ledger_free + s->latency, .kind = ASKED, .worker = i});
  }
}

static void take_report(struct simulation *s, struct event *event) {
  struct worker *w = &s->workers[event->worker];
  if (s->ledger_free < event->time) s->ledger_free = event->time;
  const double begin = now();
  check(unf_ledger_report(s->ledger, event->item, take, &event->letter), "taking a report");
  spend(s, now() - begin);
  event->letter.at = 0;
  note(s, (struct call){event->item, event->letter});
  w->held -= event->finished;
  w->asked = false;
  if (s->ledger_free > s->end) s->end = s->ledger_free;
  distribute(s);
}

static void handle(struct simulation *s, struct event *event) {
  struct worker *w = &s->workers[event->worker];
  switch (event->kind) {
  case TO_LEDGER:
    take_report(s, event);
    break;
  case TO_WORKER:
    w->items[(w->first + w->item_count++) % ITEMS_AT_ONCE] =
        (struct waiting){event->item, event->letter};
    wake(s, w, event->time);
    break;
  case ASKED:
    w->split = true;
    break;
  case NEXT:
    work(s, w, event->time);
    break;
  }
}

static void print(const struct simulation *s, char **names) {
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  const double n = (double)s->executions, alone = n * s->execution;
  unf_ledger_look(s->ledger, &state);
  printf("{\"program\": \"%s %s %s\", \"workers\": %u, \"execution_us\": %g, \"latency_us\": %g, "
         "\"executions\": %" PRIu64 ", \"speed_up\": %.1f, \"of_linear\": %.2f, "
         "\"ledger_busy\": %.3f, \"ledger_us_per_execution\": %.2f, \"items\": %" PRIu64
         ", \"splits\": %" PRIu64 ", \"sequences_per_execution\": %.2f, "
         "\"letters_per_execution\": %.2f, \"bytes_per_execution\": %.0f, \"most_nodes\": %" PRIu64
         "}\n",
         names[1], names[2], names[3], s->count, s->execution, s->latency, s->executions,
         alone / s->end, alone / s->end / s->count, s->ledger_busy / s->end, s->ledger_busy / n,
         state.finished, state.splits, (double)state.sequences / n, (double)s->letters / n,
         (double)s->bytes / n, state.most);
}

static void open_all(struct simulation *s) {
  s->workers = calloc(s->count, sizeof *s->workers);
  if (s->workers == NULL) abort();
  check(unf_context_new(NULL, &s->context), "a context");
  check(unf_unfolding_new(s->context, NULL, &s->names), "an unfolding");
  check(unf_ledger_new(s->names, &s->ledger), "a ledger");
  for (unsigned i = 0; i < s->count; i++)
    open_worker(s, &s->workers[i]);
}

static void close_ledger(struct simulation *s) {
  unf_ledger_free(s->ledger);
  unf_unfolding_free(s->names);
  unf_context_free(s->context);
}

static void close_all(struct simulation *s) {
  for (unsigned i = 0; i < s->count; i++) {
    unf_explorer_free(s->workers[i].explorer);
    unf_unfolding_free(s->workers[i].unfolding);
    unf_context_free(s->workers[i].context);
  }
  close_ledger(s);
  for (size_t i = 0; i < s->call_count; i++)
    free(s->calls[i].letter.data);
  free(s->calls);
  free(s->workers);
  free(s->heap);
}

static void explore(struct simulation *s) {
  open_all(s);
  distribute(s);
  while (s->heap_count > 0) {
    struct event event = next_event(s);
    handle(s, &event);
  }
}

static bool drop(void *user, const char *data, size_t size) {
  (void)user, (void)data, (void)size;
  return true;
}

/* Has a ledger do all of it again, one after the other; what that takes. */
static double do_again(struct simulation *s) {
  uint64_t item;
  check(unf_context_new(NULL, &s->context), "a context");
  check(unf_unfolding_new(s->context, NULL, &s->names), "an unfolding");
  check(unf_ledger_new(s->names, &s->ledger), "a ledger");
  const double begin = now();
  for (size_t i = 0; i < s->call_count; i++) {
    struct call *call = &s->calls[i];
    if (call->item == 0)
      check(unf_ledger_give(s->ledger, drop, NULL, &item), "giving");
    else
      check(unf_ledger_report(s->ledger, call->item, take, &call->letter), "taking a report");
  }
  return now() - begin;
}

int main(int argc, char **argv) {
  struct simulation first = {.share = 1}, s;
  if (argc != 7 || !program_make(&first.program, argv[1], atoi(argv[2]), atoi(argv[3]))) {
    fprintf(stderr, "usage: %s FAMILY A B WORKERS EXECUTION_US LATENCY_US\n", argv[0]);
    return 2;
  }
  first.count = (unsigned)atoi(argv[4]);
  first.execution = atof(argv[5]);
  first.latency = atof(argv[6]);
  if (first.count == 0 || first.execution <= 0) return 2;
  s = first;
  explore(&first);
  close_ledger(&first);
  s.share = do_again(&first) / first.ledger_busy;
  close_all(&first);
  explore(&s);
  print(&s, argv);
  close_all(&s);
  program_free(&s.program);
  return 0;
}
