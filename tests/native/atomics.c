/* Atomic operations of every size, alone; with an argument, one of them in a thread. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Atomic signed char byte;
static _Atomic short half;
static _Atomic int word;
static _Atomic long twice;
__extension__ static _Atomic __int128 wide;
static _Atomic struct { long words[3]; } large;

static void alone(void) {
  long expected = 1;
  for (int i = 0; i < 5; i++) {
    byte ^= 7;
    half += 3;
    word |= 1 << i;
    twice -= 2;
    wide += 5;
  }
  int swapped = atomic_compare_exchange_strong(&twice, &expected, 9);
  int before = atomic_fetch_and(&word, 6),
      again = atomic_compare_exchange_weak(&twice, &expected, 20);
  printf("%d %d %d %d %ld %ld %d %d %d\n", (int)byte, (int)half, (int)word, (int)wide, expected,
         (long)atomic_exchange(&twice, 77), swapped, again, before);
}

static void *adds(void *unused) {
  atomic_fetch_add(&word, 1);
  return unused;
}

static void *fences(void *unused) {
  atomic_signal_fence(memory_order_seq_cst);
  atomic_thread_fence(memory_order_seq_cst);
  return unused;
}

static void *copies(void *unused) {
  __typeof__(large) copy = large;
  (void)copy;
  return unused;
}

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "";
  pthread_t thread;
  if (argc < 2) {
    alone();
    return 0;
  }
  pthread_create(&thread, NULL,
                 strcmp(which, "add") == 0     ? adds
                 : strcmp(which, "fence") == 0 ? fences
                                               : copies,
                 NULL);
  pthread_join(thread, NULL);
  return 0;
}
