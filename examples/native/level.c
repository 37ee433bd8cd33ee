/* Which accesses are seen, and when the exploration begins again with others.
 *
 * An exploration that shows that a plain store was missed begins again with all accesses; so does
 * one that found out what memory is shared. With `auto`, read-modify-writes come first, then all
 * accesses if that is not too much work. Where this comes to no result, that of the level before
 * is the result; where that one was refused, the program is explored without either.
 */
#include "level.h"

#include <report.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"
#include "control/marks.h"
#include "control/settings.h"
#include "control/texts.h"
#include "earlier.h"
#include "quiet.h"
#include "report_unseen.h"

/* All accesses cost so many times as much as read-modify-writes, roughly, beside what is added to
 * the start of the program; and the factor by which they may go beyond the budget. */
static const double times_as_much = 12, to_start = 0.3, overdrawn = 3, usual_budget = 2;

/* A replay sees what was seen when the schedule was written: its second line says that. */
static void level_of_schedule(struct control *control, const struct cli_options *options) {
  struct settings *settings = &control->settings;
  char line[2][TEXT_SIZE + NAME_SIZE + QUIET_TEXT] = {"", ""};
  FILE *file = fopen(options->replay, "re");
  for (int i = 0; file != NULL && i < 2; i++)
    if (fgets(line[i], sizeof line[i], file) == NULL) break;
  if (file != NULL) fclose(file);
  quiet_of_schedule(control, line[1]);
  if (options->atomics != CLI_ATOMICS_AUTO) return;
  settings->moves = strstr(line[1], LEVEL_MARK "all") != NULL;
  settings->sites = settings->moves || strstr(line[1], LEVEL_MARK "rmw") != NULL;
}

bool level_begin(struct control *control, const struct cli_options *options) {
  struct settings *settings = &control->settings;
  settings->sites = options->atomics != CLI_ATOMICS_OFF;
  settings->moves = options->atomics == CLI_ATOMICS_ALL;
  settings->lowered[0] = '\0';
  if (options->quiet != NULL && !quiet_read(control, options->quiet)) return false;
  if (options->replay != NULL) level_of_schedule(control, options);
  return true;
}

static double budget(const struct cli_options *options) {
  return options->atomics_budget > 0 ? options->atomics_budget : usual_budget;
}

/* ---- results ---- */

static void *result_of(struct control *control, size_t *size) {
  *size = sizeof *control - offsetof(struct control, outcome);
  return (char *)control + offsetof(struct control, outcome);
}

/* The picture of that result is put aside, since another one is drawn in its place. */
static void aside(const struct settings *s, char *path, size_t size) {
  snprintf(path, size, "%s.rmw", s->dot);
}

static void put_picture_aside(const struct settings *s) {
  char path[sizeof s->dot + NAME_SIZE];
  struct stat information;
  aside(s, path, sizeof path);
  if (s->dot[0] != '\0' && lstat(s->dot, &information) == 0 && S_ISREG(information.st_mode))
    rename(s->dot, path);
}

static void put_picture_back(const struct settings *s, bool wanted) {
  char path[sizeof s->dot + NAME_SIZE];
  aside(s, path, sizeof path);
  if (s->dot[0] == '\0') return;
  if (wanted)
    rename(path, s->dot);
  else
    unlink(path);
}

static struct begun_again begun(const struct control *control) {
  return (struct begun_again){control->restarts, control->level_restarts, control->init_restarts,
                              control->learn_restarts, control->joins_watched};
}

static void put_begun(struct control *control, struct begun_again begun) {
  control->restarts = begun.all;
  control->level_restarts = begun.levels;
  control->init_restarts = begun.inits;
  control->learn_restarts = begun.learning;
  control->joins_watched = begun.joins;
}

static bool keep_result(struct levels *l) {
  size_t size;
  const void *result = result_of(l->control, &size);
  l->before = malloc(size);
  if (l->before == NULL) return false;
  memcpy(l->before, result, size);
  put_picture_aside(&l->control->settings);
  l->begun_before = begun(l->control);
  l->before_finished = l->control->outcome == OUTCOME_FINISHED;
  l->before_busy = l->control->stop == STOP_BUSY;
  return true;
}

/* What was found since then stays, as found earlier; what that result has is its own again. */
static void take_back(struct levels *l, const char *why) {
  struct control *control = l->control;
  struct settings *s = &control->settings;
  size_t size;
  void *result = result_of(control, &size);
  if (!earlier_keep(control, &l->earlier)) return;
  snprintf(s->lowered, sizeof s->lowered, "%.*s", (int)sizeof s->lowered - 1, why);
  memcpy(result, l->before, size);
  put_picture_back(s, true);
  put_begun(control, l->begun_before);
  s->moves = false;
  s->sites = true;
  s->max_seconds = l->options->max_seconds;
}

static bool found_first(const struct levels *l) {
  return l->options->stop_at_first &&
         l->control->finding_count + l->control->races_found + l->earlier.count > 0;
}

