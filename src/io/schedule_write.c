/* Schedules as text: what is written is a function of the names alone, so equal schedules
 * are equal files. */
#include "base/null.h"
#include "io/output.h"
#include "io/schedule.h"
#include "structure/action.h"

unf_status unf_schedule_write(const unf_schedule *schedule, unf_write write, void *user) {
  RETURN_IF_NULL(schedule->u->context, schedule, write);
  struct output out;
  unfi_output_begin(&out, schedule->u, write, user);
  unfi_put(&out, SCHEDULE_MAGIC);
  unfi_put_u64(&out, SCHEDULE_VERSION);
  unfi_put(&out, "\n" SCHEDULE_PROGRAM);
  unfi_put(&out, schedule->program);
  unfi_put(&out, "\n");
  for (uint32_t i = 0; out.status == UNF_OK && i < schedule->steps.count; i++) {
    unf_action action = schedule->steps.data[i];
    unfi_put_action(&out, &action);
    unfi_put(&out, "\n");
  }
  uint64_t sum = out.hash;
  unfi_put(&out, SCHEDULE_CHECKSUM);
  unfi_put_hex(&out, sum, 16);
  unfi_put(&out, "\n");
  return unfi_output_end(&out);
}
