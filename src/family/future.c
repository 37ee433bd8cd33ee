/*
 * Futures, as a family of effects: written with the public interface alone. Setting one writes its
 * object, everything else reads it.
 */
#include <unfold/families.h>
#include <unfold/unfold.h>

#include "family/label.h"

enum { SET, GET, POLL };

static unf_status uses(void *user, const unf_action *action, unf_use_visitor visit, void *visitor) {
  (void)user;
  return visit(visitor, action->target,
               action->value == UNF_FUTURE_SET ? UNF_MODE_WRITE : UNF_MODE_READ);
}

static unf_status outcomes(void *user, const unf_view *view, unf_thread thread,
                           const unf_operation *operation, unf_action_visitor visit,
                           void *visitor) {
  unf_action action = {UNF_DID_CUSTOM, thread, operation->target, operation->second, 0};
  unf_event setting;
  (void)user;
  if (operation->low < SET || operation->low > POLL)
    return unf_effect_refuse(unf_view_unfolding(view), operation->second, "no such operation");
  unf_status status = unf_view_last_write(view, operation->target, &setting);
  if (status != UNF_OK) return status;
  const bool is_set = setting != UNF_EVENT_BOTTOM;
  if (operation->low == GET && !is_set) return UNF_OK; /* it waits */
  if (operation->low == SET)
    action.value = is_set ? UNF_FUTURE_AGAIN : UNF_FUTURE_SET;
  else
    action.value = is_set ? UNF_FUTURE_GOT : UNF_FUTURE_UNSET;
  visit(visitor, &action);
  return UNF_OK;
}

static void label(void *user, const unf_action *action, char *buffer, size_t size) {
  static const char *const words[UNF_FUTURE_OUTCOMES] = {[UNF_FUTURE_SET] = "set",
                                                         [UNF_FUTURE_GOT] = "got",
                                                         [UNF_FUTURE_UNSET] = "unset",
                                                         [UNF_FUTURE_AGAIN] = "set again"};
  (void)user;
  if (action->value >= 0 && action->value < UNF_FUTURE_OUTCOMES)
    family_label(words[action->value], false, 0, buffer, size);
}

unf_status unf_future_register(unf_unfolding *unfolding, uint32_t *out) {
  const unf_effect effect = {sizeof effect, "future", NULL, uses, outcomes, NULL, NULL, label};
  return unf_effect_register(unfolding, &effect, out);
}

unf_status unf_future_name(unf_unfolding *unfolding, uint32_t family, uint64_t key,
                           unf_future *out) {
  if (out != NULL) out->family = family;
  return unf_object_name(unfolding, UNF_CUSTOM, UNF_THREAD_NONE, key,
                         out == NULL ? NULL : &out->object);
}

unf_operation unf_future_set(unf_future future, int64_t value) {
  return unf_operation_custom(future.family, future.object, SET, value);
}

unf_operation unf_future_get(unf_future future) {
  return unf_operation_custom(future.family, future.object, GET, 0);
}

unf_operation unf_future_poll(unf_future future) {
  return unf_operation_custom(future.family, future.object, POLL, 0);
}

unf_future_outcome unf_future_did(const unf_action *action) {
  return action == NULL ? UNF_FUTURE_OUTCOMES : (unf_future_outcome)action->value;
}
