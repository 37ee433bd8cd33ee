/* The sentences name the thread, the place, how often, and what helps. */
#include "stuck.h"

#include <stdio.h>

#include "control.h"
#include "control/stuck.h"
#include "control/texts.h"
#include "lines.h"

/* A thread that computed less long is not said to be in a loop. */
static const double long_seconds = 1;

/* A loop goes round a few places; a long execution without one has many. */
enum { FEW_PLACES = 8 };

static const char help[] = "; a loop that waits for another thread goes on for ever where that one "
                           "is not chosen: wait at a "
                           "condition variable, or state the wait (unfold/await.h)";

/* "at FILE:LINE in FUNCTION", with a comma in front; "" when it is not known. */
static void where(const struct control *control, uint64_t place, char *text, size_t size) {
  const char *line = place != 0 ? line_of(control, place) : NULL;
  const char *function = line != NULL ? function_of(control, place) : NULL;
  snprintf(text, size, "%s%s%s%s", line != NULL ? ", at " : "", line != NULL ? line : "",
           function != NULL ? " in " : "", function != NULL ? function : "");
}

/* The thread that was asked, or who else it may have been. */
static void who(const struct control *control, char *text, size_t size) {
  const struct stuck *s = &control->stuck;
  if (!control->in_main)
    snprintf(text, size, "before main the program");
  else if (s->thread[0] != '\0')
    snprintf(text, size, "thread %s", s->thread);
  else
    snprintf(text, size, "a thread");
}

static void last_operation(const struct control *control, char *text, size_t size) {
  const char *line = control->last_place != 0 ? line_of(control, control->last_place) : NULL;
  snprintf(text, size, "%s%s", line != NULL ? "; the last operation was at " : "",
           line != NULL ? line : "");
}

void stuck_text(const struct control *control, char *text, size_t size) {
  const struct stuck *s = &control->stuck;
  char thread[2 * NAME_SIZE], place[TEXT_SIZE], last[TEXT_SIZE];
  who(control, thread, sizeof thread);
  where(control, s->place, place, sizeof place);
  last_operation(control, last, sizeof last);
  if (control->stop == STOP_BLOCKED)
    snprintf(text, size, "%s is blocked in an uncontrolled call%s%s%s%s", thread,
             s->call[0] != '\0' ? ", " : "", s->call, place, last);
  else
    snprintf(text, size, "%s ran for %.0f seconds without an operation%s%s%s", thread, s->seconds,
             place, last, control->in_main ? help : "");
}

static const struct repeated *most_repeated(const struct control *control) {
  const struct repeated *most = control->repeated;
  for (const struct repeated *r = control->repeated; r < control->repeated + REPEATED_MAX; r++)
    if (r->count - r->excess > most->count - most->excess) most = r;
  return most;
}

bool unending_text(const struct control *control, char *text, size_t size) {
  const struct stuck *s = &control->stuck;
  char thread[2 * NAME_SIZE], place[TEXT_SIZE];
  if (s->answered && s->place != 0 && s->seconds > long_seconds) {
    who(control, thread, sizeof thread);
    where(control, s->place, place, sizeof place);
    snprintf(text, size, "%s ran on for %.0f seconds without an operation%s%s", thread, s->seconds,
             place, control->in_main ? help : "");
    return true;
  }
  const struct repeated *most = most_repeated(control);
  const uint64_t times = most->count - most->excess;
  if (control->execution_steps <= LONG_EXECUTION ||
      times < (control->execution_steps - LONG_EXECUTION) / FEW_PLACES)
    return false;
  where(control, most->place, place, sizeof place);
  snprintf(text, size, "%s %llu operations: thread %s did %s at least %llu times%s%s%s",
           control->execution_ended ? "the last execution had" : "an execution had not ended after",
           (unsigned long long)control->execution_steps, most->thread, most->operation,
           (unsigned long long)times, place, help,
           control->callbacks_seen ? ", or end loops (--bound)" : "");
  return true;
}
