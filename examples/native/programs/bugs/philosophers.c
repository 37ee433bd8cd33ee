/* The dining philosophers: each has taken the fork on the left and waits for the other one. When
 * one of them begins on the right (-DREPAIRED) there is no circle. */
#include <pthread.h>

enum { PHILOSOPHERS = 3 };

static pthread_mutex_t forks[PHILOSOPHERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                              PTHREAD_MUTEX_INITIALIZER};
static int seats[PHILOSOPHERS] = {0, 1, 2};

static void *dine(void *seat) {
  int left = *(const int *)seat, right = (left + 1) % PHILOSOPHERS;
#ifdef REPAIRED
  if (left > right) {
    left = right;
    right = PHILOSOPHERS - 1;
  }
#endif
  pthread_mutex_lock(&forks[left]);
  pthread_mutex_lock(&forks[right]);
  pthread_mutex_unlock(&forks[right]);
  pthread_mutex_unlock(&forks[left]);
  return NULL;
}

int main(void) {
  pthread_t threads[PHILOSOPHERS];
  for (int i = 0; i < PHILOSOPHERS; i++)
    pthread_create(&threads[i], NULL, dine, &seats[i]);
  for (int i = 0; i < PHILOSOPHERS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
