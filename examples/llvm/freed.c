#include "freed.h"

#include <stdlib.h>

#include "array.h"
#include "memory.h"

enum { SPOTS_BITS = 5, QUEUES_BITS = 3 };
const struct array_kind spots_kind = {.size = sizeof(uint64_t), .bits = SPOTS_BITS};
const struct array_kind queues_kind = {.size = sizeof(struct queue), .bits = QUEUES_BITS};

/* ---- classes of sizes ---- */

/* Small sizes are multiples of 16; of others there are four to each power of two. */
enum { STEP = 16, SMALL = 1024, SMALL_CLASSES = SMALL / STEP, IN_EACH = 4 };

struct size_class {
  uint64_t number, room;
};

static struct size_class class_of(uint64_t size) {
  uint64_t step = SMALL / IN_EACH, number = SMALL_CLASSES;
  if (size <= SMALL) {
    const uint64_t steps = size > STEP ? (size + STEP - 1) / STEP : 1;
    return (struct size_class){steps - 1, steps * STEP};
  }
  while (size > 2 * IN_EACH * step) {
    step *= 2;
    number += IN_EACH;
  }
  const uint64_t steps = (size + step - 1) / step;
  return (struct size_class){number + steps - IN_EACH - 1, steps * step};
}

uint64_t freed_room(uint64_t size) {
  return class_of(size).room;
}

/* ---- what is given back ---- */

static bool put_spot(struct memory *m, struct array *list, uint64_t index, uint64_t spot) {
  if (!array_reach(m->pool, &spots_kind, list, index)) return false;
  uint64_t *at = array_write(m->pool, &spots_kind, list, index);
  if (at != NULL) *at = spot;
  return at != NULL;
}

static uint64_t first_spot(const struct array *list, uint64_t index) {
  return index < list->count ? *(const uint64_t *)array_read(&spots_kind, list, index) : 0;
}

bool freed_give_back(struct memory *m, uint64_t address) {
  const uint64_t spot = memory_spot(address);
  struct object *o = memory_last_at(m, spot);
  if (o == NULL) return false;
  struct array *list = &m->regions[memory_region(address)].given_back;
  const uint64_t number = class_of(o->size).number;
  o->next = first_spot(list, number);
  o->given_back = true;
  return put_spot(m, list, number, spot);
}

const struct object *freed_take(struct memory *m, uint32_t region, uint64_t size,
                                uint64_t alignment, bool written, uint64_t place, bool *refused) {
  *refused = false;
  if (region >= m->count) return NULL;
  struct array *list = &m->regions[region].given_back;
  const uint64_t number = class_of(size).number, spot = first_spot(list, number);
  if (spot == 0 || spot % alignment != 0) return NULL;
  struct object *o = memory_last_at(m, spot);
  *refused = o == NULL || !put_spot(m, list, number, o->next);
  if (*refused) return NULL;
  memory_give_again(m, o, size, written, place);
  return o;
}

/* ---- what waits ---- */

bool freed_wait(struct memory *m, uint64_t address, uint32_t thread, uint32_t event) {
  const uint64_t spot = memory_spot(address);
  struct region *region = &m->regions[memory_region(address)];
  struct object *o = memory_last_at(m, spot);
  struct queue *queue = o != NULL && array_reach(m->pool, &queues_kind, &region->waiting, thread)
                            ? array_write(m->pool, &queues_kind, &region->waiting, thread)
                            : NULL;
  if (queue == NULL) return false;
  o->next = 0;
  o->seen = event;
  if (queue->first == 0) {
    queue->first = spot;
  } else {
    struct object *last = memory_last_at(m, queue->last);
    if (last == NULL) return false;
    last->next = spot;
  }
  queue->last = spot;
  region->waits++;
  return true;
}

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Takes from the beginning of a queue what is seen, and lists it. False: no memory. */
static bool take_seen(struct memory *m, struct region *region, uint32_t thread,
                      const struct freed_looking *looking, uint64_t *spots, uint64_t *count) {
  struct queue queue = *(const struct queue *)array_read(&queues_kind, &region->waiting, thread);
  const uint64_t before = *count;
  while (queue.first != 0) {
    const struct object *o = memory_find_last(m, queue.first);
    if (!looking->seen(looking->user, o->seen)) break;
    spots[(*count)++] = queue.first;
    queue.first = o->next;
  }
  if (*count == before) return true;
  struct queue *now = array_write(m->pool, &queues_kind, &region->waiting, thread);
  if (now == NULL) return false;
  *now = queue;
  region->waits -= *count - before;
  return true;
}

/* In which order threads freed them is not known, so their spots say which one comes first. */
bool freed_look(struct memory *m, uint32_t number, const struct freed_looking *looking) {
  struct region *region = number < m->count ? &m->regions[number] : NULL;
  if (region == NULL || region->waits == 0) return true;
  uint64_t count = 0, *spots = malloc(region->waits * sizeof *spots);
  bool good = spots != NULL;
  for (uint32_t i = 0; good && i < region->waiting.count; i++)
    good = take_seen(m, region, i, looking, spots, &count);
  if (good && count > 1) qsort(spots, count, sizeof *spots, by_number);
  while (good && count > 0) {
    good = freed_give_back(m, spots[--count]);
    looking->comes_back(looking->user, spots[count]);
  }
  free(spots);
  return good;
}
