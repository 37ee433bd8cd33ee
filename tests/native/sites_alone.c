/* One thread with read-modify-writes, and a lock: its order with others does not matter. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  pthread_mutex_lock(&lock);
  atomic_fetch_add(&count, 1);
  pthread_mutex_unlock(&lock);
  return atomic_load(&count) - 1;
}
