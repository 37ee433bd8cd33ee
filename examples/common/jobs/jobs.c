/* The coordinator: gives items away, takes reports, asks for splits, replaces workers that died. */
#define _GNU_SOURCE
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report.h"
#include "session.h"
#include "text.h"

enum {
  ITEMS_AT_ONCE = 16,
  LOSSES_MOST = 8, /* without any item that was finished in between */
  WAIT_MS = 100,
  WAIT_FOR_SPLIT_MS = 2
};

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
  if (options->jobs > 0) return (unsigned)options->jobs;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = (unsigned)CPU_COUNT(&set);
  const unsigned given = quota();
  if (given > 0 && given < count) count = given;
  return count < JOBS_MOST ? count : JOBS_MOST;
}

/* ---- workers begin ---- */

/* In the new process. Of a coordinator that dies its workers die too. */
static void become_worker(struct jobs *j, unsigned number, int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (unsigned i = 0; i < j->count; i++)
    if (i != number && j->workers[i].socket >= 0) close(j->workers[i].socket);
  worker_run(j->page, number, socket, j->options, &j->engine);
  _exit(0);
}

static bool begin_worker(struct jobs *j, unsigned number) {
  struct jobs_worker *w = &j->workers[number];
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  fflush(stdout);
  fflush(stderr);
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    become_worker(j, number, ends[1]);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return false;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  w->process = process;
  w->socket = ends[0];
  w->in.size = w->in.at = w->out.size = w->out.at = 0;
  w->item_count = 0;
  w->ending = false;
  w->idle_since = cli_now();
  atomic_store(&j->page->workers[number].split, false);
  return true;
}

/* ---- what was found ---- */

static void stop_all(struct jobs *j, const char *why) {
  if (j->stopped == NULL && why != NULL) j->stopped = why;
  atomic_store(&j->page->stop, true);
}

/* A word that was sent, as one that stays. */
static const char *stop_word(const json_t *word) {
  static const char *const words[] = {"executions", "interrupt", "seconds", "memory", "events",
                                      "race",       "runtime",   "first",   "workers"};
  const char *text = json_string_value(word);
  for (size_t i = 0; text != NULL && i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i], text) == 0) return words[i];
  return NULL;
}

static void merge_defects(struct jobs *j, const json_t *list) {
  size_t i;
  json_t *entry;
  json_array_foreach(list, i, entry) {
    bool fresh = false;
    const char *schedule = json_string_value(json_object_get(entry, "text_of_schedule"));
    if (!cli_saved_defect_merge(j->defects, entry, &fresh))
      cli_say(stderr, "%s: no memory for a defect", cli_program_name(CLI_MODEL));
    else if (fresh && schedule != NULL && !j->keep_schedule(j->user, schedule))
      stop_all(j, "memory");
  }
  if (json_array_size(list) > 0 && j->options->stop_at_first) stop_all(j, "first");
}

static void add_counts(struct jobs *j, const struct wire_counts *counts) {
#define JOBS_ADD(field) j->counts.field += counts->field;
  WIRE_COUNTS(JOBS_ADD)
#undef JOBS_ADD
}

static void take_report(struct jobs *j, struct jobs_worker *w, const struct wire_head *head,
                        const char *bytes) {
  struct wire_bytes letter = {bytes, head->size, 0};
  unf_status status = unf_ledger_report(j->ledger, head->item, wire_take, &letter);
  if (status != UNF_OK) { /* nothing is known to be wrong with the program */
    stop_all(j, cli_stop_word(j->engine.context, status));
    if (j->stopped == NULL)
      snprintf(j->uncontrolled, sizeof j->uncontrolled, "a report of a worker: %s",
               unf_context_detail(j->engine.context)->text);
    return;
  }
  json_t *defects = head->more > 0 ? json_loadb(bytes + head->size, head->more, 0, NULL) : NULL;
  add_counts(j, &head->counts);
  merge_defects(j, defects);
  json_decref(defects);
  w->reports++;
  w->executions += head->counts.executions;
  w->bytes += sizeof *head + head->size + head->more;
  if (!head->finished) return;
  w->finished++;
  j->losses_since = 0;
  for (unsigned i = 0; i < w->item_count; i++)
    if (w->items[i] == head->item) w->items[i] = w->items[--w->item_count];
  if (w->item_count == 0) w->idle_since = cli_now();
}

