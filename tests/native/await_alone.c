/* What is in <unfold/await.h>, by a thread that need not wait and one that does: without `unfold`
 * the waits are loops, a try is one look, and an assumption is nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unfold/await.h>

static _Atomic unsigned char turn;
static _Atomic long sum = -4;
static long *_Atomic published;

static void *answers(void *unused) {
  unfold_await_eq(&turn, 1);
  unfold_add(&sum, 6);
  atomic_store(&turn, 2);
  return unused;
}

int main(void) {
  static long one = 1;
  pthread_t thread;
  bool good = unfold_await_lt(&sum, -3) == -4 && unfold_await_ge(&sum, -4) == -4 &&
              unfold_await_ne(&sum, 0) == -4 && unfold_await_le(&sum, -4) == -4 &&
              unfold_await_gt(&sum, -5) == -4 && unfold_await_eq(&published, NULL) == NULL;
  good &= unfold_try_eq(&sum, -4) == -4 && unfold_try_lt(&sum, 0) == -4 &&
          unfold_exchange_try_eq(&published, NULL, &one) == NULL &&
          unfold_exchange_await_ne(&published, NULL, NULL) == &one &&
          unfold_exchange_try_gt(&sum, -9, -5) == -4 && atomic_load(&sum) == -5;
  if (pthread_create(&thread, NULL, answers, NULL) != 0) return 2;
  atomic_store(&turn, 1);
  unfold_assume(good);
  good &= unfold_exchange_await_eq(&turn, 2, 3) == 2;
  pthread_join(thread, NULL);
  return good && atomic_load(&turn) == 3 && atomic_load(&sum) == 1 ? 0 : 1;
}
