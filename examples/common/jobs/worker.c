/* A worker: explores the items that it is given, reports, and gives away what is left when it is
 * asked to. */
#include "worker.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "report.h"
#include "session.h"

/* While something else is waited for. */
#define SIGN_SECONDS 0.5
/* How long nobody is listened to. */
#define LOOK_SECONDS 0.0002
/* Reports of finished items go together, up to so many bytes, or until so few items are left: more
 * come while these are explored. */
enum { REPORT_BYTES = 1 << 18, FEW_ITEMS = 2 };

/* An item that is to come. */
struct queued {
  uint64_t item;
  char *bytes;
  size_t size;
};

/* A defect in an execution that does not count yet. */
struct occurrence {
  uint64_t run, count;
  size_t defect;
};

struct worker {
  int socket;
  const struct worker_engine *engine;
  unf_explorer *explorer;
  struct wire in, out;
  struct queued queue[32];
  unsigned queue_count;
  uint64_t item;         /* 0: none */
  double sent, looked;   /* by cli_now() */
  double report_seconds; /* most between reports */
  uint64_t begun, allowed;
  bool split, stop, end; /* what it was asked to do */
  struct occurrence *occurrences;
  size_t occurrence_count, occurrence_room;
  uint64_t *counted;       /* by defect: how often it was noted */
  struct trace_name *told; /* by defect: of the execution of which the schedule was sent */
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
  struct trace_name *told = realloc(w->told, room * sizeof *told);
  if (told != NULL) w->told = told;
  if (counted == NULL || told == NULL) return false;
  memset(w->counted + w->defect_room, 0, (room - w->defect_room) * sizeof *counted);
  for (size_t i = w->defect_room; i < room; i++)
    told[i] = (struct trace_name){{0, 1}}; /* none is that */
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

/* A defect as JSON, counted so often; with the schedule, unless that was sent. */
static json_t *tell_defect(struct worker *w, size_t index, uint64_t count) {
  const struct cli_defect *defect = &w->engine->defects(w->engine->user)->items[index];
  const bool told = memcmp(&w->told[index], &defect->name, sizeof defect->name) == 0;
  const char *schedule = told ? NULL : w->engine->schedule(w->engine->user, index);
  json_t *entry = cli_saved_defect(defect);
  if (entry == NULL) return NULL;
  json_object_set_new(entry, "count", json_integer((json_int_t)count));
  if (schedule != NULL) json_object_set_new(entry, "text_of_schedule", json_string(schedule));
  w->told[index] = defect->name;
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

static void finish_frame(struct worker *w, size_t frame, struct wire_head head) {
  unf_counts counts = {0};
  if (w->explorer != NULL) unf_explorer_counts(w->explorer, &counts);
  head.begun = w->begun;
  head.redundant = counts.redundant;
  head.events = counts.events;
  wire_finish(&w->out, frame, head);
}

static void say(struct worker *w, enum wire_kind kind) {
  size_t frame;
  if (!wire_begin(&w->out, &frame)) {
    w->failed = true;
    return;
  }
  finish_frame(w, frame, (struct wire_head){.kind = kind});
  send_all(w);
}

static void report(struct worker *w, bool split) {
  unf_report told = UNF_REPORT_INIT;
  size_t frame;
  if (!wire_begin(&w->out, &frame)) {
    w->failed = true;
    return;
  }
  unf_status status = unf_explorer_report(w->explorer, split, wire_append, &w->out, &told);
  if (status != UNF_OK) {
    w->out.size = frame;
    /* What ends a report that is split ends the next execution too, before it begins. */
    w->failed = status != UNF_INTERRUPTED && status != UNF_LIMIT;
    return;
  }
  struct wire_head head = {.kind = WIRE_REPORT, .finished = told.finished, .item = w->item};
  wire_counts_add(&head.counts, &told.counts);
  wire_counts_add(&w->reported, &told.counts);
  head.more = append_json(w, tell_defects(w, told.committed));
  if (told.finished) w->item = 0;
  finish_frame(w, frame, head);
}

/* ---- from the coordinator ---- */

static bool queue_item(struct worker *w, const struct wire_head *head, const char *bytes) {
  if (w->queue_count == sizeof w->queue / sizeof w->queue[0]) return false;
  struct queued *queued = &w->queue[w->queue_count];
  queued->bytes = malloc(head->size + 1);
  if (queued->bytes == NULL) return false;
  memcpy(queued->bytes, bytes, head->size);
  queued->item = head->item;
  queued->size = head->size;
  w->queue_count++;
  return true;
}

static void take_words(struct worker *w) {
  struct wire_head head;
  char *bytes;
  while (wire_next(&w->in, &head, &bytes)) {
    if (head.kind == WIRE_ITEM && !queue_item(w, &head, bytes)) w->failed = true;
    if (head.kind == WIRE_ALLOW) w->allowed = head.begun;
    w->split |= head.kind == WIRE_SPLIT;
    w->stop |= head.kind == WIRE_STOP;
    w->end |= head.kind == WIRE_END;
  }
}

/* Waits for something from the coordinator. */
static void listen_to(struct worker *w) {
  if (w->out.size > 0) send_all(w);
  if (!w->failed && wire_read(&w->in, w->socket) <= 0) w->failed = true;
  take_words(w);
  w->looked = cli_now();
}

static void look(struct worker *w) {
  struct pollfd file = {.fd = w->socket, .events = POLLIN};
  const double now = cli_now();
  if (now - w->looked < LOOK_SECONDS) return;
  if (poll(&file, 1, 0) > 0)
    listen_to(w);
  else
    w->looked = now;
}

/* ---- items ---- */

/* Begins with the next item; waits for it. False: there is none. */
static bool take_item(struct worker *w, unf_status *status) {
  while (w->queue_count == 0 && !w->end && !w->stop && !w->failed)
    listen_to(w);
  if (w->queue_count == 0 || w->stop || w->failed) return false;
  struct queued next = w->queue[0];
  struct wire_bytes item = {next.bytes, next.size, 0};
  memmove(w->queue, w->queue + 1, --w->queue_count * sizeof w->queue[0]);
  *status = unf_explorer_begin_item(w->explorer, wire_take, &item);
  w->item = next.item;
  free(next.bytes);
  return *status == UNF_OK;
}

/* Whether the worker may begin one more execution; waits for that. */
static bool may_go_on(struct worker *w) {
  bool asked = false;
  while (w->begun >= w->allowed && !w->stop && !w->failed) {
    if (!asked) say(w, WIRE_ASK);
    asked = true;
    listen_to(w);
  }
  if (w->stop || w->failed) return false;
  w->begun++;
  return true;
}

/* Between two executions. A split while it waits for leave is answered with the next execution. */
static void look_around(struct worker *w) {
  look(w);
  const bool split = w->split;
  if (!split && w->looked - w->sent < w->report_seconds) return;
  report(w, split);
  w->split = false;
  send_all(w);
}

/* Explores the item, until a report says that it is finished. False: the worker is to end, *stopped
 * may say why. */
static bool explore_item(struct worker *w, unf_status *status, const char **stopped) {
  unf_run run;
  while (w->item != 0) {
    *status = unf_explorer_next(w->explorer, &run);
    if (*status != UNF_OK) return false;
    if (run.finished) break;
    if (!may_go_on(w)) {
      unf_explorer_abandon(w->explorer);
      return false;
    }
    *status = w->engine->execute(w->engine->user, w->explorer, &run);
    *stopped = w->engine->stopped(w->engine->user);
    if (!note_defects(w, run.number)) w->failed = true;
    if (*status != UNF_OK || *stopped != NULL || w->failed) return false;
    look_around(w);
    if (w->failed) return false;
  }
  if (w->item != 0) report(w, false);
  const bool due = w->out.size > REPORT_BYTES || cli_now() - w->sent > w->report_seconds;
  if (due || w->queue_count == FEW_ITEMS) send_all(w);
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
  if (stopped == NULL) stopped = w->engine->stopped(w->engine->user); /* by what that found */
  json_t *all = json_pack("{s:s?, s:s?, s:I, s:I, s:I, s:I, s:o*}", "stopped", stopped,
                          "uncontrolled", uncontrolled, "events", (json_int_t)counts.events,
                          "resumed", (json_int_t)counts.resumed, "collected",
                          (json_int_t)counts.collected, "peak", (json_int_t)cli_peak_rss(), "known",
                          w->engine->known != NULL ? w->engine->known(w->engine->user) : NULL);
  if (!wire_begin(&w->out, &frame)) return;
  append_json(w, all);
  head.more = append_json(w, tell_defects(w, UINT64_MAX));
  finish_frame(w, frame, head);
  send_all(w);
}

void worker_wait(struct worker *w) {
  if (cli_now() - w->sent > SIGN_SECONDS) say(w, WIRE_SIGN);
}

void worker_run(int socket, const struct worker_engine *engine) {
  struct worker w = {
      .socket = socket, .engine = engine, .report_seconds = wire_report_seconds(engine->workers)};
  const char *stopped = NULL;
  w.sent = w.looked = cli_now();
  unf_status status = engine->open(engine->user, &w, &w.explorer);
  while (status == UNF_OK && !w.failed && take_item(&w, &status))
    if (!explore_item(&w, &status, &stopped)) break;
  if (w.explorer != NULL && !w.failed) leave(&w, status, stopped);
  unf_explorer_free(w.explorer);
  for (unsigned i = 0; i < w.queue_count; i++)
    free(w.queue[i].bytes);
  wire_free(&w.in);
  wire_free(&w.out);
  free(w.occurrences);
  free(w.counted);
  free(w.told);
}