static bool begin_again(struct levels *l) {
  if (!earlier_keep(l->control, &l->earlier)) return false;
  earlier_forget(l->control);
  return true;
}

/* ---- levels ---- */

/* What was explored before counts against the limit of the command line, too. */
static bool raise_for_a_while(struct levels *l, double used) {
  struct control *control = l->control;
  const double most = used + overdrawn * budget(l->options);
  l->hurried = l->options->max_seconds <= 0 || l->options->max_seconds > most;
  if (l->hurried) control->settings.max_seconds = most;
  control->settings.moves = true;
  control->level_restarts++;
  return begin_again(l);
}

static bool without(struct levels *l, const char *why) {
  struct settings *s = &l->control->settings;
  s->max_seconds = l->options->max_seconds;
  snprintf(s->lowered, sizeof s->lowered, "%.*s", (int)sizeof s->lowered - 1, why);
  s->moves = s->sites = l->hurried = false;
  l->control->level_restarts++;
  return begin_again(l);
}

/* A thread that does not go on may wait for another one, in memory that was thought to be its own.
 * It may also have a lot to do: then it is explored as before. */
static bool looks_closer(struct control *control) {
  struct settings *s = &control->settings;
  const bool stalled = control->stop == STOP_BUSY || control->stop == STOP_BLOCKED;
  if (!s->moves || !stalled || (s->none_owned_tried && !s->none_owned)) return false;
  s->none_owned = !s->none_owned_tried;
  s->none_owned_tried = true;
  return true;
}

/* Whether it is said to be impossible, perhaps because of what is seen. A system call that only
 * the program itself could end is the same at each level. */
static bool is_refused(const struct control *control) {
  return control->attached && control->in_main && control->stop != STOP_BLOCKED &&
         (control->outcome == OUTCOME_REFUSED || control->outcome == OUTCOME_BROKEN);
}

/* Why all accesses came to no result; NULL: they did, or were interrupted. */
static const char *failure(const struct levels *l) {
  const struct control *control = l->control;
  if (is_refused(control) || control->stop == STOP_BLOCKED) return control->message;
  if (control->outcome != OUTCOME_LIMIT || control->stop == STOP_INTERRUPT) return NULL;
  const bool slow = control->stop == STOP_TIME || strstr(control->message, "second") != NULL;
  if (slow && l->hurried) return "all accesses would have taken too long";
  return l->before_finished ? "all accesses would have gone beyond a limit" : NULL;
}

static bool seems_cheap(const struct levels *l, double work, double used) {
  const double price = to_start + times_as_much * work, most = l->options->max_seconds;
  return price <= budget(l->options) && (most <= 0 || used + price <= most);
}

/* The level above this one if it shows more, the one below if this one came to no result. */
static bool another_level(struct levels *l, double work, double used) {
  struct control *control = l->control;
  const struct settings *s = &control->settings;
  const bool off = !s->sites || control->sites_off[0] != '\0';
  if (off && l->before != NULL && is_refused(control)) {
    take_back(l, "");
    return false;
  }
  if (off) return false;
  if (s->moves) {
    const char *why = failure(l);
    if (why == NULL) return false;
    if (!l->before_finished && !l->before_busy) return without(l, why);
    take_back(l, why);
    return false;
  }
  if (control->threads_most > 1 && is_refused(control))
    return keep_result(l) && raise_for_a_while(l, used);
  if (is_refused(control)) return keep_result(l) && without(l, control->message);
  return control->outcome == OUTCOME_FINISHED && all_would_show(control) &&
         seems_cheap(l, work, used) && keep_result(l) && raise_for_a_while(l, used);
}

bool level_again(struct levels *l, double work, double used) {
  struct control *control = l->control;
  const bool automatic = l->options->atomics == CLI_ATOMICS_AUTO;
  if (control->stop == STOP_INTERRUPT) return false;
  /* The time was up when it was about to begin again. */
  if (control->outcome == OUTCOME_AGAIN && control->stop == STOP_TIME)
    control->outcome = OUTCOME_LIMIT;
  if (found_first(l)) {
    if (control->outcome == OUTCOME_AGAIN) control->outcome = OUTCOME_FIRST;
    return false;
  }
  const bool again = control->outcome == OUTCOME_AGAIN && control->stop == STOP_NONE;
  if (again && control->quiet_lines) quiet_find_lines(control, l->options->quiet);
  if (control_begins_again(control)) return begin_again(l);
  if (again) { /* a store that was not seen */
    if (automatic) return raise_for_a_while(l, used);
    control->settings.moves = true;
    control->level_restarts++;
    return begin_again(l);
  }
  if (looks_closer(control)) return begin_again(l);
  return automatic && another_level(l, work, used);
}

void level_end(struct levels *l) {
  quiet_complain(l->control);
  if (l->before != NULL) put_picture_back(&l->control->settings, false);
  free(l->before);
  l->before = NULL;
  cli_defects_free(&l->earlier);
}
