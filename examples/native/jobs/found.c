/* A worker tells each finding once, and again when it has an execution with a lesser name, of which
 * it is described then; the least of all workers stays. A journal has the same by the numbers that
 * findings and races have in the sum, without the texts, which are files by then. */
#include "found.h"

#include <save.h>
#include <stdio.h>
#include <string.h>

#include "../control.h"
#include "../control/settings.h"
#include "../control/texts.h"
#include "../reports.h"
#include "state.h"
#include "union.h"

/* ---- bytes ---- */

bool found_next(const char *bytes, size_t size, size_t *at, struct told *told, bool *good) {
  struct told_found head;
  const size_t left = size - *at;
  if (left == 0) return false;
  *good = left >= sizeof head;
  if (!*good) return false;
  memcpy(&head, bytes + *at, sizeof head);
  const uint64_t behind = (uint64_t)head.size + head.texts[0] + head.texts[1];
  *good = behind <= left - sizeof head;
  if (!*good) return false;
  const char *body = bytes + *at + sizeof head;
  *told = (struct told){
      head.found,
      body,
      head.size,
      {{body + head.size, head.texts[0]}, {body + head.size + head.texts[0], head.texts[1]}}};
  *at += sizeof head + behind;
  return true;
}

static bool keep(struct wire *kept, struct shared_found found, const void *body, size_t size) {
  const struct told_found head = {found, (uint32_t)size, {0, 0}};
  return kept == NULL || (wire_append(kept, (const char *)&head, sizeof head) &&
                          (size == 0 || wire_append(kept, body, size)));
}

/* ---- schedules ---- */

static unf_status produce(void *user, unf_write write, void *file) {
  const struct schedule_bytes *text = user;
  return write(file, text->bytes, text->size) ? UNF_OK : UNF_WRITE;
}

/* Writes a schedule; its number: that which it had, if any. */
static unsigned write_schedule(struct gathered *f, unsigned number, struct schedule_bytes text) {
  struct control *c = f->control;
  char path[sizeof c->settings.trace_folder + NAME_SIZE];
  int reason = 0;
  if (text.size == 0) return number;
  if (number <= c->schedules_kept) number = c->schedules_kept + ++f->schedules;
  schedule_path(c, number, path, sizeof path);
  const unf_status status = f->lasting ? save_lasting(path, produce, &text, &reason)
                                       : save_whole(path, produce, &text, &reason);
  if (status == UNF_OK) return number;
  if (f->sum->unwritten_count++ > 0) return 0;
  f->sum->unwritten = number;
  snprintf(f->sum->unwritten_because, sizeof f->sum->unwritten_because, "%s",
           status == UNF_WRITE && reason != 0 ? strerror(reason) : unf_status_text(status));
  return 0;
}

/* ---- of workers ---- */

static void count_finding(struct control *sum, uint32_t at, uint64_t count) {
  sum->findings_total += count;
  if (at >= FINDINGS_MAX) return;
  sum->findings[at].count += count;
  if (sum->findings[at].kind == FINDING_LIVELOCK) sum->livelocks += count;
}

static bool take_finding(struct gathered *f, unsigned worker, const struct control *state,
                         const struct told *told, struct wire *kept) {
  static struct finding finding;
  const uint32_t index = told->found.index;
  struct control *sum = f->sum;
  bool described = false;
  if (index >= FINDINGS_MAX) return true;
  if (told->size == sizeof finding) {
    memcpy(&finding, told->body, sizeof finding);
    const uint32_t at = union_finding(sum, state, &finding, &described);
    f->finding_at[worker][index] = at;
    if (described) {
      struct finding *own = &sum->findings[at];
      own->schedule = write_schedule(f, own->schedule, told->texts[0]);
      own->other = write_schedule(f, own->other, told->texts[1]);
    }
    sum->findings_dropped += at == FINDINGS_MAX;
  }
  const uint32_t at = f->finding_at[worker][index];
  const struct shared_found mine = {SHARED_FINDING, at, told->found.count};
  count_finding(sum, at, told->found.count);
  return keep(kept, mine, &sum->findings[described ? at : 0], described ? sizeof finding : 0);
}

