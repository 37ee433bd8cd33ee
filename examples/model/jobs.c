/* --jobs: workers are copies of this process that explore what they are given. */
#include "jobs.h"

#include <stdlib.h>
#include <string.h>

#include "explore.h"
#include "jobs/go_on.h"
#include "jobs/jobs.h"
#include "jobs/ranks.h"
#include "jobs/worker.h"
#include "races.h"
#include "retell.h"
#include "settings.h"

/* ---- in a worker ---- */

static unf_status open_worker(void *user, struct worker *worker, unf_explorer **out) {
  struct session *s = user;
  unf_limits limits = {.bytes = 0};
  s->worker = worker;
  s->progress.active = false;
  inputs_part(&s->inputs);
  /* What was reported to the coordinator before this worker began was found by others. */
  cli_defects_free(&s->result.defects);
  s->schedule_count = 0;
  cli_options_limits(&s->options, &limits);
  limits.runs = 0; /* they are counted together */
  limits.bytes /= jobs_count(&s->options);
  unf_status status = unf_context_set_limits(s->context, &limits);
  return status == UNF_OK ? session_explorer(s, out) : status;
}

static unf_status execute(void *user, unf_explorer *x, const unf_run *run) {
  struct session *s = user;
  const unf_status status = session_execute(s, x, run);
  if (s->result.stopped == NULL && inputs_news(&s->inputs)) s->result.stopped = "again";
  return status;
}

static const char *stopped(void *user) {
  const struct session *s = user;
  return s->result.stopped;
}

static const char *uncontrolled(void *user, unf_status status) {
  return session_uncontrolled(user, status);
}

static const struct cli_defects *defects(void *user) {
  const struct session *s = user;
  return &s->result.defects;
}

static const char *schedule(void *user, size_t defect) {
  const struct session *s = user;
  return defect < s->schedule_count ? s->schedules[defect] : NULL;
}

static json_t *known_at_end(void *user) {
  return inputs_known(user, true);
}

static void live(void *user, unsigned number, int socket) {
  struct session *s = user;
  const struct worker_engine engine = {.user = s,
                                       .context = s->context,
                                       .workers = jobs_count(&s->options),
                                       .open = open_worker,
                                       .execute = execute,
                                       .stopped = stopped,
                                       .uncontrolled = uncontrolled,
                                       .defects = defects,
                                       .schedule = schedule,
                                       .known = known_at_end};
  (void)number;
  cli_interrupt_watch(s->context);
  if (cli_interrupt_came()) unf_context_interrupt(s->context); /* before it was watched */
  worker_run(socket, &engine);
  s->worker = NULL;
}

/* ---- in the coordinator ---- */

static unf_status produce_text(void *text, unf_write write, void *file) {
  return write(file, text, strlen(text)) ? UNF_OK : UNF_WRITE;
}

/* Keeps the schedule of a defect, and writes it. */
static bool keep_schedule(void *user, size_t number, const char *text) {
  struct session *s = user;
  struct cli_defect *defect = &s->result.defects.items[number];
  char name[64];
  if (!retell_keep_text(s, number, text)) return false;
  if (s->options.trace_dir == NULL) return true;
  snprintf(name, sizeof name, "trace-%zu.unfs", number + 1);
  const size_t room = strlen(s->options.trace_dir) + sizeof name + 1;
  char *path = malloc(room), *copy = strdup(text);
  bool good = path != NULL && copy != NULL;
  if (good) snprintf(path, room, "%s/%s", s->options.trace_dir, name);
  if (good && !cli_save(CLI_MODEL, path, produce_text, copy)) s->failed = true;
  good = good && cli_defect_set_schedule(defect, name);
  free(path);
  free(copy);
  return good;
}

static void take_counts(struct session *s, const struct jobs *jobs) {
  s->result.counts = jobs->held;
#define JOBS_SUM(field) s->result.counts.field = jobs->counts.field;
  WIRE_COUNTS(JOBS_SUM)
#undef JOBS_SUM
  for (size_t i = 0; i < s->result.defects.count; i++) {
    const struct cli_defect *d = &s->result.defects.items[i];
    if (d->kind == CLI_LIVELOCK) s->result.livelocks += d->count;
    s->result.races += d->kind == CLI_RACE;
  }
}

