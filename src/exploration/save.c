/* States that the front-end keeps. */
#include "exploration/save.h"

#include "base/null.h"
#include "exploration/explorer.h"
#include "exploration/protocol.h"
#include "extension/adds.h"

void unfi_saves_forget(unf_explorer *x, uint32_t *list, uint32_t from) {
  struct saves *saves = &x->saves;
  while (*list != 0 && saves->entries.data[*list - 1].depth >= from) {
    uint32_t entry = *list;
    struct saved *saved = &saves->entries.data[entry - 1];
    *list = saved->next;
    saved->next = saves->free;
    saves->free = entry;
    if (saves->forget != NULL) saves->forget(saves->user, saved->state);
  }
}

void unfi_saves_drop(unf_explorer *x) {
  unfi_saves_forget(x, x->order->saves(x, x->run.base + 1), x->run.base + 1);
}

unf_status unf_explorer_save(unf_explorer *x, uint64_t state) {
  RETURN_IF_NULL(x->u->context, x);
  struct saves *saves = &x->saves;
  if (x->state != RUNNING) return unfi_wrong_state(x, "save");
  if (x->probes.running) return unfi_fail(x->u->context, UNF_STATE, "save in a probe");
  if (saves->free == 0) {
    if (!vector_reserve(x->u->context, &saves->entries, (uint64_t)saves->entries.count + 1))
      return unfi_refused(x->u->context);
    saves->entries.data[saves->entries.count++].next = 0;
    saves->free = saves->entries.count;
  }
  uint32_t entry = saves->free, *link = x->order->saves(x, x->run.at);
  struct saved *saved = &saves->entries.data[entry - 1];
  saves->free = saved->next;
  while (*link != 0 && saves->entries.data[*link - 1].depth > x->run.at)
    link = &saves->entries.data[*link - 1].next;
  saved->depth = x->run.at;
  saved->state = state;
  saved->next = *link;
  *link = entry;
  return UNF_OK;
}

const struct saved *unfi_saves_deepest(const unf_explorer *x, uint32_t list, uint32_t limit) {
  const struct saved *entries = x->saves.entries.data;
  while (list != 0 && entries[list - 1].depth > limit)
    list = entries[list - 1].next;
  return list != 0 ? &entries[list - 1] : NULL;
}