static bool take_race(struct gathered *f, unsigned worker, const struct control *state,
                      const struct told *told, struct wire *kept) {
  struct reported_race race;
  const uint32_t index = told->found.index;
  struct control *sum = f->sum;
  bool described = false;
  if (index >= RACES_MAX) return true;
  if (told->size == sizeof race) {
    memcpy(&race, told->body, sizeof race);
    const uint64_t at = union_race(sum, state, &race, &described);
    f->race_at[worker][index] = (uint32_t)at;
    if (described)
      sum->races[at].schedule = write_schedule(f, sum->races[at].schedule, told->texts[0]);
  }
  const uint32_t at = f->race_at[worker][index];
  const struct shared_found mine = {SHARED_RACE, at, told->found.count};
  if (at < RACES_MAX) sum->races[at].count += told->found.count;
  return keep(kept, mine, &sum->races[described ? at : 0], described ? sizeof race : 0);
}

/* What is only counted. */
static bool count(struct control *sum, const struct shared_found *found) {
  if (found->kind == SHARED_LEFT_BEHIND) sum->left_behind += found->count;
  if (found->kind == SHARED_GIVEN_UP) sum->given_up += found->count;
  return found->kind == SHARED_LEFT_BEHIND || found->kind == SHARED_GIVEN_UP;
}

bool found_take(struct gathered *f, unsigned worker, const struct control *state,
                const struct told *told, struct wire *kept) {
  if (told->found.kind == SHARED_FINDING) return take_finding(f, worker, state, told, kept);
  if (told->found.kind == SHARED_RACE) return take_race(f, worker, state, told, kept);
  return !count(f->sum, &told->found) || keep(kept, told->found, NULL, 0);
}

/* ---- of a journal ---- */

static bool finding_before(struct control *sum, const struct told *told) {
  const uint32_t at = told->found.index;
  const bool described = told->size == sizeof sum->findings[0];
  const bool dropped = at == FINDINGS_MAX; /* there was no room for it */
  if (at > FINDINGS_MAX || sum->finding_count > FINDINGS_MAX) return false;
  if (dropped ? described : at > sum->finding_count) return false;
  if (!dropped && at == sum->finding_count && !described) return false;
  if (described) {
    const uint64_t before = at < sum->finding_count ? sum->findings[at].count : 0;
    memcpy(&sum->findings[at], told->body, sizeof sum->findings[at]);
    sum->findings[at].count = before;
    sum->finding_count += at == sum->finding_count;
  }
  count_finding(sum, at, told->found.count);
  return true;
}

static bool race_before(struct control *sum, const struct told *told) {
  const uint64_t at = told->found.index;
  const bool described = told->size == sizeof sum->races[0];
  if (at >= RACES_MAX) return at == RACES_MAX;
  if (at > sum->races_found || (at == sum->races_found && !described)) return false;
  if (described) {
    const uint64_t before = at < sum->races_found ? sum->races[at].count : 0;
    memcpy(&sum->races[at], told->body, sizeof sum->races[at]);
    sum->races[at].count = before;
    sum->races_found += at == sum->races_found;
  }
  sum->races[at].count += told->found.count;
  return true;
}

bool found_before(struct gathered *f, const struct told *told) {
  if (told->found.kind == SHARED_FINDING) return finding_before(f->sum, told);
  if (told->found.kind == SHARED_RACE) return race_before(f->sum, told);
  return count(f->sum, &told->found);
}

static void have_number(struct gathered *f, unsigned number) {
  const unsigned kept = f->control->schedules_kept;
  if (number > kept && number - kept > f->schedules) f->schedules = number - kept;
}

void found_resume(struct gathered *f) {
  const struct control *sum = f->sum;
  for (uint32_t i = 0; i < sum->finding_count; i++) {
    have_number(f, sum->findings[i].schedule);
    have_number(f, sum->findings[i].other);
  }
  for (uint64_t i = 0; i < sum->races_found && i < RACES_MAX; i++)
    have_number(f, sum->races[i].schedule);
}
