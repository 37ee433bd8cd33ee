/*
 * Lanes: the events of a configuration as a partial order of chains.
 *
 * Between two events a < b of a thread something of another thread has to happen if an event f of
 * another one has a < f < b. Then a and b are in different blocks of every linearisation. What is
 * before b through another thread is a beginning of the thread, so one number says it, and a lane
 * by itself is cut into the fewest blocks by going on each time as far as that allows.
 */
#include "configuration/lanes.h"

#include "base/null.h"
#include "structure/event.h"

static bool keep_event(void *user, unf_event event) {
  handle_vector *events = user;
  vector_push(events, event); /* there is room for all */
  return true;
}

/* How many events of a lane are up to an event of it; 0 is before all. */
static uint32_t count_up_to(const struct lanes *l, uint32_t lane, uint32_t event) {
  uint32_t low = l->first.data[lane], high = l->first.data[lane + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (l->steps.data[middle].event <= event)
      low = middle + 1;
    else
      high = middle;
  }
  return low - l->first.data[lane];
}

/* Numbers the threads that have events, and puts the events into their lanes. `lane_of`: by thread,
 * 1 + its lane. */
static bool deal(struct lanes *l, handle_vector *lane_of) {
  unf_context *context = l->u->context;
  if (!vector_reserve_zero(context, lane_of, l->u->threads.count) ||
      !vector_reserve_zero(context, &l->first, (uint64_t)l->events.count + 2) ||
      !vector_reserve_zero(context, &l->steps, l->events.count))
    return false;
  uint32_t *sizes = l->first.data + 1, *next = l->first.data;
  for (uint32_t i = 0; i < l->events.count; i++) {
    uint32_t *lane = &lane_of->data[action_of(l->u, l->events.data[i])->thread];
    if (*lane == 0) *lane = ++l->count;
    sizes[*lane]++; /* one further on for now, so that sums become the beginnings */
  }
  for (uint32_t lane = 1; lane <= l->count; lane++)
    sizes[lane] += sizes[lane - 1];
  for (uint32_t i = 0; i < l->events.count; i++) {
    const uint32_t lane = lane_of->data[action_of(l->u, l->events.data[i])->thread];
    l->steps.data[next[lane]++].event = l->events.data[i];
  }
  return true;
}

/* Fills in what a step needs of other lanes, and for now, as its limit, how many events of its own
 * lane are before it through them. */
static bool find_needs(struct lanes *l, const handle_vector *lane_of, uint32_t lane,
                       struct lane_step *step, handle_vector *room) {
  const unf_unfolding *u = l->u;
  const uint32_t own = action_of(u, step->event)->site;
  if (!vector_reserve(u->context, room, unfi_predecessor_bound(u, step->event))) return false;
  const uint32_t count = unfi_predecessors(u, step->event, room->data);
  if (!vector_reserve(u->context, &l->needs, (uint64_t)l->needs.count + count)) return false;
  step->need = l->needs.count;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t before = room->data[i];
    if (before == 0 || action_of(u, before)->site == own) continue;
    const uint32_t other = lane_of->data[action_of(u, before)->thread] - 1;
    const struct need need = {other, count_up_to(l, other, before)};
    vector_push(&l->needs, need);
    const uint32_t last = cut_entry(u, before, own); /* perhaps the event that created the thread */
    if (last == 0 || action_of(u, last)->site != own) continue;
    const uint32_t through = count_up_to(l, lane, last);
    if (through > step->limit) step->limit = through;
  }
  step->needs = l->needs.count - step->need;
  return true;
}

/* From what is before each step through others to where blocks must have ended. */
static void find_limits(struct lanes *l, uint32_t lane) {
  struct lane_step *steps = l->steps.data + l->first.data[lane];
  const uint32_t size = lane_size(l, lane);
  for (uint32_t at = 0, limit = 1; at < size; at++) {
    if (limit <= at) limit = at + 1;
    while (limit < size && steps[limit].limit <= at)
      limit++;
    steps[at].limit = limit;
  }
  for (uint32_t at = size; at-- > 0;)
    steps[at].blocks = 1 + (steps[at].limit < size ? steps[steps[at].limit].blocks : 0);
}

unf_status unfi_lanes_begin(struct lanes *l, const unf_configuration *c) {
  unf_context *context = c->u->context;
  handle_vector lane_of = {0}, room = {0};
  *l = (struct lanes){.u = c->u};
  if (!vector_reserve(context, &l->events, c->size)) return unfi_refused(context);
  unf_status status = unf_configuration_linearize(c, keep_event, &l->events);
  bool enough = status != UNF_OK || deal(l, &lane_of);
  for (uint32_t lane = 0; status == UNF_OK && enough && lane < l->count; lane++) {
    for (uint32_t i = l->first.data[lane];
         status == UNF_OK && enough && i < l->first.data[lane + 1]; i++) {
      enough = find_needs(l, &lane_of, lane, &l->steps.data[i], &room);
      if (enough) status = unfi_work(context, 1 + l->steps.data[i].needs);
    }
    if (status == UNF_OK && enough) find_limits(l, lane);
  }
  vector_free(context, &lane_of);
  vector_free(context, &room);
  return enough ? status : unfi_refused(context);
}

void unfi_lanes_free(struct lanes *l) {
  unf_context *context = l->u->context;
  vector_free(context, &l->events);
  vector_free(context, &l->first);
  vector_free(context, &l->steps);
  vector_free(context, &l->needs);
}
