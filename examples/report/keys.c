#include "keys.h"

#include <stdlib.h>

bool keys_add(void *user, unf_event event) {
  struct keys *keys = user;
  if (event == UNF_EVENT_BOTTOM) return true;
  if (keys->count == keys->room) {
    const size_t room = 2 * keys->room + 16;
    uint64_t *bigger = realloc(keys->data, room * sizeof *bigger);
    if (bigger == NULL) keys->failed = true;
    if (bigger == NULL) return false;
    keys->data = bigger;
    keys->room = room;
  }
  keys->data[keys->count++] = event;
  return true;
}

void keys_free(struct keys *keys) {
  free(keys->data);
  *keys = (struct keys){NULL, 0, 0, false};
}