static void take_leave(struct jobs *j, struct jobs_worker *w, const struct wire_head *head,
                       const char *bytes) {
  json_t *left = json_loadb(bytes + head->size, head->more, 0, NULL);
  const char *uncontrolled = json_string_value(json_object_get(left, "uncontrolled"));
  const char *stopped = stop_word(json_object_get(left, "stopped"));
  add_counts(j, &head->counts);
  w->executions += head->counts.executions;
  merge_defects(j, json_object_get(left, "defects"));
  j->held.events += (uint64_t)json_integer_value(json_object_get(left, "events"));
  j->held.resumed += (uint64_t)json_integer_value(json_object_get(left, "resumed"));
  j->held.collected += (uint64_t)json_integer_value(json_object_get(left, "collected"));
  json_decref(w->left);
  w->left = left;
  w->ending = true;
  if (uncontrolled != NULL && j->uncontrolled[0] == '\0')
    snprintf(j->uncontrolled, sizeof j->uncontrolled, "%s", uncontrolled);
  if (stopped != NULL || uncontrolled != NULL) stop_all(j, stopped);
}

/* ---- workers go on ---- */

static void close_worker(struct jobs_worker *w) {
  if (w->socket < 0) return;
  if (w->item_count == 0 && w->idle_since > 0) w->idle += cli_now() - w->idle_since;
  close(w->socket);
  w->socket = -1;
  while (waitpid(w->process, NULL, 0) < 0 && errno == EINTR)
    continue;
}

/* A worker is gone. Unless it said so, what it had is given away again. */
static void lose(struct jobs *j, unsigned number) {
  struct jobs_worker *w = &j->workers[number];
  close_worker(w);
  if (w->ending) return;
  for (unsigned i = 0; i < w->item_count; i++)
    unf_ledger_take_back(j->ledger, w->items[i]);
  w->item_count = 0;
  j->losses++;
  if (j->ending) return; /* nobody waits for it */
  if (++j->losses_since > LOSSES_MOST || !begin_worker(j, number)) stop_all(j, "workers");
}

static void hear(struct jobs *j, unsigned number) {
  struct jobs_worker *w = &j->workers[number];
  struct wire_head head;
  char *bytes;
  const long got = wire_read(&w->in, w->socket);
  while (wire_next(&w->in, &head, &bytes)) {
    if (head.kind == WIRE_REPORT)
      take_report(j, w, &head, bytes);
    else
      take_leave(j, w, &head, bytes);
  }
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) lose(j, number);
}

/* Gives a worker that has none as many items as its share is. False: it cannot be given one. */
static bool give(struct jobs *j, struct jobs_worker *w, uint64_t open) {
  uint64_t most = open / (2 * j->count) + 1;
  if (most > ITEMS_AT_ONCE) most = ITEMS_AT_ONCE;
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
    w->items[w->item_count++] = item;
  }
  if (w->item_count > 0) w->idle += cli_now() - w->idle_since;
  w->bytes += w->out.size;
  wire_write(&w->out, w->socket); /* of one that died the socket is closed, which is seen below */
  return true;
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
    if (w->socket < 0) continue;
    if (w->item_count == 0 && state.open > 0 && !give(j, w, state.open)) stop_all(j, "memory");
    waiting |= w->item_count == 0;
    *any |= w->item_count > 0;
  }
  for (unsigned i = 0; waiting && i < j->count; i++)
    if (j->workers[i].item_count > 0) atomic_store(&j->page->workers[i].split, true);
  return waiting;
}

static void show_progress(struct jobs *j) {
  unf_progress all = {.left = -1, .left_error = -1};
  for (unsigned i = 0; i < j->count; i++) {
    all.runs += atomic_load(&j->page->workers[i].executions);
    all.redundant += atomic_load(&j->page->workers[i].redundant);
    all.events += atomic_load(&j->page->workers[i].events);
  }
  cli_progress_report(j->progress, &all);
}

