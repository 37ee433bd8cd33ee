/* Stepping stones: a place of a few bytes, near which there is no room for a trampoline, has a jump
 * of two bytes to one of five, which lies in the bytes that an instruction behind it has left over,
 * since that is performed elsewhere. Its distance has as its upper bytes what follows, if that is
 * too short, which stays as it is: places are changed from higher to lower addresses. */
#include "patch_stones.h"

#include <string.h>

enum {
  STONES = 64, /* the nearest ones */
  SHORT_JUMP = 0xeb,
  SHORT_SIZE = 2,
  SHORT_REACH = 127,
  LEAST = 3,
  DISTANCE_SIZE = PATCH_JUMP_SIZE - 1
};

static struct stone {
  uint64_t address;
  unsigned size;
} stones[STONES]; /* the one that was added last is at `next` - 1 */
static uint32_t next;

static unsigned char *address_of(uint64_t address) {
  return (unsigned char *)(uintptr_t)address;
}

void stones_window(uint64_t jump, unsigned size, int64_t *low, int64_t *high) {
  const unsigned own = size < PATCH_JUMP_SIZE ? size - 1u : DISTANCE_SIZE;
  int64_t distance = -((int64_t)1 << 31);
  if (own < DISTANCE_SIZE) {
    uint32_t bytes;
    memcpy(&bytes, address_of(jump + 1), sizeof bytes);
    distance = (int32_t)(bytes & ~(uint32_t)(((uint64_t)1 << 8 * own) - 1));
  }
  *low = (int64_t)jump + PATCH_JUMP_SIZE + distance;
  *high = *low + ((int64_t)1 << 8 * own);
}

void stones_jump(uint64_t jump, unsigned size, uint64_t target) {
  unsigned char bytes[PATCH_JUMP_SIZE] = {0xe9};
  const int32_t distance = (int32_t)(target - jump - PATCH_JUMP_SIZE);
  memcpy(bytes + 1, &distance, sizeof distance);
  memcpy(address_of(jump), bytes, size < PATCH_JUMP_SIZE ? size : PATCH_JUMP_SIZE);
}

void stones_add(uint64_t address, unsigned size, uint64_t text_high) {
  if (size >= LEAST && address + PATCH_JUMP_SIZE <= text_high)
    stones[next++ % STONES] = (struct stone){address, size};
}

uint64_t stones_take(struct patched *p,
                     uint64_t (*take)(const struct patched *p, int64_t low, int64_t high)) {
  const uint64_t from = p->address + SHORT_SIZE;
  if (p->site.length < SHORT_SIZE) return 0;
  for (uint32_t i = 0; i < STONES; i++) {
    struct stone *s = &stones[(next - 1 - i) % STONES];
    int64_t low, high;
    if (s->size < LEAST || s->address < from || s->address > from + SHORT_REACH) continue;
    stones_window(s->address, s->size, &low, &high);
    p->trampoline = take(p, low, high);
    if (p->trampoline == 0) continue;
    const uint64_t stone = s->address;
    stones_jump(stone, s->size, p->trampoline);
    s->address += PATCH_JUMP_SIZE;
    s->size = s->size > PATCH_JUMP_SIZE ? s->size - PATCH_JUMP_SIZE : 0;
    return stone;
  }
  return 0;
}

void stones_step(uint64_t address, uint64_t stone) {
  const unsigned char jump[] = {SHORT_JUMP, (unsigned char)(stone - address - SHORT_SIZE)};
  memcpy(address_of(address), jump, sizeof jump);
}
