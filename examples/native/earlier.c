/* An exploration that is begun again sees more of the program's memory, or of the order of its
 * objects. What the one before found are executions that really happened, so they stay, each with
 * its schedule: a replay needs nothing else. */
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

void earlier_tidy(const struct control *control, const struct cli_defects *defects) {
  char path[sizeof control->settings.trace_folder + NAME_SIZE];
  const unsigned last = control->unwritten_count > 0 ? 0 : last_schedule(control);
  for (unsigned i = 1; i <= last; i++) {
    schedule_path(control, i, path, sizeof path);
    if (!is_named(control, defects, i, path)) unlink(path);
  }
}

static void know(struct control *control, const struct finding *f) {
  for (uint32_t i = 0; i < control->known_count; i++)
    if (control->known[i].key == f->key) return;
  if (control->known_count == FINDINGS_MAX) return;
  control->known[control->known_count++] = (struct known_finding){f->key, f->schedule};
}

bool earlier_keep(struct control *control, struct cli_defects *earlier) {
  const unsigned last = last_schedule(control);
  drop_uncertain(control);
  if (!report_findings(control, earlier) || !report_races(control, earlier)) return false;
  for (uint32_t i = 0; i < control->finding_count; i++)
    know(control, &control->findings[i]);
  cli_defects_earlier(earlier);
  control->schedules_kept = last;
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