/* Waits for what workers say. */
static void listen_to_all(struct jobs *j, int wait) {
  struct pollfd sockets[JOBS_MOST];
  for (unsigned i = 0; i < j->count; i++)
    sockets[i] = (struct pollfd){.fd = j->workers[i].socket, .events = POLLIN};
  if (poll(sockets, j->count, wait) <= 0) return;
  for (unsigned i = 0; i < j->count; i++)
    if (sockets[i].revents != 0 && j->workers[i].socket >= 0) hear(j, i);
}

static bool is_over_time(const struct jobs *j) {
  return j->options->max_seconds > 0 && cli_now() - j->begin > j->options->max_seconds;
}

/* All are told that there is nothing left to do, or are interrupted, and what they have to say is
 * heard. */
static void end_all(struct jobs *j) {
  const bool stopped = atomic_load(&j->page->stop);
  j->ending = true;
  for (unsigned i = 0; i < j->count; i++) {
    struct jobs_worker *w = &j->workers[i];
    size_t frame;
    if (w->socket < 0) continue;
    if (wire_begin(&w->out, &frame)) {
      wire_finish(&w->out, frame, (struct wire_head){.kind = WIRE_END});
      wire_write(&w->out, w->socket);
    }
    if (stopped && w->item_count > 0) kill(w->process, SIGTERM);
  }
  for (unsigned i = 0; i < j->count; i++)
    while (j->workers[i].socket >= 0)
      listen_to_all(j, WAIT_MS);
}

bool jobs_run(struct jobs *j) {
  bool any = true, good = true;
  j->begin = cli_now();
  j->page = mmap(NULL, sizeof *j->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (j->page == MAP_FAILED) j->page = NULL;
  if (j->page == NULL || unf_ledger_new(j->unfolding, &j->ledger) != UNF_OK) return false;
  for (unsigned i = 0; i < JOBS_MOST; i++)
    j->workers[i].socket = -1;
  for (unsigned i = 0; good && i < j->count; i++)
    good = begin_worker(j, i);
  if (!good) stop_all(j, "workers");
  while (!atomic_load(&j->page->stop)) {
    const bool waiting = distribute(j, &any);
    if (!any) break;
    listen_to_all(j, waiting ? WAIT_FOR_SPLIT_MS : WAIT_MS);
    show_progress(j);
    if (cli_interrupt_came()) stop_all(j, "interrupt");
    if (is_over_time(j)) stop_all(j, "seconds");
  }
  end_all(j);
  j->finished = !any && j->stopped == NULL && j->uncontrolled[0] == '\0';
  return good;
}

void jobs_free(struct jobs *j) {
  unf_ledger_free(j->ledger);
  for (unsigned i = 0; i < j->count; i++) {
    wire_free(&j->workers[i].in);
    wire_free(&j->workers[i].out);
    json_decref(j->workers[i].left);
  }
  if (j->page != NULL) munmap(j->page, sizeof *j->page);
}

/* ---- told ---- */

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
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "lost", (json_int_t)j->losses,
                   "items", (json_int_t)state.finished, "splits", (json_int_t)state.splits,
                   "sequences", (json_int_t)state.sequences, "inserted", (json_int_t)state.inserted,
                   "nodes", (json_int_t)state.most, "bytes", (json_int_t)state.bytes, "workers",
                   workers);
}

static int64_t number_of(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

void jobs_print(const json_t *told) {
  const json_t *workers = json_object_get(told, "workers");
  size_t i;
  json_t *worker;
  printf("  workers     %zu, %" PRId64 " lost; %" PRId64 " items, %" PRId64 " splits, %" PRId64
         " sequences sent, %" PRId64 " of them new\n",
         json_array_size(workers), number_of(told, "lost"), number_of(told, "items"),
         number_of(told, "splits"), number_of(told, "sequences"), number_of(told, "inserted"));
  json_array_foreach(workers, i, worker)
      printf("    %-3zu %12" PRId64 " executions, %" PRId64 " items, waited %.3f s\n", i + 1,
             number_of(worker, "executions"), number_of(worker, "items"),
             json_number_value(json_object_get(worker, "waiting")));
}
