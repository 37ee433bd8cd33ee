/* The events that use a site, from its entry in a cut down to the first: layer by layer, and in a
 * layer thread by thread. Cost: O(events), those of the threads between two uses included. */
#include "base/sort.h"
#include "extension/site_history.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/relation.h"

static bool append(unf_unfolding *u, handle_vector *out, uint32_t event) {
  if (!vector_reserve(u->context, out, (uint64_t)out->count + 1)) return false;
  vector_push(out, event);
  return true;
}

/* The largest event at the top of an entry: what lies above it has larger handles. */
static uint32_t bound_of(const unf_unfolding *u, uint32_t entry) {
  if (!(entry & ROW_TAG)) return entry;
  const struct layer *layer = layer_at(u, entry);
  uint32_t bound = 0;
  for (uint32_t i = 0; i < layer_count(layer); i++)
    if (layer->members[i] > bound) bound = layer->members[i];
  return bound;
}

static bool append_layer(unf_unfolding *u, uint32_t entry, uint32_t site, handle_vector *out) {
  uint32_t bound = bound_of(u, layer_at(u, entry)->floor);
  for (uint32_t i = 0; i < layer_count(layer_at(u, entry)); i++) {
    uint32_t thread = action_of(u, layer_at(u, entry)->members[i])->site;
    for (uint32_t e = layer_at(u, entry)->members[i]; e > bound; e = event_at(u, e)->before) {
      const struct action *a = action_of(u, e);
      if (a->site != thread) break;
      if (unfi_access(u, a, site) != ACCESS_NONE && !append(u, out, e)) return false;
    }
  }
  return true;
}

bool unfi_site_history(unf_unfolding *u, struct cut cut, uint32_t site, handle_vector *out) {
  uint32_t entry = cut_at(cut, site);
  while (entry != 0) {
    if (entry & ROW_TAG) {
      if (!append_layer(u, entry, site, out)) return false;
      entry = layer_at(u, entry)->floor;
    } else {
      if (!append(u, out, entry)) return false;
      entry = unfi_entry_before(u, entry, site);
    }
  }
  unfi_sort(out->data, out->count);
  return true;
}

static bool is_out(const unf_unfolding *u, uint32_t event, const uint32_t *outs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (unfi_precedes(u, outs[i], event)) return true;
  return false;
}

/* The last event of a thread in a layer, at or before `event`, that stays; 0: none. */
static uint32_t last_kept(const unf_unfolding *u, uint32_t event, uint32_t site, uint32_t bound,
                          const uint32_t *outs, uint32_t count) {
  uint32_t thread = action_of(u, event)->site;
  for (; event > bound && action_of(u, event)->site == thread; event = event_at(u, event)->before)
    if (unfi_access(u, action_of(u, event), site) != ACCESS_NONE && !is_out(u, event, outs, count))
      return event;
  return 0;
}

/* What is left of the layer at the top of an entry: the floor, if nothing is. */
static bool cut_layer(unf_unfolding *u, uint32_t *entry, uint32_t site, const uint32_t *outs,
                      uint32_t count) {
  const struct layer *layer = layer_at(u, *entry);
  uint32_t bound = bound_of(u, layer->floor), kept = 0;
  bool whole = true;
  if (!vector_reserve(u->context, &u->store.entry_room, layer_count(layer))) return false;
  for (uint32_t i = 0; i < layer_count(layer); i++) {
    uint32_t last = last_kept(u, layer->members[i], site, bound, outs, count);
    whole = whole && last == layer->members[i];
    if (last != 0) u->store.entry_room.data[kept++] = last;
  }
  return whole || unfi_layer_intern(u, layer->floor, (enum access)layer->access,
                                    u->store.entry_room.data, kept, entry);
}

/* Leaves one event out of a layer, as cut_layer() does, if what comes of that is not known yet. */
static bool cut_layer_of(unf_unfolding *u, uint32_t *entry, uint32_t site, const uint32_t *outs,
                         uint32_t count) {
  if (count != 1) return cut_layer(u, entry, site, outs, count);
  uint32_t before = *entry, how = site | LEFT_OUT;
  struct recent_layer *recent = recent_layer(u, outs[0], before, how);
  if (is_recent(recent, outs[0], before, how)) {
    *entry = recent->after;
    return true;
  }
  if (!cut_layer(u, entry, site, outs, 1)) return false;
  *recent = (struct recent_layer){outs[0], before, how, *entry};
  return true;
}

bool unfi_entry_without(unf_unfolding *u, uint32_t *entry, uint32_t site, const uint32_t *outs,
                        uint32_t count) {
  while (*entry != 0) {
    uint32_t before = *entry;
    if (before & ROW_TAG) {
      uint32_t floor = layer_at(u, before)->floor;
      if (!cut_layer_of(u, entry, site, outs, count)) return false;
      if (*entry != floor) return true;
    } else {
      if (!is_out(u, before, outs, count)) return true;
      *entry = unfi_entry_before(u, before, site);
    }
  }
  return true;
}
