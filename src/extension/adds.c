/* Reading the layers above the last write of a site: how often each thread added there. */
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/event.h"
#include "structure/layer.h"

static uint32_t member_of(const unf_unfolding *u, const struct layer *layer, uint32_t site) {
  for (uint32_t i = 0; i < layer_count(layer); i++)
    if (action_of(u, layer->members[i])->site == site) return layer->members[i];
  return 0;
}

/* Whether a layer of adds above this one, from `top` down, has the thread too: then its events were
 * visited from there. */
static bool seen_above(const unf_unfolding *u, uint32_t top, uint32_t entry, uint32_t site) {
  for (; top != entry; top = layer_at(u, top)->floor)
    if (layer_at(u, top)->access == ACCESS_ADD && member_of(u, layer_at(u, top), site) != 0)
      return true;
  return false;
}

void unfi_adds(const unf_unfolding *u, uint32_t entry, add_visitor visit, void *user) {
  uint32_t write = entry_write(u, entry);
  for (uint32_t at = entry; at & ROW_TAG; at = layer_at(u, at)->floor) {
    const struct layer *layer = layer_at(u, at);
    if (layer->access != ACCESS_ADD) continue;
    for (uint32_t i = 0; i < layer_count(layer); i++) {
      const struct action *last = action_of(u, layer->members[i]);
      if (seen_above(u, entry, at, last->site)) continue;
      for (uint32_t e = layer->members[i]; e > write; e = event_at(u, e)->before) {
        const struct action *a = action_of(u, e);
        if (a->site != last->site) break;
        if (a->first.site == last->first.site) visit(user, e, a);
      }
    }
  }
}
