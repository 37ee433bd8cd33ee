#define _GNU_SOURCE
#include "ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "text.h"

/* To a rank: BEGIN (with what it needs to know), BYTES, INTERRUPT, KILL, QUIT; of a rank: BYTES,
 * and GONE, once for each BEGIN. */
enum tag { TAG_BEGIN = 1, TAG_BYTES, TAG_INTERRUPT, TAG_KILL, TAG_QUIT, TAG_GONE };

enum { FEWEST_MICROSECONDS = 50, MOST_MICROSECONDS = 1000, MICROSECONDS = 1000 };

static const struct ranks_module *mpi;
static int own, count;
/* Rank 0: what came of each worker; whether its rank has said that it is gone; how many of those
 * before it are not gone yet, whose bytes are dropped. */
static struct {
  struct wire inbox;
  bool gone;
  unsigned before;
} workers[JOBS_MOST];

unsigned ranks_own(void) {
  return (unsigned)own;
}

unsigned ranks_count(void) {
  return (unsigned)count;
}

static void sleep_for(long microseconds) {
  const struct timespec pause = {0, microseconds * MICROSECONDS};
  nanosleep(&pause, NULL);
}

/* ---- beginning and end ---- */

/* Of a rank that never said that its worker is gone nothing is to be expected. */
static void end(int status, void *unused) {
  bool silent = false;
  (void)unused;
  fflush(NULL);
  for (int rank = 1; own == 0 && rank < count; rank++) {
    silent |= workers[rank - 1].before > 0;
    mpi->send(rank, TAG_QUIT, NULL, 0);
  }
  if (silent) mpi->abort(status);
  mpi->end();
}

/* As many ranks as a launcher says that it has begun; 0: none says so. */
static long launched(void) {
  static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  long most = 0;
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    const char *value = getenv(variables[i]);
    const long number = value != NULL ? strtol(value, NULL, 10) : 0;
    if (number > most) most = number;
  }
  return most;
}

