/* Code that lies behind five tests, while others branch much: for the order by distance. */
#include <assert.h>
#include <pthread.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

/* Tests whose outcomes lead nowhere new. */
static void idle(int tests) {
  for (int i = 0; i < tests; i++)
    if (__VERIFIER_nondet_uchar() & 1) sum++;
}

static void last(void) {
  assert(sum < 0);
}
static void fourth(void) {
  idle(2);
  if (__VERIFIER_nondet_uchar() == 4)
    last();
  else
    idle(6);
}
static void third(void) {
  idle(2);
  switch (__VERIFIER_nondet_uchar()) {
  case 3:
    fourth();
    break;
  default:
    idle(6);
  }
}
static void second(void) {
  idle(2);
  if (__VERIFIER_nondet_uchar() == 2)
    third();
  else
    idle(6);
}
static void first(void) {
  idle(2);
  if (__VERIFIER_nondet_uchar() == 1)
    second();
  else
    idle(6);
}

static void *work(void *unused) {
  pthread_mutex_lock(&m);
  first();
  idle(12);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
