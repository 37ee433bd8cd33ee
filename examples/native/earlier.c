/* An exploration that is begun again sees more of the program's memory, or of the order of its
 * objects. What the one before found are executions that really happened, so they stay, each with
 * its schedule: a replay needs nothing else. What is found again is told as it is found then. */
#include "earlier.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text.h>
#include <unistd.h>

#include "control.h"
#include "control/findings.h"
#include "control/races.h"
#include "control/texts.h"
#include "report_races.h"
#include "reports.h"

/* A difference between two orders of a trace says that something was not seen. It is no finding
 * where more is seen now, which explores what it leads to. Nor is a wait at a place that was
 * learned, as long as it was not performed without that. */
static void drop_uncertain(struct control *control) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < control->finding_count; i++) {
    const struct finding *f = &control->findings[i];
    if (f->kind != FINDING_REORDERED && !f->learned) control->findings[kept++] = *f;
  }
  control->finding_count = kept;
}

static unsigned last_schedule(const struct control *control) {
  unsigned last = control->schedules_kept;
  for (uint32_t i = 0; i < control->finding_count; i++) {
    const struct finding *f = &control->findings[i];
    if (f->schedule > last) last = f->schedule;
    if (f->other > last) last = f->other;
  }
  for (uint64_t i = 0; i < control->races_found && i < RACES_MAX; i++)
    if (control->races[i].schedule > last) last = control->races[i].schedule;
  return last;
}

static bool is_named(const struct control *control, const struct cli_defects *defects,
                     unsigned number, const char *path) {
  char *shown = cli_show(path); /* as the defects have it */
  bool found = shown == NULL;
  for (size_t i = 0; !found && i < defects->count; i++)
    found = defects->items[i].schedule != NULL && strcmp(defects->items[i].schedule, shown) == 0;
  free(shown);
  if (found) return true;
  for (uint32_t i = 0; i < control->finding_count; i++)
    if (control->findings[i].other == number) return true;
  return false;
}

static bool is_other(const struct control *control, unsigned number) {
  bool found = false;
  for (uint32_t i = 0; i < control->finding_count; i++)
    found |= control->findings[i].other == number;
  return found;
}

/* A schedule gets a lower number, that nothing has; a file that was gone on from still has it under
 * the one before. */
static bool move(const struct control *control, struct cli_defects *defects, unsigned from,
                 unsigned to, bool continued) {
  char path[sizeof control->settings.trace_folder + NAME_SIZE], free_path[sizeof path];
  schedule_path(control, from, path, sizeof path);
  schedule_path(control, to, free_path, sizeof free_path);
  char *shown = cli_show(path);
  bool good = shown != NULL && link(path, free_path) == 0;
  if (good && !continued) unlink(path);
  for (size_t i = 0; good && i < defects->count; i++) {
    struct cli_defect *d = &defects->items[i];
    if (d->schedule != NULL && strcmp(d->schedule, shown) == 0)
      good = cli_defect_set_schedule(d, free_path);
  }
  free(shown);
  return good;
}

void earlier_tidy(const struct control *control, struct cli_defects *defects,
                  const struct cli_options *options) {
  const bool continued = options->go_on != NULL;
  char path[sizeof control->settings.trace_folder + NAME_SIZE];
  const unsigned last = control->unwritten_count > 0 ? 0 : last_schedule(control);
  unsigned next = 1; /* that nothing below has */
  for (unsigned i = 1; i <= last; i++) {
    schedule_path(control, i, path, sizeof path);
    const bool named = is_named(control, defects, i, path);
    if (!named) unlink(path);
    /* What is saved, and the text of a defect, name them as they are. */
    if (!named || options->save != NULL || is_other(control, i)) continue;
    while (next < i && is_other(control, next))
      next++;
    if (next < i && !move(control, defects, i, next, continued)) return;
    next++;
  }
}

bool earlier_keep(struct control *control, struct cli_defects *earlier) {
  const unsigned last = last_schedule(control);
  drop_uncertain(control);
  if (!report_findings(control, earlier) || !report_races(control, earlier)) return false;
  cli_defects_earlier(earlier);
  control->schedules_kept = control->schedules_fixed = last;
  return true;
}

void earlier_continue(struct control *control) {
  control->schedules_kept = last_schedule(control);
}

void earlier_forget(struct control *control) {
  const size_t kept = offsetof(struct control, outcome);
  memset((char *)control + kept, 0, sizeof *control - kept);
  control->restarts++;
}
