/* A loop is what lies between a jump back and its target. Compilers put parts of it elsewhere, from
 * which another jump leads back, so loops that overlap are one here. */
#include "pauses.h"

#include <stdbool.h>

enum { PAUSE_NEAR = 64 };

void pauses_begin(struct pauses *p) {
  p->count = p->loop_count = 0;
}

void pauses_see(struct pauses *p, const ZydisDecodedInstruction *instruction, uint64_t at) {
  if (instruction->mnemonic == ZYDIS_MNEMONIC_PAUSE && p->count < PAUSES_MAX)
    p->at[p->count++] = at;
  if (!instruction->raw.imm[0].is_relative || instruction->mnemonic == ZYDIS_MNEMONIC_CALL) return;
  const uint64_t end = at + instruction->length;
  const uint64_t target = end + (uint64_t)instruction->raw.imm[0].value.s;
  if (target < end && p->loop_count < LOOPS_MAX)
    p->loops[p->loop_count++] = (struct span){target, end};
}

static bool overlap(const struct span *a, const struct span *b) {
  return a->low < b->high && b->low < a->high;
}

static struct span loop_around(const struct pauses *p, uint64_t at) {
  struct span around = {at, at + 1};
  for (bool wider = true; wider;) {
    wider = false;
    for (unsigned i = 0; i < p->loop_count; i++) {
      const struct span *loop = &p->loops[i];
      if (!overlap(loop, &around) || (loop->low >= around.low && loop->high <= around.high))
        continue;
      if (loop->low < around.low) around.low = loop->low;
      if (loop->high > around.high) around.high = loop->high;
      wider = true;
    }
  }
  return around;
}

void pauses_mark(const struct pauses *p, struct site *sites, uint32_t count) {
  for (unsigned i = 0; i < p->count; i++) {
    const struct span loop = loop_around(p, p->at[i]);
    const uint64_t low = p->at[i] - PAUSE_NEAR, high = p->at[i] + PAUSE_NEAR;
    for (uint32_t j = 0; j < count; j++) {
      struct site *s = &sites[j];
      if (s->offset >= low && s->offset < high) s->flags |= SITE_PAUSES;
      s->in_pausing |= s->offset >= loop.low && s->offset < loop.high;
    }
  }
}
