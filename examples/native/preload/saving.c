/*
 * --save: the worker writes the file, since the explorer is here. In front stands what the launcher
 * wrote down; then the parts of the block that they share, as they are, in pieces that are not
 * empty; then the explorer. The launcher reads all but that again.
 */
#include "saving.h"

#include <errno.h>
#include <save.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/carried.h"
#include "../control/races.h"
#include "../control/saved.h"
#include "../control/settings.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "imports.h"
#include "refuse.h"

enum { PARTS = 2 };

static struct save_times times;
/* What was found before an execution that is dropped, or NULL. */
static char *noted;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t size_of(const struct saved_part *part) {
  return (size_t)(part->to - part->from);
}

void saving_note(void) {
  const struct saved_part parts[PARTS] = SAVED_PARTS(control);
  if (control->settings.save[0] == '\0' || noted != NULL) return;
  noted =
      mmap(NULL, size_of(&parts[1]), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (noted == MAP_FAILED) noted = NULL;
  if (noted != NULL) memcpy(noted, parts[1].from, size_of(&parts[1]));
}

/* ---- the block ---- */

struct block_writing {
  unf_write write;
  void *file;
  uint64_t hash;
  bool good;
};

static void put(struct block_writing *b, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++)
    b->hash = (b->hash ^ byte[i]) * 0x100000001b3u;
  b->good = b->good && b->write(b->file, bytes, size);
}

static bool is_empty(const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != 0) return false;
  return true;
}

static void put_part(struct block_writing *b, const struct saved_part *part) {
  static const uint64_t end = UINT64_MAX;
  const size_t size = size_of(part);
  for (uint64_t at = 0; at < size; at += SAVED_PIECE) {
    const size_t piece = size - at < SAVED_PIECE ? size - at : SAVED_PIECE;
    if (is_empty(part->from + at, piece)) continue;
    put(b, &at, sizeof at);
    put(b, part->from + at, piece);
  }
  put(b, &end, sizeof end);
}

static unf_status produce(void *unused, unf_write write, void *file) {
  struct block_writing b = {write, file, 0xcbf29ce484222325u, true};
  struct saved_part parts[PARTS] = SAVED_PARTS(control);
  const double seconds = control->carried.seconds + now() - control->began;
  const uint64_t sizes[] = {size_of(&parts[0]), size_of(&parts[1])};
  (void)unused;
  if (noted != NULL) parts[1] = (struct saved_part){noted, noted + sizes[1]};
  if (!write(file, control->saved_head, control->saved_head_size)) return UNF_WRITE;
  put(&b, SAVED_BLOCK, sizeof SAVED_BLOCK - 1);
  put(&b, sizes, sizeof sizes);
  put(&b, &seconds, sizeof seconds);
  for (int i = 0; i < PARTS; i++)
    put_part(&b, &parts[i]);
  const uint64_t hash = b.hash;
  put(&b, &hash, sizeof hash);
  return b.good ? engine_write(write, file) : UNF_WRITE;
}

/* ---- when ---- */

static void save(void) {
  const double begin = now();
  int reason = 0;
  control->drawing = true;
  unf_status status = save_lasting(control->settings.save, produce, NULL, &reason);
  control->drawing = false;
  control->saved = control->saved || status == UNF_OK;
  snprintf(control->unsaved_because, sizeof control->unsaved_because, "%s",
           status == UNF_OK                     ? ""
           : status == UNF_WRITE && reason != 0 ? strerror(reason)
                                                : unf_status_text(status));
  save_times_done(&times, begin, now());
  control->saves = times;
}

void saving_between(void) {
  const struct settings *s = &control->settings;
  if (s->save[0] == '\0' || s->save_every <= 0) return;
  if (times.began == 0) save_times_begin(&times, now(), 0);
  if (save_times_due(&times, s->save_every, now())) save();
}

void saving_end(void) {
  if (control->settings.save[0] == '\0') return;
  saving_note();
  save();
}

void saving_stop(void) {
  /* A trace that is performed once more is not chosen for it again. */
  if (pending->reorder.running) return;
  if (control->stop == STOP_NONE || control->settings.save[0] == '\0') return;
  if (control->stop == STOP_INTERRUPT) give_up(OUTCOME_LIMIT, "interrupted");
  if (control->stop == STOP_TIME) give_up(OUTCOME_LIMIT, "the time is up");
}

/* ---- going on ---- */

void saving_carry(void) {
  const struct carried *c = &control->carried;
#define CARRY(type, field) control->field = c->field;
  CARRIED(CARRY)
#undef CARRY
  memcpy(control->apart_call, c->apart_call, sizeof control->apart_call);
  memcpy(control->sites_seen, c->sites_seen, sizeof control->sites_seen);
  memcpy(control->busiest, c->busiest, sizeof control->busiest);
  imports_carry(c->imports, c->import_count);
  control->finding_count = control->findings_before = c->finding_count;
  memcpy(control->findings, c->findings, sizeof control->findings);
  control->races_found = c->races_found;
  for (uint64_t i = 0; i < c->races_found && i < RACES_MAX; i++) {
    control->races[i] = c->races[i];
    control->races[i].before = c->races[i].count;
  }
}
