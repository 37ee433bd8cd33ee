/* The coordinator: gives items away, takes reports, asks for splits, replaces workers that died. */
#define _GNU_SOURCE
#include "jobs.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "go_on.h"
#include "ranks.h"
#include "report.h"
#include "session.h"
#include "text.h"

enum {
  ITEMS_AT_ONCE = 16,
  FEW_ITEMS = 3,   /* that a worker goes on with while more are on their way */
  LOSSES_MOST = 8, /* without any item that was finished in between */
  WAIT_MS = 100,
  WAIT_FOR_SPLIT_MS = 2,
  WAIT_ALONE_MS = 4,
  SILENT_SECONDS = 60,
  GAP_SECONDS = 1,
  ALONE_MS = 8 /* what takes less is not worth more processes */
};

/* Seconds between commits with a journal. */
#define COMMIT_SOON 0.1
#define COMMIT_LATE 10.0
#define COMMITS     20.0

/* ---- how many ---- */

/* Processors that the quota of the control group gives, rounded up; 0: there is none. */
static unsigned quota(void) {
  char text[64];
  double most, period;
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
  if (file == NULL) return 0;
  bool limited = fgets(text, sizeof text, file) != NULL &&
                 sscanf(text, "%lf %lf", &most, &period) == 2 && period > 0;
  fclose(file);
  if (!limited) return 0;
  const unsigned whole = (unsigned)(most / period);
  return whole < most / period ? whole + 1 : whole;
}

unsigned jobs_count(const struct cli_options *options) {
  cpu_set_t set;
  unsigned count = 1;
  if (options->mpi) return ranks_count() - 1;
  if (options->jobs > 0) return (unsigned)options->jobs;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = (unsigned)CPU_COUNT(&set);
  const unsigned given = quota();
  if (given > 0 && given < count) count = given;
  return count < JOBS_MOST ? count : JOBS_MOST;
}

/* ---- workers begin ---- */

static const struct transport_kind *reach(const struct jobs *j) {
  return j->transport.kind;
}

static bool begin_worker(struct jobs *j, unsigned number) {
  struct jobs_worker *w = &j->workers[number];
  if (!reach(j)->begin(&j->transport, number)) return false;
  w->in.size = w->in.at = w->out.size = w->out.at = 0;
  w->item_count = 0;
  w->ending = w->asked = w->waiting = w->missed = false;
  w->begun_before += w->begun;
  w->begun = w->allowed = 0;
  w->idle_since = w->heard = cli_now();
  return true;
}

/* Begins workers until there are so many. */
static void begin_until(struct jobs *j, unsigned count) {
  for (; j->begun < count; j->begun++)
    if (!begin_worker(j, j->begun)) jobs_stop(j, "workers");
}

/* How many workers begin at once: all where some of it was done before. Else, unless it is said how
 * long the first one goes on alone, two: another processor makes the second one ready while the
 * first begins. */
static unsigned first_of(const struct jobs *j) {
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  unf_ledger_look(j->ledger, &state);
  if (j->options->worker_delay == 0 || state.open + state.given > 1) return j->count;
  return j->options->worker_delay == CLI_NUMBER_NONE && j->count > 1 ? 2 : 1;
}

static void begin_others(struct jobs *j) {
  const int64_t given = j->options->worker_delay;
  const int64_t delay = given != CLI_NUMBER_NONE ? given : ALONE_MS;
  if (j->explored > 0 && cli_now() - j->explored >= 1e-3 * (double)delay) begin_until(j, j->count);
}

static void send_word(struct jobs *j, unsigned number, struct wire_head head) {
  struct jobs_worker *w = &j->workers[number];
  size_t frame;
  if (!wire_begin(&w->out, &frame)) return;
  wire_finish(&w->out, frame, head);
  reach(j)->send(&j->transport, number, &w->out);
}

/* ---- what was found ---- */

void jobs_stop(struct jobs *j, const char *why) {
  if (j->stopped == NULL && why != NULL) j->stopped = why;
  j->stop = true;
}

