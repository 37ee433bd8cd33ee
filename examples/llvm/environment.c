/* What the library (library/) asks of the system: files that are there, peers, limits of time, and
 * the signals that a thread blocks. */
#define _DEFAULT_SOURCE
#include "environment.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin.h"
#include "files.h"
#include "machine.h"
#include "sync.h"

enum { PATH_SIZE = 1024 };

static enum flow known(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number;
  return sync_number(m, t, a, 0, &number) ? machine_number(t, a, number) : FLOW_STANDS;
}

/* ---- files ---- */

/* What is at a path, if it is a file that was given; else as the system has it. */
static enum flow file_mode(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { GIVEN = S_IFREG | 0644 };
  char path[PATH_SIZE];
  struct stat is;
  if (!files_text(m, t, a, 0, path, sizeof path)) return FLOW_STANDS;
  if (files_find(m, path) != UINT64_MAX) return machine_number(t, a, GIVEN);
  return machine_number(t, a, stat(path, &is) == 0 ? (int64_t)is.st_mode : -1);
}

static enum flow directory(struct machine *m, struct thread *t, const struct arguments *a) {
  char path[PATH_SIZE];
  int64_t to;
  if (getcwd(path, sizeof path) == NULL) strcpy(path, "/");
  if (!sync_number(m, t, a, 0, &to)) return FLOW_STANDS;
  return files_write_text(m, t, to, path) ? FLOW_NEXT : FLOW_STANDS;
}

/* ---- peers ---- */

static enum flow peer(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number;
  if (!sync_number(m, t, a, 0, &number)) return FLOW_STANDS;
  for (size_t i = 0; i < m->file_count; i++)
    if (m->files[i].peer && number-- == 0) return machine_number(t, a, (int64_t)i);
  return machine_number(t, a, -1);
}

static enum flow peer_stays(struct machine *m, struct thread *t, const struct arguments *a) {
  const struct source *f = files_source(m, t, a);
  return f != NULL ? machine_number(t, a, f->stays) : FLOW_STANDS;
}

static enum flow packet_end(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t at;
  const struct source *f = files_source(m, t, a);
  if (f == NULL || !sync_number(m, t, a, 1, &at)) return FLOW_STANDS;
  size_t i = 0;
  while (i < f->end_count && f->ends[i] <= (uint64_t)at)
    i++;
  return machine_number(t, a, (int64_t)(i < f->end_count ? f->ends[i] : f->size));
}

/* ---- time and signals ---- */

bool machine_times_out(struct machine *m, struct thread *t) {
  if (t->timeouts < m->max_timeouts) return true;
  m->over_timeouts = true;
  return false;
}

static enum flow times_out(struct machine *m, struct thread *t, const struct arguments *a) {
  const bool is = machine_times_out(m, t);
  t->timeouts += is;
  return machine_number(t, a, is);
}

static enum flow signal_mask(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t set, bits;
  if (!sync_number(m, t, a, 0, &set) || !sync_number(m, t, a, 1, &bits)) return FLOW_STANDS;
  const int64_t old = t->signals;
  if (set != 0) t->signals = bits;
  return machine_number(t, a, old);
}

const struct builtin_entry builtins_environment[] = {
    {"__unfold_known", known},
    {"__unfold_file_mode", file_mode},
    {"__unfold_directory", directory},
    {"__unfold_peer", peer},
    {"__unfold_peer_stays", peer_stays},
    {"__unfold_packet_end", packet_end},
    {"__unfold_times_out", times_out},
    {"__unfold_signal_mask", signal_mask},
    {NULL, NULL},
};
