/* From addresses and names to source lines. */
#include "reports.h"

#include <errno.h>
#include <report.h>
#include <session.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <text.h>
#include <unistd.h>

#include "control.h"
#include "control/findings.h"
#include "control/steps.h"
#include "control/texts.h"
#include "lines.h"
#include "report_races.h"

static const enum cli_kind kinds[] = {
    [FINDING_DEADLOCK] = CLI_DEADLOCK,   [FINDING_LIVELOCK] = CLI_LIVELOCK,
    [FINDING_ASSERTION] = CLI_ASSERTION, [FINDING_ABORT] = CLI_ASSERTION,
    [FINDING_CRASH] = CLI_CRASH,         [FINDING_STATUS] = CLI_EXIT,
    [FINDING_MISUSE] = CLI_MISUSE,       [FINDING_UNDEFINED] = CLI_UNDEFINED,
    [FINDING_REORDERED] = CLI_REORDERED,
};

void schedule_path(const struct control *control, unsigned number, char *path, size_t size) {
  const char *folder = control->settings.trace_folder;
  bool here = strcmp(folder, ".") == 0;
  snprintf(path, size, "%s%strace-%u.unfs", here ? "" : folder, here ? "" : "/", number);
}

static const char *text_of(const struct control *control, const struct finding *f, char *text,
                           size_t size) {
  char path[sizeof control->settings.trace_folder + NAME_SIZE];
  if (f->kind == FINDING_ABORT) return "the program called abort";
  if (f->kind != FINDING_REORDERED) return f->text[0] != '\0' ? f->text : NULL;
  schedule_path(control, f->other, path, sizeof path);
  snprintf(text, size, "concurrent operations come in another order, and %s%s%s%s",
           f->text[0] != '\0' ? "the end is another: " : "a thread goes on otherwise", f->text,
           f->other != 0 ? "; the other order is " : "", f->other != 0 ? path : "");
  return text;
}

/* What explains why a thread waits for ever. */
static void note(const struct control *control, const struct involved *v, json_t *thread) {
  char text[TEXT_SIZE];
  const char *since = line_of(control, v->owner_place), *lost = line_of(control, v->lost_place);
  if (since != NULL)
    snprintf(text, sizeof text, "locked at %s by a thread that has ended", since);
  else if (lost != NULL)
    snprintf(text, sizeof text, "notified at %s when nobody waited", lost);
  else if (v->value[0] != '\0')
    snprintf(text, sizeof text, "its value is %s", v->value);
  else if (v->needed > 0)
    snprintf(text, sizeof text, "%u of %u threads have arrived", v->arrived, v->needed);
  else
    return;
  cli_thread_note(thread, text);
}

static const char *state_of(const struct finding *f, uint32_t number) {
  if (f->kind == FINDING_REORDERED && f->involved[number].operation[0] != '\0')
    return number == 0 ? "in one order" : "in the other";
  return f->kind == FINDING_DEADLOCK || f->kind == FINDING_LIVELOCK ? "blocked" : "stopped";
}

static void add_thread(const struct control *control, const struct finding *f, uint32_t number,
                       struct cli_defect *defect) {
  char text[TEXT_SIZE];
  const struct involved *v = &f->involved[number];
  bool waits = f->kind == FINDING_DEADLOCK || f->kind == FINDING_LIVELOCK;
  json_t *thread =
      cli_thread(v->name, state_of(f, number), v->operation[0] != '\0' ? v->operation : NULL,
                 line_of(control, v->place));
  for (uint32_t i = 0; i < v->held_count; i++) {
    variable_text(control, v->held[i].kind, v->held[i].address, v->held[i].name, text, sizeof text);
    cli_thread_holds(thread, text, line_of(control, v->held[i].place));
  }
  if (f->kind == FINDING_REORDERED && v->address != 0) {
    variable_text(control, v->kind, v->address, v->target, text, sizeof text);
    cli_thread_note(thread, text);
  } else if (waits && v->address != 0) {
    variable_text(control, v->kind, v->address, v->target, text, sizeof text);
    cli_thread_waits(thread, text, v->owner[0] != '\0' ? v->owner : NULL);
  } else if (waits && v->target[0] != '\0') {
    snprintf(text, sizeof text, "thread %s", v->target);
    cli_thread_waits(thread, text, NULL);
  }
  if (waits && f->involved[0].in_cycle && !v->in_cycle)
    cli_thread_note(thread, "not part of the cycle");
  note(control, v, thread);
  cli_defect_add(defect, thread);
}