/* A word that was sent, as one that stays. */
static const char *stop_word(const json_t *word) {
  static const char *const words[] = {"executions", "interrupt", "seconds", "memory",  "events",
                                      "race",       "runtime",   "first",   "workers", "again"};
  const char *text = json_string_value(word);
  for (size_t i = 0; text != NULL && i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i], text) == 0) return words[i];
  return NULL;
}

static void merge_defects(struct jobs *j, const json_t *list) {
  size_t i;
  json_t *entry;
  json_array_foreach(list, i, entry) {
    size_t described;
    const char *schedule = json_string_value(json_object_get(entry, "text_of_schedule"));
    if (!cli_saved_defect_merge(j->defects, entry, &described))
      cli_say(stderr, "%s: no memory for a defect", cli_program_name(CLI_MODEL));
    else if (described < SIZE_MAX && schedule != NULL &&
             !j->keep_schedule(j->user, described, schedule))
      jobs_stop(j, "memory");
  }
  if (json_array_size(list) > 0 && j->options->stop_at_first) jobs_stop(j, "first");
}

void jobs_add_counts(struct jobs *j, const struct wire_counts *counts) {
#define JOBS_ADD(field) j->counts.field += counts->field;
  WIRE_COUNTS(JOBS_ADD)
#undef JOBS_ADD
}

/* What was found, as behind a report; for the journal it is in `kept` then. */
static void take_found(struct jobs *j, unsigned number, const char *bytes, size_t size) {
  struct wire *kept = journal_is_on(&j->journal) ? &j->kept : NULL;
  bool good = true;
  j->kept.size = j->kept.at = 0;
  if (size == 0) return;
  if (j->front != NULL) {
    good = j->front->found(j->user, number, bytes, size, kept);
  } else {
    good =
        jobs_take_found_before(j, bytes, size) && (kept == NULL || wire_append(kept, bytes, size));
  }
  if (!good) jobs_stop(j, "memory");
}

bool jobs_take_found_before(struct jobs *j, const char *bytes, size_t size) {
  if (size == 0) return true;
  if (j->front != NULL) return j->front->found_before(j->user, bytes, size);
  json_t *defects = json_loadb(bytes, size, 0, NULL);
  merge_defects(j, defects);
  json_decref(defects);
  return defects != NULL;
}

static void take_report(struct jobs *j, unsigned number, const struct wire_head *head,
                        const char *bytes) {
  struct jobs_worker *w = &j->workers[number];
  struct wire_bytes letter = {bytes, head->size, 0};
  unf_status status = UNF_OK;
  if (!w->missed) status = unf_ledger_report(j->ledger, head->item, wire_take, &letter);
  if (status != UNF_OK) { /* nothing is known to be wrong with the program */
    w->missed = true;
    jobs_stop(j, cli_stop_word(j->context, status));
    if (j->stopped == NULL)
      snprintf(j->uncontrolled, sizeof j->uncontrolled, "a report of a worker: %s",
               unf_context_detail(j->context)->text);
  }
  jobs_add_counts(j, &head->counts);
  take_found(j, number, bytes + head->size, head->more);
  w->executions += head->counts.executions;
  if (w->missed) return; /* for the ledger and the journal it is as though the worker were lost */
  journal_report(&j->journal, head, bytes, &j->kept);
  w->asked = false;
  w->committed = cli_now();
  w->reports++;
  if (!head->finished) return;
  w->finished++;
  j->losses_since = 0;
  for (unsigned i = 0; i < w->item_count; i++)
    if (w->items[i] == head->item) w->items[i] = w->items[--w->item_count];
  if (w->item_count == 0) w->idle_since = cli_now();
}

