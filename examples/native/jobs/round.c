/* A round: the coordinator's side of --jobs for programs. What all workers found out comes to stand
 * in the block as though one process had explored the program; whether it begins again, with what
 * is known then, or at another level, is decided as ever, for all of them. */
#include "round.h"

#include <errno.h>
#include <jobs/go_on.h>
#include <jobs/jobs.h>
#include <jobs/ranks.h>
#include <report.h>
#include <session.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <text.h>
#include <unistd.h>

#include "../control.h"
#include "../control/findings.h"
#include "../control/races.h"
#include "../control/settings.h"
#include "../control/shared.h"
#include "../control/texts.h"
#include "../launch.h"
#include "attend.h"
#include "found.h"
#include "image.h"
#include "scratch.h"
#include "state.h"
#include "union.h"
#include "view.h"

struct round {
  struct control *control, *sum;
  struct control *states[JOBS_MOST];
  bool known[JOBS_MOST]; /* the state says where modules are */
  struct gathered found;
  uint64_t races_before; /* that processes before this one found */
  struct control *last;  /* of the worker that ended the round */
  struct written {
    struct touched touched;
    unsigned worker;
  } * written; /* by whom what was written first */
  size_t written_count, written_room;
  bool disturbed;
  struct touched both;         /* what two workers wrote */
  struct continued *continued; /* NULL: of another rank */
  struct journal_image image;  /* what a journal has */
  struct control *all;         /* the sum with what workers that go on have seen */
  struct jobs jobs;
  struct attended attended;
  struct scratch scratch;
  struct watched *watched;
};

/* ---- what workers say ---- */

/* What two workers write ends the exploration, whatever else they found. */
static bool see_written(struct round *r, unsigned worker, const struct touched *touched) {
  size_t at = 0;
  while (at < r->written_count && strcmp(r->written[at].touched.name, touched->name) != 0)
    at++;
  if (at < r->written_count && r->written[at].worker != worker && !r->disturbed) {
    r->disturbed = true;
    r->both = *touched;
    r->both.place = state_address(r->sum, r->states[worker], touched->place);
    jobs_stop(&r->jobs, "first");
  }
  if (at < r->written_count) return true;
  if (r->written_count == r->written_room) {
    const size_t room = 2 * r->written_room + 64;
    struct written *more = realloc(r->written, room * sizeof *more);
    if (more == NULL) return false;
    r->written = more;
    r->written_room = room;
  }
  r->written[r->written_count++] = (struct written){*touched, worker};
  return true;
}

static bool found(void *user, unsigned worker, const char *bytes, size_t size, struct wire *kept) {
  struct round *r = user;
  const struct control *sum = r->sum;
  struct told told;
  bool good = true;
  if (r->states[worker] == NULL) return false;
  for (size_t at = 0; found_next(bytes, size, &at, &told, &good);) {
    struct touched touched;
    const bool is_touched = told.found.kind == SHARED_TOUCHED && told.size == sizeof touched;
    if (is_touched) memcpy(&touched, told.body, sizeof touched);
    if (is_touched && !see_written(r, worker, &touched)) return false;
    if (!found_take(&r->found, worker, r->states[worker], &told, kept)) return false;
  }
  const uint64_t new_ones =
      sum->finding_count - sum->findings_before + sum->races_found - r->races_before;
  if (r->control->settings.stop_at_first && new_ones > 0) jobs_stop(&r->jobs, "first");
  return good;
}

static bool state(void *user, unsigned worker, const char *bytes, size_t size) {
  struct round *r = user;
  if (r->states[worker] == NULL) r->states[worker] = state_new();
  if (r->states[worker] == NULL || !state_get(r->states[worker], bytes, size)) return false;
  r->known[worker] = true;
  if (r->sum->module_count > 0) return true;
  r->sum->module_count = r->states[worker]->module_count;
  memcpy(r->sum->modules, r->states[worker]->modules, sizeof r->sum->modules);
  return true;
}

/* A worker has ended, or is lost; what it said last of what it saw counts. */
static void gone(void *user, unsigned worker, bool decided) {
  struct round *r = user;
  struct control *told = r->states[worker];
  if (!r->known[worker]) return;
  union_know(r->sum, told);
  union_see(r->sum, told);
  r->known[worker] = false;
  r->attended.shown[worker] = true;
  if (!decided) return;
  r->last = told;
  r->states[worker] = NULL;
}

static bool interrupted(void *user) {
  const struct timespec none = {0, 0};
  struct round *r = user;
  sigset_t held;
  sigprocmask(SIG_BLOCK, NULL, &held);
  for (int signal; (signal = sigtimedwait(&held, NULL, &none)) > 0;)
    r->watched->interrupted |= signal != SIGCHLD;
  return r->watched->interrupted;
}

/* ---- a journal ---- */

