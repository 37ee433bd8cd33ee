/* Protocols of loads and stores alone, which are plain instructions: loads CASE [wrong]. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static int wrong;
static atomic_int flag[2], sequence, value[2], inside;

static int load(atomic_int *from) {
  return atomic_load_explicit(from, memory_order_acquire);
}

static void store(atomic_int *to, int number) {
  atomic_store_explicit(to, number, memory_order_release);
}

/* Wrong: it is said first, and done later. */
static void *tell(void *unused) {
  if (wrong) store(&flag[0], 1);
  store(&value[0], 1);
  if (!wrong) store(&flag[0], 1);
  return unused;
}

static void *hear(void *unused) {
  if (load(&flag[0]) == 1) assert(load(&value[0]) == 1);
  return unused;
}

/* Wrong: a thread looks for the other one before it says that it wants to go in. */
static void enter(int me) {
  int there = wrong ? load(&flag[1 - me]) : 0;
  store(&flag[me], 1);
  atomic_thread_fence(memory_order_seq_cst);
  if (!wrong) there = load(&flag[1 - me]);
  if (there == 1) return;
  store(&inside, 1 + me);
  assert(load(&inside) == 1 + me);
}

static void *one(void *unused) {
  enter(0);
  return unused;
}

static void *other(void *unused) {
  enter(1);
  return unused;
}

/* Wrong: nothing is said before the change. */
static void *write_both(void *unused) {
  if (!wrong) store(&sequence, 1);
  store(&value[0], 1);
  store(&value[1], 1);
  store(&sequence, 2);
  return unused;
}

static void *read_both(void *unused) {
  const int before = load(&sequence), first = load(&value[0]), second = load(&value[1]);
  if (before % 2 == 0 && load(&sequence) == before) assert(first == second);
  return unused;
}

static void both(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

int main(int argc, char **argv) {
  wrong = argc > 2;
  if (strcmp(argv[1], "flags") == 0) both(tell, hear);
  if (strcmp(argv[1], "dekker") == 0) both(one, other);
  if (strcmp(argv[1], "seqlock") == 0) both(write_both, read_both);
}
