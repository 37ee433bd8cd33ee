/* Next operations, kept with the event that they follow: what a thread without data races does next
 * depends on its history alone. */
#include "base/text.h"
#include "configuration/configuration.h"
#include "structure/action.h"
#include "structure/event.h"
#include "structure/names.h"

unf_status unfi_missing(unf_unfolding *u, uint32_t thread) {
  char name[64];
  unf_thread_text(u, thread, name, sizeof name);
  unfi_fail(u->context, UNF_MISSING, "thread ", name);
  u->context->detail.thread = thread;
  return UNF_MISSING;
}

void unfi_detail_actions(unf_unfolding *u, const unf_action *expected, const unf_action *seen) {
  unf_detail *detail = &u->context->detail;
  struct text text = unfi_text(detail->text, sizeof detail->text);
  unfi_text_add(&text, unf_status_text(detail->status));
  if (detail->step > 0) {
    unfi_text_add(&text, " at step ");
    unfi_text_u64(&text, detail->step);
  }
  if (expected != NULL) {
    unf_action_text(u, expected, detail->expected, sizeof detail->expected);
    unfi_text_add(&text, ": expected ");
    unfi_text_add(&text, detail->expected);
  }
  if (seen != NULL) {
    unf_action_text(u, seen, detail->seen, sizeof detail->seen);
    unfi_text_add(&text, expected != NULL ? ", seen " : ": ");
    unfi_text_add(&text, detail->seen);
  }
}

static unf_status contradiction(unf_unfolding *u, uint32_t thread, uint32_t last, uint32_t known,
                                uint32_t seen, uint64_t step) {
  unfi_fail(u->context, UNF_NONDETERMINISM, NULL);
  unf_detail *detail = &u->context->detail;
  detail->thread = thread;
  detail->event = last;
  detail->step = step;
  unf_operation_text(u, &u->operations.data[known], detail->expected, sizeof detail->expected);
  unf_operation_text(u, &u->operations.data[seen], detail->seen, sizeof detail->seen);
  struct text text = unfi_text(detail->text, sizeof detail->text);
  char name[64];
  unf_thread_text(u, thread, name, sizeof name);
  unfi_text_add(&text, "thread ");
  unfi_text_add(&text, name);
  unfi_text_add(&text, " did not do the same after the same history");
  if (step > 0) {
    unfi_text_add(&text, ", at step ");
    unfi_text_u64(&text, step);
  }
  unfi_text_add(&text, ": expected ");
  unfi_text_add(&text, detail->expected);
  unfi_text_add(&text, ", seen ");
  unfi_text_add(&text, detail->seen);
  unfi_text_add(&text, "; the program is not deterministic, or has a data race");
  return UNF_NONDETERMINISM;
}

unf_status unfi_offer(unf_unfolding *u, uint32_t thread, uint32_t last,
                      const unf_operation *operation, uint64_t step) {
  if (last == NONE) {
    unfi_fail(u->context, UNF_STATE, "an operation of a thread that has not started");
    u->context->detail.thread = thread;
    return UNF_STATE;
  }
  uint32_t id = u->threads.data[thread].recent_operation;
  bool again = id != 0 && unfi_is_operation(u, id, operation);
  unf_status status = again ? UNF_OK : unfi_operation_intern(u, operation, &id);
  if (status != UNF_OK) return status;
  u->threads.data[thread].recent_operation = id;
  uint32_t *slot = unfi_next_slot(u, thread, last);
  if (*slot == 0) *slot = id;
  return *slot == id ? UNF_OK : contradiction(u, thread, last, *slot, id, step);
}