static void take_leave(struct jobs *j, unsigned number, const struct wire_head *head,
                       const char *bytes) {
  struct jobs_worker *w = &j->workers[number];
  json_t *left = json_loadb(bytes, head->size, 0, NULL);
  const char *uncontrolled = json_string_value(json_object_get(left, "uncontrolled"));
  const char *stopped = stop_word(json_object_get(left, "stopped"));
  jobs_add_counts(j, &head->counts);
  w->executions += head->counts.executions;
  take_found(j, number, bytes + head->size, head->more);
  j->held.events += (uint64_t)json_integer_value(json_object_get(left, "events"));
  j->held.resumed += (uint64_t)json_integer_value(json_object_get(left, "resumed"));
  j->held.collected += (uint64_t)json_integer_value(json_object_get(left, "collected"));
  if (j->learn != NULL) j->learn(j->user, json_object_get(left, "known"));
  json_decref(w->left);
  w->left = left;
  w->ending = true;
  if (uncontrolled != NULL && j->uncontrolled[0] == '\0')
    snprintf(j->uncontrolled, sizeof j->uncontrolled, "%s",
             uncontrolled[0] != '\0' ? uncontrolled : "?");
  if (stopped == NULL && uncontrolled == NULL) return;
  if (!j->stop && j->decided == 0) j->decided = number + 1;
  jobs_stop(j, stopped);
}

/* ---- workers go on ---- */

static void close_worker(struct jobs *j, unsigned number) {
  struct jobs_worker *w = &j->workers[number];
  if (!j->transport.peers[number].there) return;
  if (w->item_count == 0 && w->idle_since > 0) w->idle += cli_now() - w->idle_since;
  reach(j)->end(&j->transport, number);
  if (j->front != NULL) j->front->gone(j->user, number, j->decided == number + 1);
}

static void take_back(struct jobs *j, uint64_t item) {
  if (unf_ledger_take_back(j->ledger, item) == UNF_OK)
    journal_took_back(&j->journal, item);
  else
    jobs_stop(j, "memory");
}

/* A worker is gone. Unless it said so, what it had is given away again. */
static void lose(struct jobs *j, unsigned number) {
  struct jobs_worker *w = &j->workers[number];
  close_worker(j, number);
  if (w->ending) return;
  for (unsigned i = 0; i < w->item_count; i++)
    take_back(j, w->items[i]);
  w->item_count = 0;
  j->losses++;
  if (j->ending) return; /* nobody waits for it */
  if (++j->losses_since > LOSSES_MOST || !begin_worker(j, number)) jobs_stop(j, "workers");
}

/* What executions have seen stands in the journal in front of the report that counts them. */
static void take_state(struct jobs *j, unsigned number, const char *bytes, size_t size) {
  bool good = j->front != NULL && j->front->state(j->user, number, bytes, size);
  if (good && journal_is_on(&j->journal)) {
    j->kept.size = j->kept.at = 0;
    good = j->front->save(j->user, false, &j->kept);
    if (good && j->kept.size > 0) journal_front(&j->journal, &j->kept);
  }
  if (!good) jobs_stop(j, "memory");
}

static void take_frame(struct jobs *j, unsigned number, const struct wire_head *head,
                       const char *bytes) {
  struct jobs_worker *w = &j->workers[number];
  w->bytes += sizeof *head + head->size + head->more;
  w->begun = head->begun;
  if (w->begun > 0 && j->explored == 0) j->explored = cli_now();
  w->redundant = head->redundant;
  w->events = head->events;
  switch (head->kind) {
  case WIRE_REPORT:
    take_report(j, number, head, bytes);
    break;
  case WIRE_LEFT:
    take_leave(j, number, head, bytes);
    break;
  case WIRE_STATE:
    take_state(j, number, bytes, head->size);
    break;
  case WIRE_SIGN:
    take_found(j, number, bytes + head->size, head->more);
    break;
  case WIRE_ASK:
    w->waiting = true;
    break;
  default:
    break;
  }
}