/* ---- what all have to know ---- */

static json_t *known(void *user) {
  return inputs_known(user, false);
}

static void learn(void *user, const json_t *known) {
  inputs_learn(user, known);
}

/* What a worker on another machine has to know is what a journal has. */
static bool pack(void *user, struct wire *to) {
  json_t *all = known(user);
  char *text = all != NULL ? json_dumps(all, JSON_COMPACT) : NULL;
  const bool good = all == NULL || (text != NULL && wire_append(to, text, strlen(text)));
  free(text);
  json_decref(all);
  return good;
}

static bool unpack(void *user, const char *bytes, size_t size) {
  struct session *s = user;
  json_t *all = size > 0 ? json_loadb(bytes, size, 0, NULL) : NULL;
  inputs_learn(s, all);
  inputs_decide(&s->inputs);
  json_decref(all);
  return size == 0 || all != NULL;
}

void session_serve(struct session *s) {
  const struct worker_life life = {.live = live, .unpack = unpack, .user = s};
  cli_interrupt_watch(s->context);
  ranks_serve(&life);
  cli_interrupt_watch(NULL);
}

/* Explores, and says what it came to. */
static void explore(struct session *s, struct jobs *jobs) {
  const bool began = jobs_run(jobs);
  take_counts(s, jobs);
  s->result.finished = began && jobs->finished;
  s->result.stopped = began ? jobs->stopped : "workers";
  s->result.before = jobs->before;
  if (jobs->journal.folder != NULL && !jobs->journal.failed) s->result.saved = s->options.save;
  s->failed = s->failed || jobs->journal.failed;
  s->inputs.again = jobs->stopped != NULL && strcmp(jobs->stopped, "again") == 0;
  session_cut_short(s);
  if (jobs->uncontrolled[0] != '\0') {
    snprintf(s->message, sizeof s->message, "%s", jobs->uncontrolled);
    s->result.uncontrolled = s->message;
  }
  if (jobs->ledger == NULL) return;
  json_t *told = jobs_json(jobs);
  if (s->result.more == NULL) s->result.more = json_object();
  json_object_set_new(s->result.more, "jobs", told);
}

/* Of those that are allowed; where it begins again some are gone. */
static double seconds_left(const struct session *s) {
  const double left = s->options.max_seconds - (cli_now() - s->start);
  return left > 0 ? left : 1e-3;
}

int session_jobs(struct session *s) {
  int status = CLI_CLEAN;
  /* What the ledger is asked is not cut off: the coordinator looks between two reports. */
  cli_interrupt_watch(NULL);
  struct jobs *jobs = calloc(1, sizeof *jobs);
  if (jobs == NULL) {
    s->result.stopped = "memory";
    return status;
  }
  jobs->options = &s->options;
  jobs->unfolding = s->unfolding;
  jobs->count = jobs_count(&s->options);
  jobs->progress = &s->progress;
  jobs->defects = &s->result.defects;
  jobs->keep_schedule = keep_schedule;
  jobs->schedule = schedule;
  jobs->user = s;
  jobs->context = s->context;
  jobs->max_seconds = s->options.max_seconds;
  if (jobs->max_seconds > 0) jobs->max_seconds = seconds_left(s);
  jobs->learn = learn;
  jobs->knows = known;
  jobs->transport = (struct transport){.kind = s->options.mpi ? &transport_ranks : &transport_local,
                                       .life = {.live = live, .pack = pack, .user = s}};
  jobs->identity = s->identity;
  jobs->journal = (struct jobs_journal){
      .program = CLI_MODEL, .folder = s->options.save, .identity = s->identity, .file = -1};
  if (s->options.go_on == NULL || jobs_go_on(jobs, &status)) {
    inputs_decide(&s->inputs); /* of what was known before, or is gone on with */
    explore(s, jobs);
  }
  jobs_free(jobs);
  free(jobs);
  return status;
}
