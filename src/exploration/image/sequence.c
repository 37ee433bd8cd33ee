/* Events one after the other. Between processes they can travel without the store that they come
 * from: the actions along a sequence that is possible name its events. */
#include "exploration/image/sequence.h"

#include "exploration/explorer.h"
#include "exploration/image/image.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/event.h"

void unfi_sequence_write(const uint32_t *events, uint32_t count, struct bytes_out *out) {
  unfi_bytes_put(out, count);
  for (uint32_t i = 0; i < count; i++)
    unfi_bytes_put(out, events[i]);
}

uint32_t unfi_event_read(const unf_unfolding *u, struct bytes_in *in) {
  uint32_t event = unfi_bytes_get_below(in, u->store.count, "an event that is not there");
  if (event == 0) unfi_bytes_malformed(in, "no event");
  return event;
}

/* Whether an event is possible at the end of the path, for all sites of which there is room. */
static unf_status is_enabled(unf_explorer *x, uint32_t event, bool *out) {
  unf_action action = unfi_action(x->u, event_at(x->u, event)->action);
  struct causes causes;
  unf_status status = unfi_causes(x->u, configuration_cut(&x->path.C), &action, &causes);
  *out = status == UNF_OK && event_find(x->u, &causes) == event;
  bool impossible = status == UNF_DISABLED || status == UNF_UNSUPPORTED;
  return impossible ? UNF_OK : status;
}

unf_status unfi_enabled_check(unf_explorer *x, struct bytes_in *in, uint32_t event) {
  bool enabled = true;
  if (in->status == UNF_OK && !unfi_path_reserve(x))
    unfi_bytes_note(in, unfi_refused(x->u->context));
  if (in->status == UNF_OK) unfi_bytes_note(in, is_enabled(x, event, &enabled));
  if (in->status == UNF_OK && !enabled) unfi_bytes_malformed(in, "an event that is not possible");
  return in->status;
}

unf_status unfi_image_push(unf_explorer *x, struct bytes_in *in, uint32_t event) {
  if (in->status == UNF_OK && (!unfi_path_reserve(x) || !unfi_path_push(x, event)))
    unfi_bytes_note(in, unfi_refused(x->u->context));
  return unfi_bytes_note(in, unfi_work(x->u->context, 1));
}

unf_status unfi_sequence_read(unf_explorer *x, struct bytes_in *in, handle_vector *events) {
  uint64_t count = unfi_bytes_get(in);
  for (uint64_t i = 0; in->status == UNF_OK && i < count; i++) {
    if (!vector_reserve(x->u->context, events, (uint64_t)events->count + 1))
      return unfi_bytes_note(in, unfi_refused(x->u->context));
    uint32_t event = unfi_event_read(x->u, in);
    unfi_enabled_check(x, in, event);
    if (unfi_image_push(x, in, event) == UNF_OK) vector_push(events, event);
  }
  return in->status;
}