static void hear(struct jobs *j, unsigned number) {
  struct jobs_worker *w = &j->workers[number];
  struct wire_head head;
  char *bytes;
  const enum heard heard = reach(j)->receive(&j->transport, number, &w->in);
  if (heard == HEARD_NOTHING) return;
  w->heard = cli_now();
  while (wire_next(&w->in, &head, &bytes))
    take_frame(j, number, &head, bytes);
  if (heard == HEARD_END) lose(j, number);
}

/* ---- how many executions ---- */

static uint64_t begun_of(const struct jobs_worker *w) {
  return w->begun_before + w->begun;
}

/* What a worker may still begin counts as begun, unless it has no item: then it begins nothing. */
static uint64_t promised(const struct jobs *j) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < j->count; i++) {
    const struct jobs_worker *w = &j->workers[i];
    const bool busy = j->transport.peers[i].there && w->item_count > 0 && w->allowed > w->begun;
    sum += w->begun_before + (busy ? w->allowed : w->begun);
  }
  return sum;
}

/* Lets workers begin executions that have items and may not. Unless any may, the limit is reached.
 */
static void allow(struct jobs *j) {
  const uint64_t most = j->options->max_executions;
  uint64_t begun = 0;
  for (unsigned i = 0; i < j->count && most > 0; i++)
    begun += begun_of(&j->workers[i]);
  if (most > 0 && begun >= most) jobs_stop(j, "executions");
  for (unsigned i = 0; i < j->count && !j->stop; i++) {
    struct jobs_worker *w = &j->workers[i];
    if (!w->waiting || w->item_count == 0) continue;
    const uint64_t sum = promised(j);
    if (most > 0 && sum >= most) break;
    const uint64_t share = most > 0 ? (most - sum) / (2 * j->count) : UINT64_MAX;
    w->allowed = most > 0 ? w->begun + (share > 0 ? share : 1) : UINT64_MAX;
    w->waiting = false;
    send_word(j, i, (struct wire_head){.kind = WIRE_ALLOW, .begun = w->allowed});
  }
}

/* What a worker did not use of what it may begin others may. */
static bool take_leave_back(struct jobs_worker *w) {
  size_t frame;
  if (!wire_begin(&w->out, &frame)) return false;
  w->allowed = w->begun;
  wire_finish(&w->out, frame, (struct wire_head){.kind = WIRE_ALLOW, .begun = w->begun});
  return true;
}

/* ---- who does what ---- */

/* As many items as the share of a worker is. */
static uint64_t share_of(const struct jobs *j, uint64_t open) {
  const uint64_t share = open / (2 * j->count) + 1;
  return share < ITEMS_AT_ONCE ? share : ITEMS_AT_ONCE;
}

/* Whether a worker has nothing, or, where all have enough to do, little. */
static bool needs_items(const struct jobs *j, const struct jobs_worker *w, uint64_t open) {
  if (open == 0 || w->item_count == 0) return open > 0;
  return w->item_count <= FEW_ITEMS && share_of(j, open) == ITEMS_AT_ONCE &&
         w->allowed == UINT64_MAX;
}

/* Gives a worker its share of items. False: it cannot be given one. */
static bool give(struct jobs *j, unsigned number, uint64_t open) {
  struct jobs_worker *w = &j->workers[number];
  const uint64_t most = share_of(j, open);
  const bool idle = w->item_count == 0;
  w->waiting = idle && w->allowed < UINT64_MAX;
  if (w->waiting && !take_leave_back(w)) return false;
  while (w->item_count < most) {
    size_t frame;
    uint64_t item;
    if (!wire_begin(&w->out, &frame)) return false;
    unf_status status = unf_ledger_give(j->ledger, wire_append, &w->out, &item);
    if (status != UNF_OK || item == 0) {
      w->out.size = frame;
      if (status != UNF_OK) return false;
      break;
    }
    wire_finish(&w->out, frame, (struct wire_head){.kind = WIRE_ITEM, .item = item});
    journal_gave(&j->journal, item);
    w->items[w->item_count++] = item;
  }
  if (idle && w->item_count > 0) w->idle += cli_now() - w->idle_since;
  w->bytes += w->out.size - w->out.at;
  reach(j)->send(&j->transport, number, &w->out);
  return true;
}

