/* Each execution is a schedule in a file of a folder of its own, which a replay reads. */
#include "performing.h"

#include <report.h>
#include <save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "control/steps.h"
#include "control/texts.h"
#include "report_races.h"
#include "reports.h"

struct step_list {
  const struct performing *performing;
  const unf_action *actions;
  size_t count;
};

static unf_status produce(void *user, unf_write write, void *file) {
  const struct step_list *steps = user;
  const struct performing *p = steps->performing;
  unf_schedule *schedule;
  unf_status status = unf_schedule_new(p->telling->unfolding, p->program, &schedule);
  if (status != UNF_OK) return status;
  for (size_t i = 0; i < steps->count && status == UNF_OK; i++)
    status = unf_schedule_append(schedule, &steps->actions[i]);
  if (status == UNF_OK) status = unf_schedule_write(schedule, write, file);
  unf_schedule_free(schedule);
  return status;
}

bool performing_save(const struct performing *p, const char *path, const unf_action *actions,
                     size_t count) {
  struct step_list steps = {p, actions, count};
  int reason = 0;
  const save_producer producer = produce;
  return (path == p->path ? save_through : save_whole)(path, producer, &steps, &reason) == UNF_OK;
}

bool performing_do(struct performing *p, const unf_action *actions, size_t count,
                   const struct manner *manner, struct performed *out) {
  const double left = p->until - cli_now();
  memset(out, 0, sizeof *out);
  return performing_save(p, p->path, actions, count) &&
         again_perform(p->telling->again, p->path, p->each > 0 && p->each < left ? p->each : left,
                       manner, out) &&
         out->ended;
}

bool performing_found(const struct performed *performed, struct cli_defects *defects) {
  return report_findings(performed->control, defects) && report_races(performed->control, defects);
}

static uint64_t number_or_most(size_t number) {
  return number == RUN_NONE ? UINT64_MAX : number;
}

/* Says in the run what was done. */
static bool note(const struct telling *telling, const struct performed *performed,
                 struct run *run) {
  unf_schedule *schedule = actions_of(telling, performed);
  bool good = schedule != NULL;
  for (size_t i = 0; i < performed->count && good; i++) {
    const struct reported_step *step = &performed->steps[i];
    unf_action action;
    good = unf_schedule_step(schedule, i, &action) == UNF_OK;
    if (good && step->choice)
      run_choice(run, &action);
    else if (good && !step->ordered)
      run_step(run, &action, (struct run_event){{step->event[0], step->event[1]}}, step->causes,
               step->cause_count);
  }
  unf_schedule_free(schedule);
  return good;
}

bool performing_run(void *user, const unf_action *actions, size_t count, struct run *run) {
  struct performing *p = user;
  const struct manner manner = {number_or_most(run->from), number_or_most(run->most), 0,
                                run->lenient};
  struct performed performed;
  struct cli_defects defects = {0};
  bool good = performing_do(p, actions, count, &manner, &performed) &&
              performing_found(&performed, &defects) && note(p->telling, &performed, run);
  const struct cli_defect *found = good ? cli_defects_find(&defects, p->defect) : NULL;
  run->defect = found != NULL;
  if (found != NULL) run->shown = (size_t)found->step;
  /* More could have been seen, or was cut off. */
  if (good) run->partial |= performed.control->learned || performed.control->timeouts_bounded;
  cli_defects_free(&defects);
  again_free(&performed);
  return good;
}

unf_action *performing_steps(const struct telling *t, const struct performed *performed,
                             size_t *count) {
  unf_schedule *schedule = actions_of(t, performed);
  unf_action *steps = malloc((performed->count + 1) * sizeof *steps);
  bool good = schedule != NULL && steps != NULL;
  *count = 0;
  for (size_t i = 0; i < performed->count && good; i++) {
    const struct reported_step *step = &performed->steps[i];
    if (!step->choice && !step->ordered)
      good = unf_schedule_step(schedule, i, &steps[(*count)++]) == UNF_OK;
  }
  unf_schedule_free(schedule);
  if (good) return steps;
  free(steps);
  return NULL;
}

/* The program's name in a schedule says what was seen of its memory. */
static bool read_program(const char *path, char *program, size_t size) {
  static const char word[] = "program ";
  char line[TEXT_SIZE + sizeof word];
  FILE *file = fopen(path, "re");
  bool good = file != NULL;
  for (int i = 0; i < 2 && good; i++)
    good = fgets(line, sizeof line, file) != NULL;
  if (file != NULL) fclose(file);
  if (!good || strncmp(line, word, sizeof word - 1) != 0) return false;
  snprintf(program, size, "%.*s", (int)strcspn(line + sizeof word - 1, "\n"),
           line + sizeof word - 1);
  return program[0] != '\0';
}

bool performing_begin(struct performing *p, struct telling *telling,
                      const struct cli_defect *defect, double seconds) {
  const char *temporary = getenv("TMPDIR");
  memset(p, 0, sizeof *p);
  p->telling = telling;
  p->defect = defect;
  p->until = cli_now() + seconds;
  snprintf(p->folder, sizeof p->folder, "%s/unfold-XXXXXX",
           temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
  if (!read_program(defect->schedule, p->program, sizeof p->program) || mkdtemp(p->folder) == NULL)
    return false;
  snprintf(p->path, sizeof p->path, "%s/other.unfs", p->folder);
  return true;
}

void performing_end(struct performing *p) {
  unlink(p->path);
  rmdir(p->folder);
}
