/* A worker: explores the items that it is given, reports, and gives away what is left when it is
 * asked to. */
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "report.h"
#include "session.h"

/* Reports of finished items go together, up to so many seconds and bytes. */
#define REPORT_SECONDS 0.05
enum { REPORT_BYTES = 1 << 18, LOOK_EVERY = 16 };

/* A defect in an execution that does not count yet. */
struct occurrence {
  uint64_t run, count;
  size_t defect;
};

struct worker {
  struct jobs_page *page;
  unsigned number;
  int socket;
  const struct cli_options *options;
  const struct worker_engine *engine;
  unf_explorer *explorer;
  struct wire in, out;
  uint64_t item; /* 0: none */
  double sent;   /* by cli_now() */
  uint64_t executed;
  struct occurrence *occurrences;
  size_t occurrence_count, occurrence_room;
  uint64_t *counted; /* by defect: how often it was noted */
  bool *told;        /* by defect: what is known of it was sent */
  size_t defect_room;
  struct wire_counts reported; /* of all reports */
  bool failed;                 /* no memory, or nobody listens */
};

/* ---- what was found ---- */

static bool grow_defects(struct worker *w, size_t count) {
  if (count <= w->defect_room) return true;
  const size_t room = 2 * count;
  uint64_t *counted = realloc(w->counted, room * sizeof *counted);
  if (counted != NULL) w->counted = counted;
  bool *told = realloc(w->told, room * sizeof *told);
  if (told != NULL) w->told = told;
  if (counted == NULL || told == NULL) return false;
  memset(w->counted + w->defect_room, 0, (room - w->defect_room) * sizeof *counted);
  memset(w->told + w->defect_room, 0, (room - w->defect_room) * sizeof *told);
  w->defect_room = room;
  return true;
}

static bool note(struct worker *w, struct occurrence o) {
  if (w->occurrence_count == w->occurrence_room) {
    const size_t room = 2 * w->occurrence_room + 16;
    struct occurrence *bigger = realloc(w->occurrences, room * sizeof *bigger);
    if (bigger == NULL) return false;
    w->occurrences = bigger;
    w->occurrence_room = room;
  }
  w->occurrences[w->occurrence_count++] = o;
  return true;
}

/* Notes what an execution has. */
static bool note_defects(struct worker *w, uint64_t run) {
  const struct cli_defects *defects = w->engine->defects(w->engine->user);
  if (!grow_defects(w, defects->count)) return false;
  for (size_t i = 0; i < defects->count; i++) {
    const uint64_t more = defects->items[i].count - w->counted[i];
    if (more == 0) continue;
    if (!note(w, (struct occurrence){run, more, i})) return false;
    w->counted[i] += more;
  }
  return true;
}

/* A defect as JSON, counted so often; all of it the first time. */
static json_t *tell_defect(struct worker *w, size_t index, uint64_t count) {
  const char *schedule = w->told[index] ? NULL : w->engine->schedule(w->engine->user, index);
  json_t *entry = cli_saved_defect(&w->engine->defects(w->engine->user)->items[index]);
  if (entry == NULL) return NULL;
  json_object_set_new(entry, "count", json_integer((json_int_t)count));
  if (schedule != NULL) json_object_set_new(entry, "text_of_schedule", json_string(schedule));
  w->told[index] = true;
  return entry;
}

/* The defects of executions up to a number, NULL if there are none. */
static json_t *tell_defects(struct worker *w, uint64_t until) {
  json_t *list = NULL;
  size_t count = 0;
  for (size_t i = 0; i < w->occurrence_count && w->occurrences[i].run <= until; i++)
    count++;
  for (size_t i = 0; i < count; i++) {
    uint64_t sum = w->occurrences[i].count;
    if (sum == 0) continue;
    for (size_t j = i + 1; j < count; j++) {
      if (w->occurrences[j].defect != w->occurrences[i].defect) continue;
      sum += w->occurrences[j].count;
      w->occurrences[j].count = 0;
    }
    if (list == NULL) list = json_array();
    if (json_array_append_new(list, tell_defect(w, w->occurrences[i].defect, sum)) != 0)
      w->failed = true;
  }
  w->occurrence_count -= count;
  if (count > 0)
    memmove(w->occurrences, w->occurrences + count, w->occurrence_count * sizeof *w->occurrences);
  return list;
}

/* Appends JSON to the frame at hand, and takes it; its size. */
static uint32_t append_json(struct worker *w, json_t *json) {
  char *text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
  const size_t size = text != NULL ? strlen(text) : 0;
  w->failed = w->failed || (json != NULL && text == NULL) || !wire_append(&w->out, text, size);
  free(text);
  json_decref(json);
  return (uint32_t)size;
}

/* ---- reports ---- */

static void send_all(struct worker *w) {
  if (!wire_write(&w->out, w->socket)) w->failed = true;
  w->sent = cli_now();
}

static void report(struct worker *w, bool split) {
  unf_report told = UNF_REPORT_INIT;
  size_t frame;
  if (!wire_begin(&w->out, &frame)) {
    w->failed = true;
    return;
  }
  if (unf_explorer_report(w->explorer, split, wire_append, &w->out, &told) != UNF_OK) {
    w->out.size = frame;
    w->failed = true;
    return;
  }
  struct wire_head head = {.kind = WIRE_REPORT, .finished = told.finished, .item = w->item};
  wire_counts_add(&head.counts, &told.counts);
  wire_counts_add(&w->reported, &told.counts);
  head.more = append_json(w, tell_defects(w, told.committed));
  if (told.finished) w->item = 0;
  wire_finish(&w->out, frame, head);
}