/* Executions of an item count when it is split, so that with a journal this is asked for now and
 * then: soon at first, then less and less often. */
static bool is_commit_due(const struct jobs *j, const struct jobs_worker *w) {
  if (j->journal.folder == NULL) return false;
  const double now = cli_now(), last = w->committed > j->begin ? w->committed : j->begin;
  const double share = (last - j->begin) / COMMITS;
  return now - last > (share < COMMIT_SOON   ? COMMIT_SOON
                       : share > COMMIT_LATE ? COMMIT_LATE
                                             : share);
}

/* Gives what is open to those who have nothing; then asks the others to give something away.
 * Returns whether some wait for that, and unsets *any if nobody has anything. */
static bool distribute(struct jobs *j, bool *any) {
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  bool waiting = false;
  *any = false;
  for (unsigned i = 0; i < j->count; i++) {
    struct jobs_worker *w = &j->workers[i];
    unf_ledger_look(j->ledger, &state);
    if (!j->transport.peers[i].there) continue;
    if (needs_items(j, w, state.open) && !give(j, i, state.open)) jobs_stop(j, "memory");
    waiting |= w->item_count == 0;
    *any |= w->item_count > 0;
  }
  for (unsigned i = 0; i < j->count; i++) {
    struct jobs_worker *w = &j->workers[i];
    if (w->item_count == 0 || w->asked) continue;
    if (!waiting && !is_commit_due(j, w)) continue;
    w->asked = true;
    send_word(j, i, (struct wire_head){.kind = WIRE_SPLIT});
  }
  return waiting;
}

static void show_progress(struct jobs *j) {
  unf_progress all = {.left = -1, .left_error = -1};
  for (unsigned i = 0; i < j->count; i++) {
    all.runs += begun_of(&j->workers[i]);
    all.redundant += j->workers[i].redundant;
    all.events += j->workers[i].events;
  }
  cli_progress_report(j->progress, &all);
}

/* Waits for what workers say. */
static void listen_to_all(struct jobs *j, int wait) {
  reach(j)->wait(&j->transport, wait);
  for (unsigned i = 0; i < j->count; i++) {
    if (!j->transport.peers[i].there) continue;
    if (j->transport.peers[i].full) reach(j)->send(&j->transport, i, &j->workers[i].out);
    hear(j, i);
  }
}

/* Ends workers that give no sign. Nobody is to blame for the time in which this process itself did
 * not run. */
static void watch_all(struct jobs *j) {
  const double most = j->options->worker_seconds > 0 ? j->options->worker_seconds : SILENT_SECONDS;
  const double now = cli_now(), gap = now - j->looked;
  for (unsigned i = 0; i < j->count; i++) {
    struct jobs_worker *w = &j->workers[i];
    if (gap > GAP_SECONDS) w->heard += gap;
    if (j->transport.peers[i].there && now - w->heard > most) lose(j, i);
  }
  j->looked = now;
}

static bool is_over_time(const struct jobs *j) {
  return j->max_seconds > 0 && cli_now() - j->begin > j->max_seconds;
}

static bool is_interrupted(const struct jobs *j) {
  return j->front != NULL ? j->front->interrupted(j->user) : cli_interrupt_came();
}

static bool any_there(const struct jobs *j) {
  bool any = false;
  for (unsigned i = 0; i < j->count; i++)
    any |= j->transport.peers[i].there;
  return any;
}

/* All are told that there is nothing left to do, or are interrupted, and what they have to say is
 * heard. */
static void end_all(struct jobs *j) {
  j->ending = true;
  for (unsigned i = 0; i < j->count; i++) {
    if (!j->transport.peers[i].there) continue;
    send_word(j, i, (struct wire_head){.kind = j->stop ? WIRE_STOP : WIRE_END});
    if (j->stop && j->workers[i].item_count > 0) reach(j)->interrupt(&j->transport, i);
  }
  while (any_there(j)) {
    listen_to_all(j, WAIT_MS);
    watch_all(j);
  }
}

