/* The random numbers of drand48() and its family, which POSIX defines: 48 bits, X' = aX + c. */
#define _GNU_SOURCE
#include "library.h"

#include <stdlib.h>
#include <string.h>

#define FACTOR UINT64_C(0x5deece66d)
#define MASK   ((UINT64_C(1) << 48) - 1)
enum { SUMMAND = 11, SEED_BEGIN = 0x330e, WORDS = 3 };

static uint64_t factor = FACTOR, summand = SUMMAND, state;
static unsigned short before[WORDS];

static uint64_t joined(const unsigned short words[WORDS]) {
  return (uint64_t)words[2] << 32 | (uint64_t)words[1] << 16 | words[0];
}

static void split(uint64_t x, unsigned short words[WORDS]) {
  for (int i = 0; i < WORDS; i++)
    words[i] = (unsigned short)(x >> 16 * i);
}

/* The next state of the program, or of words that the caller has. */
static uint64_t step(unsigned short *words) {
  __unfold_lock(&state);
  const uint64_t x = ((words != NULL ? joined(words) : state) * factor + summand) & MASK;
  if (words == NULL) state = x;
  __unfold_unlock(&state);
  if (words != NULL) split(x, words);
  return x;
}

static double fraction(uint64_t x) {
  return (double)x / 281474976710656.0;
}

double drand48(void) {
  return fraction(step(NULL));
}
double erand48(unsigned short words[WORDS]) {
  return fraction(step(words));
}
long lrand48(void) {
  return (long)(step(NULL) >> 17);
}
long nrand48(unsigned short words[WORDS]) {
  return (long)(step(words) >> 17);
}
long mrand48(void) {
  return (int32_t)(step(NULL) >> 16);
}
long jrand48(unsigned short words[WORDS]) {
  return (int32_t)(step(words) >> 16);
}

static void begin(uint64_t x) {
  __unfold_lock(&state);
  split(state, before);
  state = x;
  factor = FACTOR;
  summand = SUMMAND;
  __unfold_unlock(&state);
}

void srand48(long seed) {
  begin(((uint64_t)seed << 16 & MASK) | SEED_BEGIN);
}

unsigned short *seed48(unsigned short words[WORDS]) {
  begin(joined(words));
  return before;
}

void lcong48(unsigned short words[2 * WORDS + 1]) {
  __unfold_lock(&state);
  state = joined(words);
  factor = joined(words + WORDS);
  summand = words[2 * WORDS];
  __unfold_unlock(&state);
}