bool report_schedule(const struct control *control, unsigned number, struct cli_defect *defect) {
  char path[sizeof control->settings.trace_folder + NAME_SIZE];
  if (number == 0) return true;
  schedule_path(control, number, path, sizeof path);
  return cli_defect_set_schedule(defect, path);
}

bool report_findings(const struct control *control, struct cli_defects *defects) {
  for (uint32_t i = 0; i < control->finding_count; i++) {
    const struct finding *f = &control->findings[i];
    uint64_t places[INVOLVED_MAX + 2];
    char text[TEXT_SIZE + sizeof control->settings.trace_folder];
    size_t count = 0;
    for (uint32_t j = 0; j < f->involved_count; j++)
      places[count++] = control_place(control, f->involved[j].place);
    places[count++] = f->kind;
    places[count++] = (uint64_t)f->number;
    bool fresh;
    struct cli_defect *defect = cli_defects_see(defects, kinds[f->kind], places, count,
                                                (struct cli_seen){f->count, f->probes}, &fresh);
    if (defect == NULL) return false;
    if (fresh || f->step < defect->step) defect->step = f->step;
    if (!cli_defect_begins(defect, (struct trace_name){{f->name[0], f->name[1]}}, fresh)) continue;
    const char *said = text_of(control, f, text, sizeof text);
    if (said != NULL) cli_defect_set_text(defect, said);
    if (!report_schedule(control, f->schedule, defect)) return false;
    for (uint32_t j = 0; j < f->involved_count; j++)
      add_thread(control, f, j, defect);
  }
  return true;
}

bool report_mode(const struct control *control, char *text, size_t size) {
  const char *place = line_of(control, control->apart_place);
  const char *because = control->settings.apart_because;
  if (because[0] == '\0') because = control->fallback;
  text[0] = '\0';
  if (because[0] != '\0')
    snprintf(text, size, "every execution had a process of its own: %s", because);
  else if (control->apart > 0)
    snprintf(text, size, "%llu %s in a process of its own, because of %s%s%s",
             (unsigned long long)control->apart,
             control->apart == 1 ? "execution went on" : "executions went on, each",
             control->apart_call, place != NULL ? ", called at " : "", place != NULL ? place : "");
  return text[0] != '\0';
}

static void report_end(const struct control *control) {
  struct cli_defects defects = {0};
  if (control->outcome != OUTCOME_FINISHED && control->outcome != OUTCOME_NONE) {
    const char *place = line_of(control, control->place);
    cli_say(stderr, "unfold: %s%s%s", control->message, place != NULL ? ", " : "",
            place != NULL ? place : "");
  }
  if (report_findings(control, &defects) && report_races(control, &defects))
    for (size_t i = 0; i < defects.count; i++)
      cli_defect_print(&defects.items[i], cli_colour(stdout), stdout);
  if (control->outcome == OUTCOME_FINISHED && defects.count == 0) puts("nothing found");
  cli_defects_free(&defects);
}

void report_steps(const struct control *control, int socket) {
  struct reported_step step;
  char object[TEXT_SIZE];
  while (recv(socket, &step, sizeof step, MSG_WAITALL) == (ssize_t)sizeof step) {
    const char *place = line_of(control, step.place);
    object[0] = '\0';
    if (step.address != 0)
      variable_text(control, step.kind, step.address, "", object, sizeof object);
    cli_say(stdout, "%4llu  %-24s%s%s%s%s", (unsigned long long)step.number, step.action,
            object[0] != '\0' ? "  " : "", object, place != NULL ? "  " : "",
            place != NULL ? place : "");
    if (fflush(stdout) != 0 && errno == EPIPE)
      return; /* nobody looks on: the replay ends as well */
    if (write(socket, "", 1) != 1) break;
  }
  report_end(control);
  const char unwritten = REPLAY_UNWRITTEN;
  if (cli_output_status(CLI_NATIVE, CLI_CLEAN) == CLI_CLEAN) return;
  if (write(socket, &unwritten, 1) != 1)
    cli_say(stderr, "unfold: the replay did not wait for that");
}