/* ---- items ---- */

/* Begins with the next item; waits for it. False: there is none. */
static bool take_item(struct worker *w, unf_status *status) {
  struct wire_head head;
  char *bytes;
  while (!wire_next(&w->in, &head, &bytes)) {
    if (w->out.size > 0) send_all(w);
    if (w->failed || wire_read(&w->in, w->socket) <= 0) return false;
  }
  if (head.kind != WIRE_ITEM) return false;
  struct wire_bytes item = {bytes, head.size, 0};
  *status = unf_explorer_begin_item(w->explorer, wire_take, &item);
  w->item = head.item;
  return *status == UNF_OK;
}

/* Whether the worker may begin one more execution. */
static bool may_go_on(struct worker *w) {
  const uint64_t most = w->options->max_executions;
  if (atomic_load_explicit(&w->page->stop, memory_order_relaxed)) return false;
  return most == 0 ||
         atomic_fetch_add_explicit(&w->page->executions, 1, memory_order_relaxed) < most;
}

static void show(struct worker *w) {
  unf_counts counts;
  unf_explorer_counts(w->explorer, &counts);
  atomic_store_explicit(&w->page->workers[w->number].executions, counts.executions,
                        memory_order_relaxed);
  atomic_store_explicit(&w->page->workers[w->number].redundant, counts.redundant,
                        memory_order_relaxed);
  atomic_store_explicit(&w->page->workers[w->number].events, counts.events, memory_order_relaxed);
}

/* Between two executions. */
static void look_around(struct worker *w) {
  _Atomic bool *split = &w->page->workers[w->number].split;
  if (w->executed++ % LOOK_EVERY == 0) show(w);
  if (atomic_load_explicit(split, memory_order_relaxed)) {
    report(w, true);
    atomic_store_explicit(split, false, memory_order_relaxed);
    send_all(w);
  } else if (w->executed % LOOK_EVERY == 0 && cli_now() - w->sent > REPORT_SECONDS) {
    report(w, false);
    send_all(w);
  }
}

/* Explores the item. False: the worker is to end, *stopped may say why. */
static bool explore_item(struct worker *w, unf_status *status, const char **stopped) {
  unf_run run;
  for (;;) {
    *status = unf_explorer_next(w->explorer, &run);
    if (*status != UNF_OK) return false;
    if (run.finished) break;
    if (!may_go_on(w)) {
      unf_explorer_abandon(w->explorer);
      *stopped = atomic_load(&w->page->stop) ? NULL : "executions";
      return false;
    }
    *status = w->engine->execute(w->engine->user, w->explorer, &run);
    *stopped = w->engine->stopped(w->engine->user);
    if (!note_defects(w, run.number)) w->failed = true;
    if (*status != UNF_OK || *stopped != NULL || w->failed) return false;
    look_around(w);
  }
  report(w, false);
  if (w->out.size > REPORT_BYTES || cli_now() - w->sent > REPORT_SECONDS) send_all(w);
  return !w->failed;
}

/* ---- the end ---- */

/* What of a worker that ends early did not count yet: nobody makes it again. */
static void leave(struct worker *w, unf_status status, const char *stopped) {
  struct wire_head head = {.kind = WIRE_LEFT};
  unf_counts counts = {0};
  size_t frame;
  unf_explorer_counts(w->explorer, &counts);
  wire_counts_add(&head.counts, &counts);
#define WIRE_SUBTRACT(field) head.counts.field -= w->reported.field;
  WIRE_COUNTS(WIRE_SUBTRACT)
#undef WIRE_SUBTRACT
  if (stopped == NULL && status != UNF_OK) stopped = cli_stop_word(w->engine->context, status);
  const char *uncontrolled =
      stopped == NULL && status != UNF_OK ? w->engine->uncontrolled(w->engine->user, status) : NULL;
  json_t *defects = tell_defects(w, UINT64_MAX);
  json_t *all = json_pack(
      "{s:s?, s:s?, s:I, s:I, s:I, s:I, s:o*}", "stopped", stopped, "uncontrolled", uncontrolled,
      "events", (json_int_t)counts.events, "resumed", (json_int_t)counts.resumed, "collected",
      (json_int_t)counts.collected, "peak", (json_int_t)cli_peak_rss(), "defects", defects);
  if (!wire_begin(&w->out, &frame)) return;
  head.more = append_json(w, all);
  wire_finish(&w->out, frame, head);
  send_all(w);
}

void worker_run(struct jobs_page *page, unsigned number, int socket,
                const struct cli_options *options, const struct worker_engine *engine) {
  struct worker w = {
      .page = page, .number = number, .socket = socket, .options = options, .engine = engine};
  const char *stopped = NULL;
  unf_status status = engine->open(engine->user, &w.explorer);
  w.sent = cli_now();
  while (status == UNF_OK && !w.failed && take_item(&w, &status))
    if (!explore_item(&w, &status, &stopped)) break;
  if (w.explorer != NULL && !w.failed) leave(&w, status, stopped);
  unf_explorer_free(w.explorer);
  wire_free(&w.in);
  wire_free(&w.out);
  free(w.occurrences);
  free(w.counted);
  free(w.told);
}
