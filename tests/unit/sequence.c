/* Shrinking: leave out ever smaller pieces while what is left still fails, until no single call can
 * go; then make the numbers small. */
#include "sequence.h"

#include <stdio.h>
#include <string.h>

#include "script.h"

void sequence_draw(struct sequence *sequence, uint64_t *seed, uint32_t kinds, unsigned count) {
  sequence->count = count;
  for (unsigned i = 0; i < count; i++) {
    struct call *call = &sequence->calls[i];
    call->what = (uint32_t)script_draw(seed, kinds);
    call->a = (uint32_t)script_draw(seed, 1000);
    call->b = (uint32_t)script_draw(seed, 1000);
  }
}

static bool without(struct sequence *sequence, unsigned begin, unsigned length) {
  struct call rest[SEQUENCE_LENGTH];
  unsigned count = sequence->count - length;
  memcpy(rest, sequence->calls, begin * sizeof *rest);
  memcpy(rest + begin, sequence->calls + begin + length, (count - begin) * sizeof *rest);
  if (sequence->run(sequence->user, rest, count) == NULL) return false;
  memcpy(sequence->calls, rest, count * sizeof *rest);
  sequence->count = count;
  return true;
}

static bool smaller(struct sequence *sequence, uint32_t *number) {
  uint32_t old = *number;
  for (uint32_t value = 0; value < old; value = value * 2 + 1) {
    *number = value;
    if (sequence->run(sequence->user, sequence->calls, sequence->count) != NULL) return true;
  }
  *number = old;
  return false;
}

bool sequence_holds(struct sequence *sequence) {
  if (sequence->run(sequence->user, sequence->calls, sequence->count) == NULL) return true;
  for (unsigned length = sequence->count; length > 0; length /= 2)
    for (unsigned begin = 0; begin + length <= sequence->count;)
      if (!without(sequence, begin, length)) begin += length;
  for (unsigned i = 0; i < sequence->count;)
    if (without(sequence, i, 1))
      i = 0;
    else
      i++;
  for (unsigned i = 0; i < sequence->count; i++) {
    smaller(sequence, &sequence->calls[i].a);
    smaller(sequence, &sequence->calls[i].b);
  }
  const char *wrong = sequence->run(sequence->user, sequence->calls, sequence->count);
  printf("%s, after %u calls:\n", wrong, sequence->count);
  for (unsigned i = 0; i < sequence->count; i++)
    printf("  %s %u %u\n", sequence->names[sequence->calls[i].what], sequence->calls[i].a,
           sequence->calls[i].b);
  return false;
}
