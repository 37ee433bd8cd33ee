/* A heap of variables, the heaviest first; of equals, whatever comes first. */
#include "alternative/weights.h"

#include "structure/unfolding.h"

#define HEAVY 1e100
#define AGING 1.05

static void put(struct solver *s, uint32_t at, uint32_t variable) {
  s->heap.data[at] = variable;
  s->place[variable] = at;
}

static void rise(struct solver *s, uint32_t at) {
  uint32_t variable = s->heap.data[at];
  double weight = s->weights.data[variable];
  for (; at > 0; at = (at - 1) / 2) {
    uint32_t above = s->heap.data[(at - 1) / 2];
    if (s->weights.data[above] >= weight) break;
    put(s, at, above);
  }
  put(s, at, variable);
}

static void sink(struct solver *s, uint32_t at) {
  uint32_t variable = s->heap.data[at], count = s->heap.count;
  const double *weights = s->weights.data;
  for (;;) {
    uint32_t below = 2 * at + 1;
    if (below >= count) break;
    if (below + 1 < count && weights[s->heap.data[below + 1]] > weights[s->heap.data[below]])
      below++;
    if (weights[s->heap.data[below]] <= weights[variable]) break;
    put(s, at, s->heap.data[below]);
    at = below;
  }
  put(s, at, variable);
}

void unfi_weights_begin(struct solver *s) {
  s->weight = 1;
  s->heap.count = 0;
  for (uint32_t v = 0; v < s->variables; v++)
    s->place[v] = NONE;
  for (uint32_t v = 0; v < s->variables; v++)
    unfi_weight_return(s, v);
}

void unfi_weight_add(struct solver *s, uint32_t variable) {
  s->weights.data[variable] += s->weight;
  if (s->weights.data[variable] > HEAVY) {
    for (uint32_t v = 0; v < s->variables; v++)
      s->weights.data[v] /= HEAVY;
    s->weight /= HEAVY;
  }
  if (s->place[variable] != NONE) rise(s, s->place[variable]);
}

void unfi_weights_age(struct solver *s) {
  s->weight *= AGING;
}

void unfi_weight_return(struct solver *s, uint32_t variable) {
  if (s->place[variable] != NONE) return;
  vector_push(&s->heap, variable);
  rise(s, s->heap.count - 1);
}

uint32_t unfi_weight_take(struct solver *s) {
  if (s->heap.count == 0) return NONE;
  uint32_t first = s->heap.data[0], last = s->heap.data[--s->heap.count];
  s->place[first] = NONE;
  if (s->heap.count > 0) {
    put(s, 0, last);
    sink(s, 0);
  }
  return first;
}
