/* The events that differ from one of them in what data chose. */
#include "extension/siblings.h"

#include "structure/action.h"
#include "structure/event.h"

unf_status unfi_sibling(unf_unfolding *u, uint32_t event, int64_t value, struct causes *out) {
  const struct event *e = event_at(u, event);
  unf_action action = unfi_action(u, e->action);
  action.value = value;
  *out = (struct causes){.before = e->before, .follows = e->follows};
  return unfi_action_intern(u, &action, &out->action);
}
