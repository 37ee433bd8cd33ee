/* Random numbers. Each thread has generators of its own, seeded from those of its creator when it
 * was created: what it draws is a function of its own past, and not of how many numbers the others
 * have drawn. The main thread draws what the C library gives. What the system would make up anew
 * each time (getrandom) is drawn in the same way. */
#include "accesses.h"
#include "random.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

#include "arena.h"
#include "entry.h"
#include "interpose.h"
#include "real.h"
#include "scheduler.h"

enum { STATE_SIZE = 128 };

struct random {
  struct random_data data;
  char state[STATE_SIZE];
  struct drand48_data data48;
  uint64_t entropy;
};

uint32_t random_seed(const struct thread *parent, uint32_t index) {
  if (parent == NULL) return 1;
  uint64_t x = ((uint64_t)parent->seed << 32 | (index + 1)) * 0x9e3779b97f4a7c15u;
  return (uint32_t)(x >> 32);
}

static struct random *generators(void) {
  struct thread *t = thread_self();
  t->asked++;
  if (t->random != NULL) return t->random;
  struct random *r = private_memory(sizeof *r);
  initstate_r(t->seed, r->state, sizeof r->state, &r->data);
  if (t != threads) srand48_r(t->seed, &r->data48);
  r->entropy = (uint64_t)t->seed << 32;
  t->random = r;
  return r;
}

static void seed(unsigned value) {
  thread_self()->seed = value;
  srandom_r(value, &generators()->data);
}

static long draw(void) {
  int32_t result;
  random_r(&generators()->data, &result);
  return result;
}

static uint64_t draw_entropy(void) {
  struct random *r = generators();
  uint64_t x = r->entropy += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void fill(void *buffer, size_t size) {
  char *to = buffer;
  while (size > 0) {
    uint64_t word = draw_entropy();
    size_t part = size < sizeof word ? size : sizeof word;
    memcpy(to, &word, part);
    to += part;
    size -= part;
  }
}

INTERPOSE int rand(void) {
  return running ? (int)draw() : REAL(rand)();
}

INTERPOSE long random(void) {
  return running ? draw() : REAL(random)();
}

INTERPOSE void srand(unsigned value) {
  if (running)
    seed(value);
  else
    REAL(srand)(value);
}

INTERPOSE void srandom(unsigned value) {
  if (running)
    seed(value);
  else
    REAL(srandom)(value);
}

INTERPOSE double drand48(void) {
  double result;
  if (!running) return REAL(drand48)();
  drand48_r(&generators()->data48, &result);
  return result;
}

INTERPOSE long lrand48(void) {
  long result;
  if (!running) return REAL(lrand48)();
  lrand48_r(&generators()->data48, &result);
  return result;
}

INTERPOSE long mrand48(void) {
  long result;
  if (!running) return REAL(mrand48)();
  mrand48_r(&generators()->data48, &result);
  return result;
}

INTERPOSE void srand48(long value) {
  if (running)
    srand48_r(value, &generators()->data48);
  else
    REAL(srand48)(value);
}

INTERPOSE ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
  if (!running) return REAL(getrandom)(buffer, size, flags);
  fill(buffer, size);
  return (ssize_t)size;
}

INTERPOSE int getentropy(void *buffer, size_t size) {
  if (!running) return REAL(getentropy)(buffer, size);
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  fill(buffer, size);
  return 0;
}

/* Not in every version of the C library that this works with. */
INTERPOSE uint32_t arc4random(void);
INTERPOSE uint32_t arc4random_uniform(uint32_t bound);
INTERPOSE void arc4random_buf(void *buffer, size_t size);

uint32_t arc4random(void) {
  return running ? (uint32_t)draw_entropy() : REAL(arc4random)();
}

uint32_t arc4random_uniform(uint32_t bound) {
  if (!running) return REAL(arc4random_uniform)(bound);
  return bound < 2 ? 0 : (uint32_t)(draw_entropy() % bound);
}

void arc4random_buf(void *buffer, size_t size) {
  accesses_by_call(buffer, size, true, CALLER);
  if (running)
    fill(buffer, size);
  else
    REAL(arc4random_buf)(buffer, size);
}