static bool save(void *user, bool whole, struct wire *to) {
  struct round *r = user;
  if (r->all == NULL && (r->all = state_new()) == NULL) return false;
  state_copy(r->all, r->sum);
  for (unsigned i = 0; i < r->jobs.count; i++) {
    if (!r->known[i]) continue;
    union_know(r->all, r->states[i]);
    union_see(r->all, r->states[i]);
  }
  return image_put(&r->image, r->control, r->all, whole, to);
}

static bool saved(void *user, const char *bytes, size_t size) {
  struct round *r = user;
  return image_get(r->control, r->sum, bytes, size);
}

static bool found_earlier(void *user, const char *bytes, size_t size) {
  struct round *r = user;
  struct told told;
  bool good = true;
  for (size_t at = 0; good && found_next(bytes, size, &at, &told, &good);)
    good = found_before(&r->found, &told);
  return good;
}

/* What a journal has is read; what was seen since the last segment by workers that are gone counts
 * as seen. */
static bool go_on(struct round *r, int *status) {
  struct control *sum = r->sum;
  if (!jobs_go_on(&r->jobs, status)) return false;
  if (!continued_check(r->control, sum)) {
    cli_say(stderr, "unfold: %s: what was saved cannot be read", r->jobs.before.file);
    *status = CLI_USAGE;
    return false;
  }
  sum->settings = r->control->settings;
  sum->findings_before = sum->finding_count;
  r->races_before = sum->races_found;
  found_resume(&r->found);
  return true;
}

static const struct jobs_front front = {.found = found,
                                        .found_before = found_earlier,
                                        .save = save,
                                        .saved = saved,
                                        .state = state,
                                        .gone = gone,
                                        .interrupted = interrupted};

static void live(void *user, unsigned number, int socket) {
  const struct round *r = user;
  attend(&r->attended, number, socket);
}

/* ---- on other machines ---- */

static bool pack(void *user, struct wire *known) {
  const struct round *r = user;
  const struct settings *settings = &r->control->settings;
  return wire_append(known, (const char *)settings, sizeof *settings) &&
         state_put(known, r->control);
}

/* Where things are on this machine stays. */
static bool unpack(void *user, const char *bytes, size_t size) {
  struct round *r = user;
  struct control *c = r->control;
  struct settings own = c->settings;
  if (size < sizeof own) return false;
  memcpy(&c->settings, bytes, sizeof own);
  memcpy(c->settings.scanner, own.scanner, sizeof own.scanner);
  return state_get(c, bytes + sizeof own, size - sizeof own);
}

/* ---- the end ---- */

static void take_counts(struct round *r) {
  unf_counts *counts = &r->sum->counts;
  *counts = r->jobs.held;
#define ROUND_SUM(field) counts->field = r->jobs.counts.field;
  WIRE_COUNTS(ROUND_SUM)
#undef ROUND_SUM
  r->sum->estimate = (unf_estimate){.left = -1, .error = -1};
}

/* How it ended, where no worker decided that. */
static void end_alone(struct round *r) {
  struct control *sum = r->sum;
  const char *stopped = r->jobs.stopped;
  if (stopped == NULL) {
    /* Of workers that were lost nobody said that it has to begin again. */
    const bool knows_more = sum->learned && sum->restarts < RESTARTS_MAX;
    sum->outcome = !r->jobs.finished ? OUTCOME_BROKEN
                   : knows_more      ? OUTCOME_AGAIN
                                     : OUTCOME_FINISHED;
    snprintf(sum->message, sizeof sum->message, "%.400s", r->jobs.uncontrolled);
    return;
  }
  sum->outcome = strcmp(stopped, "first") == 0 ? OUTCOME_FIRST : OUTCOME_LIMIT;
  if (strcmp(stopped, "interrupt") == 0) sum->stop = STOP_INTERRUPT;
  if (strcmp(stopped, "seconds") == 0) sum->stop = STOP_TIME;
  snprintf(sum->message, sizeof sum->message, "%s", stopped);
}

static void end(struct round *r) {
  struct control *sum = r->sum, *control = r->control;
  take_counts(r);
  if (r->last != NULL)
    union_end(sum, r->last);
  else
    end_alone(r);
  if (r->disturbed) {
    sum->outcome = OUTCOME_REFUSED;
    sum->stop = STOP_NONE;
    sum->place = r->both.place;
    snprintf(sum->message, sizeof sum->message,
             "several workers write %.256s, and this system lets none have its own", r->both.name);
  }
  state_copy(control, sum);
  const struct jobs_journal *journal = &r->jobs.journal;
  control->saved = journal->folder != NULL && !journal->failed;
  if (journal->failed)
    snprintf(control->unsaved_because, sizeof control->unsaved_because, "the journal ends there");
}

