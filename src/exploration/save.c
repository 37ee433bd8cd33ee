/* States that the front-end keeps, in lists by strand (depth-first: one list for the path), deepest
 * first. */
#include "base/null.h"
#include "exploration/explorer.h"
#include "exploration/protocol.h"
#include "exploration/save.h"
#include "structure/unfolding.h"

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

/* The list for a node on the way to `base`, or beyond, and the first depth that it serves. */
static uint32_t *list_of(unf_explorer *x, uint32_t depth) {
  struct search *search = &x->search;
  if (search->order == UNF_ORDER_DEPTH_FIRST) return &x->saves.path;
  uint32_t strand = search->running;
  while (search->strands.data[strand].parent != NONE && depth <= search->strands.data[strand].fork)
    strand = search->strands.data[strand].parent;
  return &search->strands.data[strand].saves;
}

void unfi_saves_drop(unf_explorer *x) {
  unfi_saves_forget(x, list_of(x, x->base + 1), x->base + 1);
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
  uint32_t entry = saves->free, *link = list_of(x, x->at);
  struct saved *saved = &saves->entries.data[entry - 1];
  saves->free = saved->next;
  while (*link != 0 && saves->entries.data[*link - 1].depth > x->at)
    link = &saves->entries.data[*link - 1].next;
  saved->depth = x->at;
  saved->state = state;
  saved->next = *link;
  *link = entry;
  return UNF_OK;
}

/* The first of a list that is not beyond so many steps. */
static const struct saved *deepest(const unf_explorer *x, uint32_t list, uint32_t limit) {
  const struct saved *entries = x->saves.entries.data;
  while (list != 0 && entries[list - 1].depth > limit)
    list = entries[list - 1].next;
  return list != 0 ? &entries[list - 1] : NULL;
}

void unfi_saves_find(const unf_explorer *x, unf_run *run) {
  const struct search *search = &x->search;
  const struct saved *found = NULL;
  uint32_t limit = x->base;
  if (search->order == UNF_ORDER_DEPTH_FIRST) found = deepest(x, x->saves.path, limit);
  for (uint32_t i = search->running; found == NULL && i != NONE && search->strands.count > 0;) {
    const struct strand *s = &search->strands.data[i];
    found = deepest(x, s->saves, limit);
    if (s->fork < limit) limit = s->fork;
    i = s->parent;
  }
  if (found == NULL) return;
  run->saved = found->depth;
  run->state = found->state;
}

void unfi_saves_free(unf_explorer *x) {
  struct saves *saves = &x->saves;
  unfi_saves_forget(x, &saves->path, 0);
  for (uint32_t i = 0; i < x->search.strands.count; i++)
    if (x->search.strands.data[i].state != STRAND_FREE)
      unfi_saves_forget(x, &x->search.strands.data[i].saves, 0);
  vector_free(x->u->context, &saves->entries);
}
