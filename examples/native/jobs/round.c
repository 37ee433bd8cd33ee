/* A round: the coordinator's side of --jobs for programs. What all workers found out comes to stand
 * in the block as though one process had explored the program; whether it begins again, with what
 * is known then, or at another level, is decided as ever, for all of them. */
#include "round.h"

#include <errno.h>
#include <ftw.h>
#include <jobs/jobs.h>
#include <jobs/ranks.h>
#include <report.h>
#include <save.h>
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
#include "../reports.h"
#include "attend.h"
#include "state.h"
#include "union.h"
#include "view.h"

struct round {
  struct control *control, *sum;
  struct control *states[JOBS_MOST];
  bool known[JOBS_MOST]; /* the state says where modules are */
  uint32_t finding_at[JOBS_MOST][FINDINGS_MAX];
  uint32_t race_at[JOBS_MOST][RACES_MAX];
  struct control *last; /* of the worker that ended the round */
  unsigned schedules;
  struct written {
    struct touched touched;
    unsigned worker;
  } * written; /* by whom what was written first */
  size_t written_count, written_room;
  bool disturbed;
  struct touched both; /* what two workers wrote */
  struct jobs jobs;
  struct attended attended;
  struct watched *watched;
};

/* ---- schedules ---- */

struct schedule_bytes {
  const char *bytes;
  size_t size;
};

static unf_status produce(void *user, unf_write write, void *file) {
  const struct schedule_bytes *text = user;
  return write(file, text->bytes, text->size) ? UNF_OK : UNF_WRITE;
}

/* The number of the schedule that a worker has under a number: one from before, or one of its own,
 * which is written now. */
static unsigned keep_schedule(struct round *r, unsigned number, struct schedule_bytes text) {
  struct control *c = r->control;
  char path[sizeof c->settings.trace_folder + NAME_SIZE];
  int reason = 0;
  if (number <= c->schedules_kept) return number;
  if (text.size == 0) return 0;
  const unsigned own = c->schedules_kept + ++r->schedules;
  schedule_path(c, own, path, sizeof path);
  const unf_status status = save_whole(path, produce, &text, &reason);
  if (status == UNF_OK) return own;
  if (r->sum->unwritten_count++ > 0) return 0;
  r->sum->unwritten = own;
  snprintf(r->sum->unwritten_because, sizeof r->sum->unwritten_because, "%s",
           status == UNF_WRITE && reason != 0 ? strerror(reason) : unf_status_text(status));
  return 0;
}

/* ---- what workers say ---- */

static void count_finding(struct round *r, unsigned worker, const struct told_found *told,
                          const char *body, const struct schedule_bytes texts[2]) {
  const uint32_t index = told->found.index;
  struct control *sum = r->sum;
  if (index >= FINDINGS_MAX) return;
  if (told->size == sizeof(struct finding)) {
    static struct finding f;
    bool fresh;
    memcpy(&f, body, sizeof f);
    const uint32_t at = union_finding(sum, r->states[worker], &f, &fresh);
    r->finding_at[worker][index] = at;
    if (fresh) {
      sum->findings[at].schedule = keep_schedule(r, f.schedule, texts[0]);
      sum->findings[at].other = keep_schedule(r, f.other, texts[1]);
    }
    sum->findings_dropped += at == FINDINGS_MAX;
  }
  const uint32_t at = r->finding_at[worker][index];
  sum->findings_total += told->found.count;
  if (at >= FINDINGS_MAX) return;
  sum->findings[at].count += told->found.count;
  if (sum->findings[at].kind == FINDING_LIVELOCK) sum->livelocks += told->found.count;
}

static void count_race(struct round *r, unsigned worker, const struct told_found *told,
                       const char *body, const struct schedule_bytes *text) {
  const uint32_t index = told->found.index;
  struct control *sum = r->sum;
  if (index >= RACES_MAX) return;
  if (told->size == sizeof(struct reported_race)) {
    struct reported_race race;
    bool fresh;
    memcpy(&race, body, sizeof race);
    const uint64_t at = union_race(sum, r->states[worker], &race, &fresh);
    r->race_at[worker][index] = (uint32_t)at;
    if (fresh && at < RACES_MAX) sum->races[at].schedule = keep_schedule(r, race.schedule, *text);
  }
  const uint32_t at = r->race_at[worker][index];
  if (at < RACES_MAX) sum->races[at].count += told->found.count;
}

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

static bool found(void *user, unsigned worker, const char *bytes, size_t size) {
  struct round *r = user;
  struct told_found told;
  for (size_t at = 0; size - at >= sizeof told;) {
    memcpy(&told, bytes + at, sizeof told);
    const char *body = bytes + at + sizeof told, *text = body + told.size;
    const struct schedule_bytes texts[] = {{text, told.texts[0]},
                                           {text + told.texts[0], told.texts[1]}};
    at += sizeof told + told.size + told.texts[0] + told.texts[1];
    if (at > size || r->states[worker] == NULL) return false;
    if (told.found.kind == SHARED_FINDING) count_finding(r, worker, &told, body, texts);
    if (told.found.kind == SHARED_RACE) count_race(r, worker, &told, body, texts);
    struct touched touched;
    const bool is_touched = told.found.kind == SHARED_TOUCHED && told.size == sizeof touched;
    if (is_touched) memcpy(&touched, body, sizeof touched);
    if (is_touched && !see_written(r, worker, &touched)) return false;
    if (told.found.kind == SHARED_LEFT_BEHIND) r->sum->left_behind += told.found.count;
    if (told.found.kind == SHARED_GIVEN_UP) r->sum->given_up += told.found.count;
  }
  if (r->control->settings.stop_at_first && r->sum->finding_count + r->sum->races_found > 0)
    jobs_stop(&r->jobs, "first");
  return true;
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

static const struct jobs_front front = {found, state, gone, interrupted};

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
    sum->outcome = r->jobs.finished ? OUTCOME_FINISHED : OUTCOME_BROKEN;
    snprintf(sum->message, sizeof sum->message, "%.400s", r->jobs.uncontrolled);
    return;
  }
  sum->outcome = strcmp(stopped, "first") == 0 ? OUTCOME_FIRST : OUTCOME_LIMIT;
  if (strcmp(stopped, "interrupt") == 0) sum->stop = STOP_INTERRUPT;
  if (strcmp(stopped, "seconds") == 0) sum->stop = STOP_TIME;
  snprintf(sum->message, sizeof sum->message, "%s", stopped);
}