/* Beside the program while it is built, or where it was installed to. */
static void *open_module(void) {
  char here[PATH_MAX], path[PATH_MAX + 64];
  const ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  here[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(here, '/');
  if (slash != NULL) *slash = '\0';
  static const char *const folders[] = {"/../common", "/../" RANKS_LIBDIR "/unfold"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    snprintf(path, sizeof path, "%s%s/unfold-mpi.so", here, folders[i]);
    if (access(path, R_OK) == 0) return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  }
  return dlopen(RANKS_MODULE, RTLD_NOW | RTLD_GLOBAL);
}

static bool refuse(enum cli_program program, const char *what) {
  cli_say(stderr, "%s: --mpi: %s", cli_program_name(program), what);
  return false;
}

bool ranks_begin(enum cli_program program) {
  char text[160];
  void *module = open_module();
  mpi = module != NULL ? dlsym(module, "unfold_ranks") : NULL;
  if (mpi == NULL) {
    const char *why = dlerror();
    snprintf(text, sizeof text, "it was built without MPI, or that is not there: %.100s",
             why != NULL ? why : "no module");
    return refuse(program, text);
  }
  const long expected = launched();
  if (!mpi->begin(&own, &count)) return refuse(program, "MPI did not begin");
  on_exit(end, NULL);
  if (count == 1 && expected > 1) {
    snprintf(text, sizeof text,
             "the launcher is that of another MPI: it began %ld worlds of one rank each", expected);
    return refuse(program, text);
  }
  if (count == 1) return refuse(program, "needs two ranks or more: rank 0 only keeps the ledger");
  return count <= JOBS_MOST + 1 || refuse(program, "at most 257 ranks");
}

/* ---- rank 0 ---- */

/* Takes all messages that there are; whether there were any. */
static bool pump(void) {
  struct wire message = {0};
  int rank, tag;
  bool any = false, good = true;
  mpi->go_on();
  while (mpi->take(&rank, &tag, &message, &good)) {
    any = true;
    if (rank < 1 || rank >= count) continue;
    if (tag == TAG_GONE && workers[rank - 1].before > 0)
      workers[rank - 1].before--;
    else if (tag == TAG_GONE)
      workers[rank - 1].gone = true;
    else if (workers[rank - 1].before == 0)
      good = wire_append(&workers[rank - 1].inbox, message.data, message.size) && good;
    message.size = 0;
  }
  wire_free(&message);
  if (good) return any;
  cli_say(stderr, "--mpi: no memory");
  mpi->abort(CLI_STOPPED);
  return any;
}

static bool begin(struct transport *t, unsigned number) {
  struct wire known = {0};
  bool good = t->life.pack == NULL || t->life.pack(t->life.user, &known);
  good = good && mpi->send((int)number + 1, TAG_BEGIN, known.data, known.size);
  wire_free(&known);
  if (!good) return false;
  workers[number].inbox.size = workers[number].inbox.at = 0;
  workers[number].gone = false;
  t->peers[number] = (struct peer){.there = true};
  return true;
}

static void send_all(struct transport *t, unsigned number, struct wire *out) {
  if (t->peers[number].there && out->size > out->at)
    mpi->send((int)number + 1, TAG_BYTES, out->data + out->at, out->size - out->at);
  out->size = out->at = 0;
}

static bool anything(const struct transport *t) {
  bool any = false;
  for (unsigned i = 0; i < t->count; i++)
    any |= t->peers[i].there && (workers[i].gone || workers[i].inbox.size > 0);
  return any;
}

static void wait_for_any(struct transport *t, int milliseconds) {
  const double until = cli_now() + 1e-3 * milliseconds;
  long pause = FEWEST_MICROSECONDS;
  for (pump(); !anything(t) && cli_now() < until; pump()) {
    sleep_for(pause);
    if (pause < MOST_MICROSECONDS) pause *= 2;
  }
}

static enum heard receive(struct transport *t, unsigned number, struct wire *in) {
  struct wire *inbox = &workers[number].inbox;
  if (!t->peers[number].there) return HEARD_NOTHING;
  if (inbox->size == 0) return workers[number].gone ? HEARD_END : HEARD_NOTHING;
  const bool good = wire_tidy(in, 0) && wire_append(in, inbox->data, inbox->size);
  inbox->size = 0;
  return good ? HEARD_BYTES : HEARD_END;
}

static void interrupt(struct transport *t, unsigned number) {
  if (t->peers[number].there) mpi->send((int)number + 1, TAG_INTERRUPT, NULL, 0);
}

static void end_worker(struct transport *t, unsigned number) {
  if (!t->peers[number].there) return;
  t->peers[number].there = false;
  workers[number].inbox.size = 0;
  if (workers[number].gone) return;
  workers[number].before++;
  mpi->send((int)number + 1, TAG_KILL, NULL, 0);
}

const struct transport_kind transport_ranks = {begin,   send_all,  wait_for_any,
                                               receive, interrupt, end_worker};

/* ---- the other ranks ---- */

struct serving {
  struct transport local;
  struct wire to_worker, from_worker;
  bool quit;
};

static void say_gone(void) {
  mpi->send(0, TAG_GONE, NULL, 0);
}

static void obey(struct serving *s, int tag, const struct wire *message) {
  struct transport *t = &s->local;
  const struct worker_life *life = &t->life;
  switch (tag) {
  case TAG_BEGIN:
    s->to_worker.size = s->to_worker.at = s->from_worker.size = 0;
    if ((life->unpack != NULL && !life->unpack(life->user, message->data, message->size)) ||
        !t->kind->begin(t, 0))
      say_gone();
    break;
  case TAG_BYTES:
    if (t->peers[0].there && wire_append(&s->to_worker, message->data, message->size))
      t->kind->send(t, 0, &s->to_worker);
    break;
  case TAG_INTERRUPT:
    t->kind->interrupt(t, 0);
    break;
  case TAG_KILL: /* or it said just now that it is gone */
    if (t->peers[0].there) say_gone();
    t->kind->end(t, 0);
    break;
  default:
    s->quit = true;
    break;
  }
}

static void pass_on(struct serving *s) {
  struct transport *t = &s->local;
  if (!t->peers[0].there) return;
  if (t->peers[0].full) t->kind->send(t, 0, &s->to_worker);
  const enum heard heard = t->kind->receive(t, 0, &s->from_worker);
  if (s->from_worker.size > 0) mpi->send(0, TAG_BYTES, s->from_worker.data, s->from_worker.size);
  s->from_worker.size = s->from_worker.at = 0;
  if (heard != HEARD_END) return;
  t->kind->end(t, 0);
  say_gone();
}

void ranks_serve(const struct worker_life *life) {
  struct serving s = {.local = {.kind = &transport_local, .life = *life, .count = 1}};
  struct wire message = {0};
  bool good = true;
  while (!s.quit) {
    int rank, tag;
    mpi->go_on();
    while (!s.quit && mpi->take(&rank, &tag, &message, &good)) {
      obey(&s, tag, &message);
      message.size = 0;
    }
    if (!good) mpi->abort(CLI_STOPPED);
    if (!s.quit) s.local.kind->wait(&s.local, 1);
    pass_on(&s);
  }
  s.local.kind->end(&s.local, 0);
  wire_free(&message);
  wire_free(&s.to_worker);
  wire_free(&s.from_worker);
}
