/* Ways that the order by distance has to know. Most are behind one outcome of the first test, and
 * what is at their end is found in four more: in one of sixteen executions. Behind the other
 * outcome are twelve tests, so that an order which does not see the way is lost in thousands. Where
 * what is looked for is a division by zero, that alone was not performed before, so that coverage
 * does not lead there. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

#define FOUR(x)    x x x x
#define SIXTEEN(x) FOUR(FOUR(x))
#define MUCH       FOUR(SIXTEEN(kept++;))
#ifdef ALONE /* no function but those in the table is a value */
#define START(f)
#else
#define START(f)                                                                                   \
  {                                                                                                \
    pthread_t t;                                                                                   \
    pthread_create(&t, 0, f, 0);                                                                   \
  }
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t begun;
static volatile int sum, kept, set;

static void tests(int count) {
  for (int i = 0; i < count; i++)
    if (__VERIFIER_nondet_uchar() & 1) sum++;
}

/* Twelve tests, which take long. */
static void idle(void) {
  for (int i = 0; i < 12; i++) {
    if (__VERIFIER_nondet_uchar() & 1) kept++;
    MUCH
  }
}

static void nothing(void) {
}

/* ---- a function that a thread begins with ---- */

static void *work(void *unused) {
  if (sum == 4) assert(0);
  return unused;
}

static void in_thread(void) {
  tests(4);
  START(work)
}

/* ---- a function behind a pointer, without a test ---- */

static void fails(void) {
  kept = 1 / (sum - 4);
}

static void (*const table[])(void) = {nothing, fails};

static void by_pointer(void) {
  tests(4);
  table[sum == 4]();
}

/* ---- behind the end of a function, and behind another one ---- */

static void behind(void) {
  tests(4);
  nothing();
  if (sum == 4) assert(0);
}

/* ---- an outcome that leads to what was performed ---- */

static void outcome(void) {
  tests(4);
  while (sum != 4) {
    nothing();
    break;
  }
  kept = 1 / (sum - 4);
}

/* ---- no way: behind a call that does not return, and in the library ---- */

static void stop(void) {
  _exit(0);
}

static void stops(void) {
  tests(12);
  stop();
  assert(0);
}

static void prints(void) {
  char text[8];
  tests(12);
  snprintf(text, sizeof text, "%d", 12);
}

static void far(void) {
  tests(4);
  MUCH if (sum == 4) assert(0);
}

/* ---- no way: outcomes that are errors ---- */

static void divides(void) {
  tests(4);
  for (int i = 0; i < 30; i++)
    kept = 100 / (__VERIFIER_nondet_uchar() - 7);
  if (sum == 4) assert(0);
}

static void reads(void) {
  static const int numbers[8] = {1};
  tests(4);
  for (int i = 0; i < 30; i++)
    kept = numbers[__VERIFIER_nondet_uchar() & 15];
  if (sum == 4) assert(0);
}

static void unwritten(void) {
  int numbers[8];
  numbers[0] = numbers[1] = numbers[2] = numbers[3] = 0;
  tests(4);
  for (int i = 0; i < 10; i++)
    kept = numbers[__VERIFIER_nondet_uchar() & 7];
  if (sum == 4) assert(0);
}

/* ---- the shorter of two ways ---- */

static void longer(void) {
  idle();
  if (kept == 1) assert(0);
}

/* ---- a step that was not performed, whose thread has none of its own just before it ---- */

static void *between(void *unused) {
  sem_post(&begun);
  MUCH MUCH MUCH sem_post(&begun);
  pthread_mutex_lock(&m);
  const int seen = set;
  pthread_mutex_unlock(&m);
  if (seen == 1) assert(0);
  longer();
  return unused;
}

static void sets(void) {
  sem_init(&begun, 0, 0);
  START(between)
  sem_wait(&begun);
  sem_wait(&begun);
  for (int i = 1; i <= 2; i++) {
    pthread_mutex_lock(&m);
    set = i;
    pthread_mutex_unlock(&m);
  }
}

/* ---- no way is known: what took much, shared among what is explored from there ---- */

static void few(void) {
  SIXTEEN(kept++;)
  tests(4);
  kept = 1 / (sum - 1);
}

static void many(void) {
  MUCH tests(200);
}

int main(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  const int way = __VERIFIER_nondet_uchar() & 1;
  if (strcmp(word, "thread") == 0)
    way ? in_thread() : idle();
  else if (strcmp(word, "pointer") == 0)
    way ? by_pointer() : idle();
  else if (strcmp(word, "behind") == 0)
    way ? behind() : idle();
  else if (strcmp(word, "outcome") == 0)
    way ? outcome() : idle();
  else if (strcmp(word, "stops") == 0)
    way ? far() : stops();
  else if (strcmp(word, "prints") == 0)
    way ? far() : prints();
  else if (strcmp(word, "divides") == 0)
    way ? divides() : idle();
  else if (strcmp(word, "reads") == 0)
    way ? reads() : idle();
  else if (strcmp(word, "unwritten") == 0)
    way ? unwritten() : idle();
  else if (strcmp(word, "longer") == 0)
    way ? behind() : longer();
  else if (strcmp(word, "between") == 0)
    sets();
  else if (strcmp(word, "many") == 0)
    way ? few() : many();
}