bool jobs_run(struct jobs *j) {
  bool any = true, good = true;
  j->begin = j->looked = cli_now();
  j->transport.count = j->count;
  if (j->ledger == NULL && unf_ledger_new(j->unfolding, &j->ledger) != UNF_OK) return false;
  jobs_save(j);
  good = begin_worker(j, 0);
  if (!good) jobs_stop(j, "workers");
  j->begun = 1;
  begin_until(j, good ? first_of(j) : 1);
  while (!j->stop) {
    if (j->begun < j->count) begin_others(j);
    const bool waiting = distribute(j, &any);
    if (!any) break;
    allow(j);
    const int idle = j->begun == j->count ? WAIT_MS : WAIT_ALONE_MS;
    listen_to_all(j, waiting ? WAIT_FOR_SPLIT_MS : idle);
    /* What counts and is not in the ledger, at the end, is not for a new segment. */
    if (journal_sync(&j->journal) && !j->stop) jobs_save(j);
    watch_all(j);
    show_progress(j);
    if (is_interrupted(j)) jobs_stop(j, "interrupt");
    if (is_over_time(j)) jobs_stop(j, "seconds");
  }
  end_all(j);
  journal_end(&j->journal);
  j->finished = !any && j->stopped == NULL && j->uncontrolled[0] == '\0';
  return good;
}

void jobs_free(struct jobs *j) {
  unf_ledger_free(j->ledger);
  wire_free(&j->kept);
  for (unsigned i = 0; i < j->count; i++) {
    wire_free(&j->workers[i].in);
    wire_free(&j->workers[i].out);
    json_decref(j->workers[i].left);
  }
}

/* ---- reported ---- */

static json_t *worker_json(const struct jobs_worker *w) {
  const json_t *left = w->left;
  return json_pack("{s:I, s:I, s:I, s:I, s:f, s:I, s:I}", "executions", (json_int_t)w->executions,
                   "items", (json_int_t)w->finished, "reports", (json_int_t)w->reports, "bytes",
                   (json_int_t)w->bytes, "waiting", w->idle, "events",
                   json_integer_value(json_object_get(left, "events")), "peak_rss_bytes",
                   json_integer_value(json_object_get(left, "peak")));
}

json_t *jobs_json(const struct jobs *j) {
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  json_t *workers = json_array();
  unf_ledger_look(j->ledger, &state);
  for (unsigned i = 0; i < j->count; i++)
    json_array_append_new(workers, worker_json(&j->workers[i]));
  return json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "ranks", j->options->mpi,
                   "lost", (json_int_t)j->losses, "items", (json_int_t)state.finished, "splits",
                   (json_int_t)state.splits, "sequences", (json_int_t)state.sequences, "inserted",
                   (json_int_t)state.inserted, "nodes", (json_int_t)state.most, "bytes",
                   (json_int_t)state.bytes, "workers", workers);
}

static int64_t number_of(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

void jobs_print(const json_t *told) {
  const json_t *workers = json_object_get(told, "workers");
  size_t i;
  json_t *worker;
  printf("  %s%zu, %" PRId64 " lost; %" PRId64 " items, %" PRId64 " splits, %" PRId64
         " sequences sent, %" PRId64 " of them new\n",
         json_is_true(json_object_get(told, "ranks")) ? "ranks       " : "workers     ",
         json_array_size(workers), number_of(told, "lost"), number_of(told, "items"),
         number_of(told, "splits"), number_of(told, "sequences"), number_of(told, "inserted"));
  json_array_foreach(workers, i, worker)
      printf("    %-3zu %12" PRId64 " executions, %" PRId64 " items, waited %.3f s\n", i + 1,
             number_of(worker, "executions"), number_of(worker, "items"),
             json_number_value(json_object_get(worker, "waiting")));
}
