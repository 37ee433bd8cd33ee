/* Interning of an event by naming its causes: they are united, and the event must have no other
 * history than theirs. */
#include "configuration/configuration.h"
#include "base/null.h"
#include "structure/event.h"
#include "structure/layer.h"

static unf_status unite(unf_configuration *past, const unf_event *causes, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    unf_status status = unf_configuration_add(past, causes[i]);
    if (status != UNF_OK) return status;
  }
  return UNF_OK;
}

static unf_status add_entry(unf_configuration *history, uint32_t entry) {
  if (!(entry & ROW_TAG)) return unf_configuration_add(history, entry);
  unf_status status = UNF_OK;
  for (uint32_t i = 0; status == UNF_OK && i < layer_count(layer_at(history->u, entry)); i++)
    status = unf_configuration_add(history, layer_at(history->u, entry)->members[i]);
  return status;
}

static unf_status add_followed(unf_configuration *history, const struct causes *key) {
  unf_status status = unf_configuration_add(history, key->before);
  uint32_t count;
  const uint32_t *follows = causes_follow(history->u, key, &count);
  for (uint32_t i = 0; status == UNF_OK && i < count; i++)
    status = add_entry(history, follows[i]);
  return status;
}

unf_status unf_event_intern(unf_unfolding *u, const unf_action *action, const unf_event *causes,
                            uint32_t count, unf_event *out) {
  RETURN_IF_NULL(u->context, u, action, out);
  RETURN_IF_NULL_ARRAY(u->context, causes, count);
  unf_configuration *past = NULL, *history = NULL;
  struct causes key = {0};
  uint32_t event = NONE;
  unf_status status = unf_configuration_new(u, &past);
  if (status == UNF_OK) status = unf_configuration_new(u, &history);
  if (status == UNF_OK) status = unite(past, causes, count);
  if (status == UNF_OK) status = unfi_causes(u, configuration_cut(past), action, &key);
  /* Its own causes alone, before it exists: an event with other causes must not be interned. */
  if (status == UNF_OK) status = add_followed(history, &key);
  bool equal = false;
  if (status == UNF_OK) status = unf_configuration_equal(past, history, &equal);
  if (status == UNF_OK && !equal)
    status = unfi_fail(u->context, UNF_INVALID, "an event given as cause is none of the action");
  if (status == UNF_OK) status = unfi_event_intern(u, &key, &event);
  unf_configuration_free(history);
  unf_configuration_free(past);
  if (status == UNF_OK) *out = event;
  return status;
}
