/* Small programs that mean by names, as those of SV-COMP do, what C does not: one for each word.
 * elsewhere.py has what each of them comes to. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) {
}

typedef void *body(void *);
static int sum, other;

static void run(body *first, body *second) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

/* ---- functions that are not interrupted ---- */

int __VERIFIER_atomic_add(int number) {
  const int before = sum;
  sum = before + number;
  return before;
}

int __VERIFIER_atomic_add_twice(int number) {
  __VERIFIER_atomic_begin();
  const int before = __VERIFIER_atomic_add(number);
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_add(number);
  return before;
}

void __VERIFIER_atomic_take(void) {
  other = 1;
  __VERIFIER_assume(sum == 0);
  sum = 1;
}

static void *add(void *unused) {
  const int before = __VERIFIER_atomic_add(1);
  if (before != 0 && before != 1) reach_error();
  return unused;
}

static void *add_twice(void *unused) {
  const int before = __VERIFIER_atomic_add_twice(2);
  if (before % 4 != 0) reach_error();
  return unused;
}

static void *take(void *unused) {
  __VERIFIER_atomic_take();
  return unused;
}

static void *read_both(void *unused) {
  __VERIFIER_atomic_begin();
  if (other != sum) reach_error();
  __VERIFIER_atomic_end();
  return unused;
}

static void function(void) {
  run(add, add);
  if (sum != 2) reach_error();
}

static void nested(void) {
  run(add_twice, add_twice);
  if (sum != 8) reach_error();
}

/* Who is stopped inside keeps all others out. */
static void stopped(void) {
  sum = other = 2;
  run(take, read_both);
}

/* ---- races ---- */

static char bytes[4], copies[4];

static void *copy(void *unused) {
  memcpy(copies, bytes, sizeof bytes);
  return unused;
}

static void *change(void *unused) {
  bytes[1] = 1;
  return unused;
}

static void *spoil(void *unused) {
  other = 5;
  return unused;
}

static void *double_other(void *unused) {
  __VERIFIER_atomic_begin();
  const int before = other;
  other = 2 * before;
  if (other != 2 * before) reach_error();
  __VERIFIER_atomic_end();
  return unused;
}

/* An access that races does not come into the midst of a region. */
static void beside(void) {
  other = 1;
  run(spoil, double_other);
  if (other != 5 && other != 10) reach_error();
}

/* A function of the library is no single access. */
static void copied(void) {
  run(copy, change);
}

/* A thread without a result has one that nobody looks at. */
static void *without_result(void *unused) {
  other++;
}

static void results(void) {
  pthread_t t;
  pthread_create(&t, NULL, without_result, NULL);
  pthread_join(t, NULL);
}

/* ---- condition variables ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *tell(void *unused) {
  pthread_mutex_lock(&mutex);
  sum = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *wait_once(void *unused) {
  pthread_mutex_lock(&mutex);
  if (sum == 0) pthread_cond_wait(&changed, &mutex);
  if (sum == 0) reach_error();
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void woken(void) {
  run(wait_once, tell);
}

/* ---- how a program ends ---- */

static void aborting(void) {
  const int x = __VERIFIER_nondet_int();
  if (x < 3 || x > 4) abort();
  if (x == 4) reach_error();
}

/* ---- without an end ---- */

static void branches(void) {
  int n = 0;
  while (__VERIFIER_nondet_int())
    n++;
  if (n == 5) reach_error();
}

static void *nothing(void *unused) {
  return unused;
}

static void threads(void) {
  pthread_t t;
  for (;;)
    pthread_create(&t, NULL, nothing, NULL);
}

static void operations(void) {
  for (;;) {
    __VERIFIER_atomic_begin();
    sum = 1;
    __VERIFIER_atomic_end();
  }
}

static void instructions(void) {
  for (volatile int i = 0; i < 1 || i >= 0;)
    i = i < 100 ? i + 1 : 1;
}

int main(int argc, char **argv) {
  static const struct {
    const char *word;
    void (*run)(void);
  } programs[] = {{"woken", woken},     {"beside", beside},         {"copied", copied},
                  {"results", results}, {"function", function},     {"nested", nested},
                  {"stopped", stopped}, {"aborting", aborting},     {"branches", branches},
                  {"threads", threads}, {"operations", operations}, {"instructions", instructions}};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (argc > 1 && strcmp(argv[1], programs[i].word) == 0) programs[i].run();
  return 0;
}
