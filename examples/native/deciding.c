/* The step that decided, of a program: other executions are performed by replays of schedules that
 * end early, behind which a replay goes on as it likes. */
#include "telling.h"

#include "report_races.h"
#include "reports.h"

#include <decide.h>
#include <report.h>
#include <save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

struct deciding {
  struct telling *telling;
  const struct cli_defect *defect;
  char program[TEXT_SIZE]; /* the second line of its schedule */
  char folder[PATH_ROOM - 32], path[PATH_ROOM];
  double until;
};

struct steps {
  const struct deciding *deciding;
  const unf_action *actions;
  size_t count;
};

static unf_status produce(void *user, unf_write write, void *file) {
  const struct steps *steps = user;
  unf_schedule *schedule;
  unf_status status =
      unf_schedule_new(steps->deciding->telling->unfolding, steps->deciding->program, &schedule);
  if (status != UNF_OK) return status;
  for (size_t i = 0; i < steps->count && status == UNF_OK; i++)
    status = unf_schedule_append(schedule, &steps->actions[i]);
  if (status == UNF_OK) status = unf_schedule_write(schedule, write, file);
  unf_schedule_free(schedule);
  return status;
}

/* Performs actions, and any behind them. False: not to its end in time. */
static bool perform_all(struct deciding *d, const unf_action *actions, size_t count,
                        uint64_t choices_from, struct performed *out) {
  struct steps steps = {d, actions, count};
  int reason;
  memset(out, 0, sizeof *out);
  return save_through(d->path, produce, &steps, &reason) == UNF_OK &&
         again_perform(d->telling->again, d->path, d->until - cli_now(), choices_from, out) &&
         out->ended;
}

static bool found_in(const struct performed *performed, struct cli_defects *defects) {
  return report_findings(performed->control, defects) && report_races(performed->control, defects);
}

static bool perform(void *user, const unf_action *actions, size_t count, struct run *run) {
  struct deciding *d = user;
  struct performed performed;
  struct cli_defects defects = {0};
  bool good = perform_all(d, actions, count, run->from, &performed);
  unf_schedule *schedule = good ? actions_of(d->telling, &performed) : NULL;
  good = schedule != NULL && found_in(&performed, &defects);
  for (size_t i = 0; i < performed.count && good; i++) {
    const struct reported_step *step = &performed.steps[i];
    unf_action action;
    good = unf_schedule_step(schedule, i, &action) == UNF_OK;
    if (good && step->choice)
      run_choice(run, &action);
    else if (good)
      run_step(run, &action, (struct run_event){{step->event[0], step->event[1]}});
  }
  run->defect = cli_defects_have(&defects, d->defect);
  cli_defects_free(&defects);
  unf_schedule_free(schedule);
  again_free(&performed);
  return good;
}

/* The steps of the execution that has the defect. NULL: no memory. */
static unf_action *own_steps(const struct telling *t, const struct performed *performed) {
  unf_schedule *schedule = actions_of(t, performed);
  unf_action *steps = malloc((performed->count + 1) * sizeof *steps);
  bool good = schedule != NULL && steps != NULL;
  for (size_t i = 0; i < performed->count && good; i++)
    good = unf_schedule_step(schedule, i, &steps[i]) == UNF_OK;
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

static json_t *tell(struct deciding *d, const unf_action *steps, size_t count) {
  const struct decide_engine engine = {d, perform, d->until};
  struct decided decided;
  struct performed other = {NULL, NULL, 0, 0, false};
  struct cli_defects defects = {0};
  json_t *shown = NULL;
  decide(&engine, steps, count, &decided);
  if (decided.decision == DECIDED && decided.step >= count) decided.decision = DECIDED_NOT;
  if (decided.decision == DECIDED) {
    d->until = cli_now() + DECIDE_SECONDS;
    if (perform_all(d, decided.other.steps, decided.other.count, decided.other.count, &other) &&
        found_in(&other, &defects))
      shown = steps_of(d->telling, &other);
  }
  json_t *told = decided_json(&decided, count, shown, &defects, "every thread ends");
  cli_defects_free(&defects);
  again_free(&other);
  decided_free(&decided);
  return told;
}

json_t *deciding_step(struct telling *t, const struct cli_defect *defect,
                      const struct performed *performed, double seconds) {
  struct deciding d = {.telling = t, .defect = defect, .until = cli_now() + seconds};
  const char *temporary = getenv("TMPDIR");
  if (defect->kind == CLI_REORDERED || defect->count + defect->probes == 0)
    return json_pack("{s:s}", "why",
                     "of a defect that was found while less of the program was seen, the deciding "
                     "step is not looked for");
  snprintf(d.folder, sizeof d.folder, "%s/unfold-XXXXXX",
           temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
  if (!read_program(defect->schedule, d.program, sizeof d.program) || mkdtemp(d.folder) == NULL)
    return json_pack("{s:s}", "why", "there is no folder for the schedules of other executions");
  snprintf(d.path, sizeof d.path, "%s/other.unfs", d.folder);
  unf_action *steps = own_steps(t, performed);
  json_t *told = steps != NULL ? tell(&d, steps, performed->count) : NULL;
  free(steps);
  unlink(d.path);
  rmdir(d.folder);
  return told;
}
