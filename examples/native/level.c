/* Which accesses are seen, and when the exploration begins again with others.
 *
 * An exploration that shows that a plain store was missed begins again with all accesses; so does
 * one that found out what memory is shared. With `auto`, read-modify-writes come first, then all
 * accesses if that is not too much work, and what cannot be explored so is explored as it can be.
 */
#include "level.h"

#include <report.h>
#include <stdio.h>
#include <string.h>

/* All accesses cost so many times as much as read-modify-writes, roughly, beside what is added to
 * the start of the program; and the factor by which they may go beyond the budget. */
static const double times_as_much = 12, to_start = 0.3, overdrawn = 3, usual_budget = 2;

/* A replay sees what was seen when the schedule was written: its second line says that. */
static void level_of_schedule(struct settings *settings, const char *path) {
  char line[2][TEXT_SIZE + NAME_SIZE] = {"", ""};
  FILE *file = fopen(path, "re");
  for (int i = 0; file != NULL && i < 2; i++)
    if (fgets(line[i], sizeof line[i], file) == NULL) break;
  if (file != NULL) fclose(file);
  settings->moves = strstr(line[1], LEVEL_MARK "all\n") != NULL;
  settings->sites = settings->moves || strstr(line[1], LEVEL_MARK "rmw\n") != NULL;
}

void level_begin(struct settings *settings, const struct cli_options *options) {
  settings->sites = options->atomics != CLI_ATOMICS_OFF;
  settings->moves = options->atomics == CLI_ATOMICS_ALL;
  if (options->replay != NULL && options->atomics == CLI_ATOMICS_AUTO)
    level_of_schedule(settings, options->replay);
  settings->lowered[0] = '\0';
}

static bool raise_level(struct control *control) {
  control->settings.moves = true;
  return true;
}

static double budget(const struct cli_options *options) {
  return options->atomics_budget > 0 ? options->atomics_budget : usual_budget;
}

/* What was explored before counts against the limit of the command line, too. */
static bool raise_for_a_while(struct control *control, const struct cli_options *options,
                              double used) {
  const double most = used + overdrawn * budget(options);
  if (options->max_seconds <= 0 || options->max_seconds > most)
    control->settings.max_seconds = most;
  return raise_level(control);
}

static bool took_too_long(const struct control *control, const struct cli_options *options) {
  return control->settings.moves && control->outcome == OUTCOME_LIMIT &&
         (control->settings.max_seconds < options->max_seconds || options->max_seconds <= 0) &&
         (control->stop == STOP_TIME || strstr(control->message, "second") != NULL);
}

static bool lower(struct control *control, const struct cli_options *options, bool sites,
                  const char *why) {
  control->settings.max_seconds = options->max_seconds;
  snprintf(control->settings.lowered, sizeof control->settings.lowered, "%.*s",
           (int)sizeof control->settings.lowered - 1, why);
  control->settings.moves = false;
  control->settings.sites = sites;
  control->stop = STOP_NONE;
  return true;
}

/* What the exploration before found out is used now. */
static bool knows_more(const struct control *control) {
  return control->learned && control->restarts < RESTARTS_MAX &&
         control->outcome == OUTCOME_REFUSED && control->stop == STOP_NONE;
}

/* A thread that does not go on may wait for another one, in memory that was thought to be its own.
 * It may also have a lot to do: then it is explored as before. */
static bool looks_closer(struct control *control) {
  struct settings *s = &control->settings;
  const bool stalled = control->stop == STOP_BUSY || control->stop == STOP_BLOCKED;
  if (!s->moves || !stalled || (s->none_owned_tried && !s->none_owned)) return false;
  s->none_owned = !s->none_owned_tried;
  s->none_owned_tried = true;
  control->stop = STOP_NONE;
  return true;
}

/* Whether it is said to be impossible because of what is seen: then it may go with less. */
static bool is_refused(const struct control *control) {
  return control->settings.sites && control->attached && control->in_main &&
         (control->outcome == OUTCOME_REFUSED || control->outcome == OUTCOME_BROKEN);
}

/* An exploration that found something is the result: another one need not find it again, since
 * loops that wait are shortened with all accesses, and left as they are with less. */
static bool found_something(const struct control *control) {
  return control->finding_count > 0 || control->races_found + control->races_kept > 0;
}

static bool again_by_itself(struct control *control, const struct cli_options *options,
                            double seconds, double used) {
  struct settings *s = &control->settings;
  const double price = to_start + times_as_much * seconds;
  if (!s->sites || s->lowered[0] != '\0' || found_something(control)) return false;
  if (is_refused(control)) {
    if (!s->moves && control->threads_most > 1 && control->sites_off[0] == '\0')
      return raise_level(control);
    return lower(control, options, false, control->message);
  }
  if (took_too_long(control, options))
    return lower(control, options, true, "all accesses would have taken too long");
  return !s->moves && control->outcome == OUTCOME_FINISHED && control->threads_most > 1 &&
         control->sites_off[0] == '\0' && price <= budget(options) &&
         raise_for_a_while(control, options, used);
}

bool level_again(struct control *control, const struct cli_options *options, double seconds,
                 double used) {
  if (control->outcome == OUTCOME_AGAIN && control->stop == STOP_NONE) {
    if (control->stored_plainly) control->settings.moves = true;
    return true;
  }
  if (knows_more(control) || looks_closer(control)) return true;
  return options->atomics == CLI_ATOMICS_AUTO && again_by_itself(control, options, seconds, used);
}
