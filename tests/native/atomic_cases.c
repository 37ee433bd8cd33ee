/* What programs do with atomic objects, beyond what random programs show; the
 * argument says which. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unfold/await.h>
#include <unistd.h>

static _Atomic unsigned char small = 250;
static _Atomic int word, other;
static time_t started;
static union {
  _Atomic int whole;
  _Atomic short half[2];
} several;

static void *wraps(void *unused) {
  atomic_fetch_add(&small, 6);
  unfold_exchange_await_eq(&small, 6, 1);
  return unused;
}

static void *waits(void *unused) {
  unfold_await_gt(&word, 1); /* never */
  return unused;
}

static void *relaxed(void *unused) {
  atomic_fetch_add_explicit(&word, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  return unused;
}

static void *ors(void *unused) {
  atomic_fetch_or(&word, 2); /* or */
  return unused;
}

static void *halves(void *unused) {
  atomic_store(&several.whole, 1);
  atomic_store(&several.half[1], 1);
  return unused;
}

/* Stores to halves of what another thread adds to; one ends as -1, and is awaited in vain. */
static void *sums(void *unused) {
  atomic_fetch_add(&several.whole, -65536);
  unfold_await_eq(&several.half[1], 5);
  return unused;
}

static void *stores(void *unused) {
  atomic_store(&several.half[0], 3);
  return unused;
}

static void *plain(void *unused) {
  atomic_store(&word, 1);
  *(int *)&word = 2; // NOLINT
  atomic_load(&word);
  return unused;
}

/* Blocks that are taken again are new objects, and their addresses are values. */
static void *blocks(void *unused) {
  static _Atomic(_Atomic int *) shared;
  for (int i = 0; i < 2; i++) {
    _Atomic int *block = malloc(sizeof *block), *expected = NULL;
    *(int *)block = 7 + i; // NOLINT
    atomic_fetch_add(block, 1);
    if (atomic_compare_exchange_strong(&shared, &expected, block)) {
      expected = block;
      atomic_compare_exchange_strong(&shared, &expected, NULL);
    }
    free(block);
  }
  return unused;
}

/* So are those of stacks. */
static void *stacks(void *unused) {
  static _Atomic(_Atomic int *) shared;
  _Atomic int mine;
  atomic_store(&mine, 0);
  _Atomic int *before = atomic_exchange(&shared, &mine);
  if (before != NULL)
    atomic_store(before, 1);
  else
    unfold_await_eq(&mine, 1);
  return unused;
}

/* Waits for ever, at an object of the heap and one of the stack. */
static void *stuck(void *unused) {
  _Atomic int mine, *block = malloc(sizeof *block);
  atomic_store(&mine, 0);
  atomic_store(block, atomic_fetch_add(&word, 1));
  unfold_await_eq(block, 0);
  unfold_await_eq(&mine, 1);
  return unused;
}

/* Each waits for the other before it raises its own flag. */
static void *handshake(void *unused) {
  static _Atomic int count, flags[2];
  const int mine = atomic_fetch_add(&count, 1);
  unfold_await_eq(&flags[1 - mine], 1); /* for ever */
  atomic_store(&flags[mine], 1);
  return unused;
}

/* One waits for a value while it has the lock that the other needs: not a loop that repeats. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holds(void *unused) {
  pthread_mutex_lock(&lock);
  unfold_await_eq(&word, 1);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *needs(void *unused) {
  pthread_mutex_lock(&lock);
  atomic_store(&word, 1);
  pthread_mutex_unlock(&lock);
  return unused;
}

/* Looks once, and is of interest only if it was late enough. */
static void *looks(void *unused) {
  unfold_assume(atomic_load(&word) == 1);
  return unused;
}

/* Who sees an addition is later than it was, and who adds to what was read is later than that. */
static void *sleeps_and_adds(void *unused) {
  sleep(5);
  unfold_add(&word, 1);
  unfold_await_eq(&word, 4);
  if (time(NULL) < started + 7) abort();
  return unused;
}

static void *waits_and_adds(void *unused) {
  unfold_await_eq(&word, 1);
  if (time(NULL) < started + 5) abort();
  sleep(2);
  unfold_add(&word, 3);
  return unused;
}

/* Repeats until it is late enough. */
static int looked_for(void) {
  return atomic_load(&word) == 1;
}

static void *spins(void *unused) {
  while (!looked_for())
    continue;
  return unused;
}

static void *publishes_once(void *unused) {
  atomic_store(&word, 1);
  return unused;
}

/* One place, twice, through different calls; and as many calls as are told apart, and more. */
static void looked_at(void) {
  atomic_load(&other);
}

static int deeper(int depth) {
  int below = depth == 0 ? atomic_load(&other) : deeper(depth - 1);
  return below + depth;
}

static void *calls(void *unused) {
  looked_at();
  looked_at();
  return deeper(300) > 0 ? unused : NULL;
}

static void *nothing(void *unused) {
  return unused;
}

/* Nobody asks for the sum before both are done. */
static void *adds(void *unused) {
  unfold_add(&small, 3);
  return unused;
}

static void *adds_and_waits(void *unused) {
  unfold_add(&small, 4);
  unfold_await_eq(&small, 1);
  return unused;
}

/* What is published is ordered, and what is read too early is not. */
static int payload;

static void *publishes(void *unused) {
  payload = 1; /* write */
  atomic_store(&word, 1);
  return unused;
}

static void *receives(void *unused) {
  unfold_await_eq(&word, 1);
  return payload == 1 ? unused : NULL;
}

static void *hurries(void *unused) {
  if (atomic_load(&word) >= 0 && payload >= 0) /* early */
    atomic_store(&other, 1);
  return unused;
}

static const struct {
  const char *name;
  void *(*first)(void *), *(*second)(void *);
} cases[] = {
    {"wraps", wraps, wraps},
    {"waits", waits, relaxed},
    {"relaxed", relaxed, relaxed},
    {"or", ors, ors},
    {"halves", halves, relaxed},
    {"union", sums, stores},
    {"plain", plain, relaxed},
    {"blocks", blocks, blocks},
    {"stacks", stacks, stacks},
    {"published", publishes, receives},
    {"hurried", publishes, hurries},
    {"stuck", stuck, stuck},
    {"handshake", handshake, handshake},
    {"held", holds, needs},
    {"early", publishes, looks},
    {"adds", adds, adds_and_waits},
    {"spins", publishes_once, spins},
    {"sleeps", sleeps_and_adds, waits_and_adds},
    {"calls", calls, nothing},
};

int main(int argc, char **argv) {
  pthread_t threads[2];
  started = time(NULL);
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++) {
    if (strcmp(argv[1], cases[i].name) != 0) continue;
    pthread_create(&threads[0], NULL, cases[i].first, NULL);
    pthread_create(&threads[1], NULL, cases[i].second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
  }
  return 0;
}
