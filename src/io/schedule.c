/* Schedules in memory: sequences of actions. */
#include "base/null.h"
#include "exploration/explorer.h"
#include "io/schedule.h"
#include "structure/action.h"
#include "structure/event.h"

#include <string.h>

unf_status unfi_schedule_new(unf_unfolding *u, const char *program, size_t length,
                             unf_schedule **out) {
  bool one_line = length > 0;
  for (size_t i = 0; one_line && i < length; i++)
    one_line = (unsigned char)program[i] >= 0x20 && program[i] != 0x7f;
  if (!one_line)
    return unfi_fail(u->context, UNF_INVALID, "the name of a program is one line, and not empty");
  unf_schedule *schedule = unfi_reallocate(u->context, NULL, 0, sizeof *schedule);
  if (schedule == NULL) return unfi_refused(u->context);
  memset(schedule, 0, sizeof *schedule);
  schedule->u = u;
  schedule->program_room = length + 1;
  schedule->program = unfi_reallocate(u->context, NULL, 0, length + 1);
  if (schedule->program == NULL) {
    unf_status status = unfi_refused(u->context);
    unfi_reallocate(u->context, schedule, sizeof *schedule, 0);
    return status;
  }
  memcpy(schedule->program, program, length);
  schedule->program[length] = '\0';
  *out = schedule;
  return UNF_OK;
}

unf_status unf_schedule_new(unf_unfolding *u, const char *program, unf_schedule **out) {
  RETURN_IF_NULL(u->context, u, program, out);
  return unfi_schedule_new(u, program, program == NULL ? 0 : strlen(program), out);
}

void unf_schedule_free(unf_schedule *schedule) {
  if (schedule == NULL) return;
  unf_context *context = schedule->u->context;
  unfi_reallocate(context, schedule->program, schedule->program_room, 0);
  vector_free(context, &schedule->steps);
  unfi_reallocate(context, schedule, sizeof *schedule, 0);
}

unf_status unf_schedule_append(unf_schedule *schedule, const unf_action *action) {
  RETURN_IF_NULL(schedule->u->context, schedule, action);
  unf_context *context = schedule->u->context;
  unf_status status = unfi_action_check(schedule->u, action);
  if (status != UNF_OK) return status;
  if (!vector_reserve(context, &schedule->steps, (uint64_t)schedule->steps.count + 1))
    return unfi_refused(context);
  vector_push(&schedule->steps, *action);
  return UNF_OK;
}

struct copying {
  unf_schedule *schedule;
  bool refused;
};

static bool copy_step(void *user, unf_event event) {
  struct copying *copying = user;
  unf_schedule *schedule = copying->schedule;
  copying->refused =
      !vector_reserve(schedule->u->context, &schedule->steps, (uint64_t)schedule->steps.count + 1);
  if (copying->refused) return false;
  vector_push(&schedule->steps, unfi_action(schedule->u, event_at(schedule->u, event)->action));
  return true;
}

static unf_status append_probe(unf_schedule *schedule, const unf_explorer *explorer) {
  unf_status status = UNF_OK;
  for (uint32_t i = 0; status == UNF_OK && i < explorer->probes.events.count; i++) {
    unf_action action;
    status = unfi_probe_action(explorer, i, &action);
    if (status == UNF_OK) status = unf_schedule_append(schedule, &action);
  }
  return status;
}

unf_status unf_schedule_append_run(unf_schedule *schedule, const unf_explorer *explorer) {
  RETURN_IF_NULL(schedule->u->context, schedule, explorer);
  struct copying copying = {schedule, false};
  uint32_t before = schedule->steps.count;
  if (explorer->u != schedule->u)
    return unfi_fail(schedule->u->context, UNF_INVALID, "an explorer of another unfolding");
  unf_status status = UNF_OK;
  if (explorer->probes.recent) {
    status = append_probe(schedule, explorer);
  } else {
    unf_explorer_path(explorer, copy_step, &copying);
    if (copying.refused) status = unfi_refused(schedule->u->context);
  }
  if (status != UNF_OK) schedule->steps.count = before;
  return status;
}

uint64_t unf_schedule_size(const unf_schedule *schedule) {
  return schedule == NULL ? 0 : schedule->steps.count;
}

const char *unf_schedule_program(const unf_schedule *schedule) {
  return schedule == NULL ? NULL : schedule->program;
}

unf_status unf_schedule_step(const unf_schedule *schedule, uint64_t index, unf_action *out) {
  RETURN_IF_NULL(schedule->u->context, schedule, out);
  if (index >= schedule->steps.count)
    return unfi_fail(schedule->u->context, UNF_INVALID, "a step beyond the end of the schedule");
  *out = schedule->steps.data[index];
  return UNF_OK;
}
