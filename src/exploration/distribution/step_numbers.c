/* Numbers of steps: a step is looked up by its action, of which it mostly is the only one. */
#include "exploration/distribution/step_numbers.h"

uint32_t unfi_step_number(struct step_numbers *numbers, struct named_step step) {
  unf_context *context = numbers->u->context;
  if (!vector_reserve_zero(context, &numbers->last, step.action + 1ull) ||
      !vector_reserve(context, &numbers->steps, numbers->steps.count + 1ull))
    return 0;
  uint32_t *last = &numbers->last.data[step.action];
  vector_push(&numbers->steps, ((struct numbered_step){step, *last}));
  return *last = numbers->steps.count;
}

void unfi_step_numbers_end(struct step_numbers *numbers) {
  vector_free(numbers->u->context, &numbers->steps);
  vector_free(numbers->u->context, &numbers->last);
}