static void end(struct round *r) {
  struct control *sum = r->sum;
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
  state_copy(r->control, sum);
}

static int remove_one(const char *path, const struct stat *information, int kind,
                      struct FTW *where) {
  (void)information, (void)kind, (void)where;
  return remove(path);
}

static double work_so_far(uint64_t *peak) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  *peak = (uint64_t)usage.ru_maxrss * 1024;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static bool run(struct round *r, const struct cli_options *options, json_t **told) {
  struct jobs *j = &r->jobs;
  struct cli_progress progress;
  unf_context_options context_options = UNF_CONTEXT_OPTIONS_INIT;
  unf_thread first;
  bool good = unf_context_new(&context_options, &j->context) == UNF_OK &&
              unf_unfolding_new(j->context, NULL, &j->unfolding) == UNF_OK &&
              unf_thread_name(j->unfolding, UNF_THREAD_NONE, 0, &first) == UNF_OK &&
              unf_thread_start(j->unfolding, first) == UNF_OK;
  const double limit = r->control->settings.max_seconds, used = cli_now() - r->watched->begin;
  j->options = options;
  j->count = r->attended.count;
  j->transport = (struct transport){.kind = options->mpi ? &transport_ranks : &transport_local,
                                    .life = {.live = live, .pack = pack, .user = r}};
  j->front = &front;
  j->user = r;
  j->progress = &progress;
  if (limit > 0) j->max_seconds = limit > used ? limit - used : 1e-3;
  cli_progress_begin(&progress);
  good = good && jobs_run(j);
  cli_progress_end(&progress);
  if (good) end(r);
  json_decref(*told);
  *told = j->ledger != NULL ? jobs_json(j) : NULL;
  if (*told != NULL) json_object_set_new(*told, "own", view_json(r->attended.view));
  jobs_free(j);
  unf_unfolding_free(j->unfolding);
  unf_context_free(j->context);
  return good;
}

/* Everything that does not depend on what is known; NULL, with a message: it cannot be. */
static struct round *open_round(struct control *control, const struct cli_options *options,
                                const char *path, off_t input, struct watched *watched,
                                char *folder, size_t size) {
  const char *temporary = getenv("TMPDIR");
  struct round *r = calloc(1, sizeof *r);
  snprintf(folder, size, "%s/unfold-XXXXXX", temporary != NULL ? temporary : "/tmp");
  if (r == NULL || (r->sum = state_new()) == NULL || mkdtemp(folder) == NULL) {
    cli_say(stderr, "unfold: %s: %s", folder, strerror(errno));
    free(r);
    return NULL;
  }
  r->control = control;
  r->watched = watched;
  r->attended = (struct attended){.known = control,
                                  .options = options,
                                  .path = path,
                                  .whole_path = realpath(path, NULL),
                                  .input = input,
                                  .count = jobs_count(options),
                                  .first = options->mpi && ranks_own() > 0 ? ranks_own() - 1 : 0,
                                  .watched = watched,
                                  .folder = folder,
                                  .view = view_possible(folder)};
  return r;
}

static void close_round(struct round *r, const char *folder) {
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  for (unsigned i = 0; i < JOBS_MOST; i++)
    state_free(r->states[i]);
  free(r->written);
  free(r->attended.whole_path);
  state_free(r->last);
  state_free(r->sum);
  free(r);
}

bool round_run(struct control *control, const struct cli_options *options, const char *path,
               off_t input, struct watched *watched, json_t **told) {
  char folder[4096];
  uint64_t peak;
  const double before = work_so_far(&peak);
  struct round *r = open_round(control, options, path, input, watched, folder, sizeof folder);
  if (r == NULL) return false;
  state_know(r->sum, control);
  const bool good = find_tools(&control->settings) && run(r, options, told);
  close_round(r, folder);
  watched->work = work_so_far(&peak) - before;
  if (peak > watched->peak_bytes) watched->peak_bytes = peak;
  if (!good) cli_say(stderr, "unfold: several workers: no memory, or no process");
  return good;
}

void round_serve(struct control *control, const struct cli_options *options, const char *path,
                 off_t input, struct watched *watched) {
  char folder[4096];
  struct round *r = open_round(control, options, path, input, watched, folder, sizeof folder);
  if (r == NULL || !find_tools(&control->settings)) return;
  const struct worker_life life = {.live = live, .unpack = unpack, .user = r};
  ranks_serve(&life);
  close_round(r, folder);
}