static double work_so_far(uint64_t *peak) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  *peak = (uint64_t)usage.ru_maxrss * 1024;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* How the jobs are set up, once the names of a program can be kept. */
static void set_up(struct round *r, const struct cli_options *options,
                   struct cli_progress *progress) {
  struct jobs *j = &r->jobs;
  const struct continued *continued = r->continued;
  const double limit = r->control->settings.max_seconds, used = cli_now() - r->watched->begin;
  j->options = options;
  j->count = r->attended.count;
  j->transport = (struct transport){.kind = options->mpi ? &transport_ranks : &transport_local,
                                    .life = {.live = live, .pack = pack, .user = r}};
  j->front = &front;
  j->user = r;
  j->progress = progress;
  j->defects = continued->earlier;
  j->identity = continued->identity;
  j->before = continued->before;
  j->seconds = used;
  j->journal = (struct jobs_journal){
      .program = CLI_NATIVE, .folder = options->save, .identity = continued->identity, .file = -1};
  if (limit > 0) j->max_seconds = limit > used ? limit - used : 1e-3;
}

/* Goes on from a journal, in the first round, and explores. */
static bool explore(struct round *r, int *status) {
  struct continued *continued = r->continued;
  if (continued->journal && !go_on(r, status)) return false;
  if (continued->journal) continued->before = r->jobs.before;
  continued->journal = false;
  const bool good = jobs_run(&r->jobs);
  if (good) return true;
  cli_say(stderr, "unfold: several workers: no memory, or no process");
  *status = CLI_USAGE;
  return false;
}

static int run(struct round *r, const struct cli_options *options, json_t **told) {
  struct jobs *j = &r->jobs;
  struct cli_progress progress;
  unf_context_options context_options = UNF_CONTEXT_OPTIONS_INIT;
  unf_thread first;
  int status = CLI_USAGE;
  bool good = unf_context_new(&context_options, &j->context) == UNF_OK &&
              unf_unfolding_new(j->context, NULL, &j->unfolding) == UNF_OK &&
              unf_thread_name(j->unfolding, UNF_THREAD_NONE, 0, &first) == UNF_OK &&
              unf_thread_start(j->unfolding, first) == UNF_OK;
  if (!good) cli_say(stderr, "unfold: several workers: no memory");
  set_up(r, options, &progress);
  cli_progress_begin(&progress);
  good = good && explore(r, &status);
  cli_progress_end(&progress);
  if (good) end(r);
  json_decref(*told);
  *told = j->ledger != NULL ? jobs_json(j) : NULL;
  if (*told != NULL) json_object_set_new(*told, "own", view_json(*r->attended.view));
  jobs_free(j);
  unf_unfolding_free(j->unfolding);
  unf_context_free(j->context);
  return good ? CLI_CLEAN : status;
}

/* Everything that does not depend on what is known; NULL, with a message: it cannot be. */
static struct round *open_round(struct control *control, const struct cli_options *options,
                                const char *path, off_t input, struct watched *watched) {
  static unsigned *view; /* stays as it was found */
  struct round *r = calloc(1, sizeof *r);
  if (view == NULL) view = view_new();
  if (r == NULL || view == NULL || (r->sum = state_new()) == NULL || !scratch_make(&r->scratch)) {
    cli_say(stderr, "unfold: %s: %s", r != NULL ? r->scratch.path : "", strerror(errno));
    if (r != NULL) state_free(r->sum);
    free(r);
    return NULL;
  }
  r->control = r->found.control = control;
  r->found.sum = r->sum;
  r->found.lasting = options->save != NULL;
  r->watched = watched;
  r->attended = (struct attended){.known = control,
                                  .options = options,
                                  .path = path,
                                  .whole_path = realpath(path, NULL),
                                  .input = input,
                                  .count = jobs_count(options),
                                  .first = options->mpi && ranks_own() > 0 ? ranks_own() - 1 : 0,
                                  .watched = watched,
                                  .folder = r->scratch.path,
                                  .view = view};
  /* Where rank 0 has no worker it says what one would have here. */
  if (options->mpi) view_find(view, r->scratch.path);
  return r;
}

static void close_round(struct round *r) {
  scratch_remove(&r->scratch);
  for (unsigned i = 0; i < JOBS_MOST; i++)
    state_free(r->states[i]);
  free(r->written);
  free(r->attended.whole_path);
  state_free(r->last);
  state_free(r->sum);
  state_free(r->all);
  image_free(&r->image);
  free(r);
}

int round_run(struct control *control, const struct cli_options *options, const char *path,
              off_t input, struct watched *watched, struct continued *continued, json_t **told) {
  uint64_t peak;
  const double before = work_so_far(&peak);
  struct round *r = open_round(control, options, path, input, watched);
  if (r == NULL) return CLI_USAGE;
  r->continued = continued;
  state_know(r->sum, control);
  const int status = find_tools(&control->settings) ? run(r, options, told) : CLI_USAGE;
  close_round(r);
  watched->work = work_so_far(&peak) - before;
  if (peak > watched->peak_bytes) watched->peak_bytes = peak;
  return status;
}

void round_serve(struct control *control, const struct cli_options *options, const char *path,
                 off_t input, struct watched *watched) {
  struct round *r = open_round(control, options, path, input, watched);
  if (r == NULL || !find_tools(&control->settings)) return;
  const struct worker_life life = {.live = live, .unpack = unpack, .user = r};
  ranks_serve(&life);
  close_round(r);
}
