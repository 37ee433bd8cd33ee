/* Schedules: an execution with values of its inputs, which stand behind the name of the program. */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "defect.h"
#include "native.h"
#include "options.h"
#include "racing.h"
#include "session.h"
#include "settings.h"
#include "sym.h"
#include "text.h"

static const char inputs_behind[] = " --input ", racing_behind[] = " --atomics ";

/* The name of the program in schedules. */
static const char *sym_name(const struct sym *s) {
  const char *slash = strrchr(s->shown, '/');
  return slash != NULL ? slash + 1 : s->shown;
}

static void no_memory(struct sym *s) {
  if (!s->refused) cli_say(stderr, "unfold-sym: no memory for a schedule");
  s->refused = true;
}

/* The line of the program; NULL: no memory. */
static char *program_line(struct sym *s, uint32_t set) {
  char *values = asked_text(&s->machine.asked, &s->knowledge, set), *line = NULL;
  char *racing = racing_text(&s->machine);
  const char *name = s->native != NULL ? native_name(s->native) : sym_name(s);
  if (values != NULL && racing != NULL) {
    const size_t room = strlen(name) + sizeof racing_behind + strlen(racing) +
                        sizeof inputs_behind + strlen(values);
    line = malloc(room);
    if (line != NULL)
      snprintf(line, room, "%s%s%s%s%s", name, racing[0] != '\0' ? racing_behind : "", racing,
               values[0] != '\0' ? inputs_behind : "", values);
  }
  free(racing);
  free(values);
  return line;
}

/* The words that were found to race. */
static bool takes_racing(struct sym *s, const char **program) {
  if (strncmp(*program, racing_behind, sizeof racing_behind - 1) != 0) return true;
  const char *words = *program + sizeof racing_behind - 1;
  const size_t length = strcspn(words, " ");
  *program = words + length;
  const bool takes = racing_read(&s->machine, words, length);
  if (!takes && s->machine.status != UNF_OK) no_memory(s);
  return takes;
}

bool sym_takes_schedule(struct sym *s, const char *program) {
  const char *wrong = NULL, *name = sym_name(s);
  const size_t length = strlen(name), behind = strlen(inputs_behind);
  bool takes = strncmp(program, name, length) == 0;
  if (takes) program += length;
  takes = takes && takes_racing(s, &program);
  takes = takes && (*program == '\0' || strncmp(program, inputs_behind, behind) == 0);
  if (!takes || *program == '\0') return takes;
  takes = asked_give(&s->machine.asked, program + behind, &wrong);
  if (!takes && wrong == NULL) no_memory(s);
  return takes;
}

/* The steps of the execution at hand, of an exploration or a replay. */
static unf_status collect(struct sym *s, const char *program, unf_schedule **schedule) {
  unf_unfolding *names = s->native != NULL ? native_unfolding(s->native) : s->unfolding;
  unf_status status = unf_schedule_new(names, program, schedule);
  for (size_t i = 0; status == UNF_OK && i < s->step_count; i++)
    status = unf_schedule_append(*schedule, &s->steps[i]);
  if (status == UNF_OK && s->steps == NULL)
    status = unf_schedule_append_run(*schedule, s->explorer);
  return status;
}

unf_schedule *sym_schedule(struct sym *s, uint32_t set) {
  unf_schedule *schedule = NULL;
  char *program = program_line(s, set);
  if (program == NULL) {
    no_memory(s);
    return NULL;
  }
  /* What is found at a limit has its schedule, too. */
  const unf_limits none = {.bytes = 0};
  unf_limits limits = none;
  cli_options_limits(&s->options, &limits);
  unf_context_set_limits(s->context, &none);
  const unf_status status = collect(s, program, &schedule);
  unf_context_set_limits(s->context, &limits);
  free(program);
  if (status == UNF_OK) return schedule;
  cli_say(stderr, "unfold-sym: the schedule cannot be written: %s",
          unf_context_detail(s->context)->text);
  s->refused = true;
  unf_schedule_free(schedule);
  return NULL;
}

void sym_save_schedule(struct sym *s, uint32_t set, struct cli_defect *defect) {
  char name[64];
  if (s->options.trace_dir == NULL) return;
  unf_schedule *schedule = sym_schedule(s, set);
  if (schedule == NULL) return;
  if (!cli_schedule_save(CLI_SYMBOLIC, schedule, s->options.trace_dir, s->result.defects.count,
                         name, sizeof name))
    sym_not_saved(s);
  else if (!cli_defect_set_schedule(defect, name))
    no_memory(s);
  unf_schedule_free(schedule);
}
