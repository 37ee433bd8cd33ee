/* A lock that is not released on the way out by an error, which only one order takes. */
#include <pthread.h>

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static void *withdraw(void *unused) {
  pthread_mutex_lock(&account);
  if (balance < 10) {
#ifdef REPAIRED
    pthread_mutex_unlock(&account);
#endif
    return unused;
  }
  balance -= 10;
  pthread_mutex_unlock(&account);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, withdraw, NULL);
  pthread_mutex_lock(&account);
  balance += 5;
  pthread_mutex_unlock(&account);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
