/* Double-checked locking: whether the table exists is first asked without the lock, while another
 * thread may be writing the answer. Compile with callbacks, and explore with --races. The repaired
 * twin (-DREPAIRED) asks under the lock. */
#include <pthread.h>
#include <stdlib.h>

struct table {
  int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *table;

static struct table *get_table(void) {
#ifndef REPAIRED
  if (table != NULL) return table;
#endif
  pthread_mutex_lock(&lock);
  if (table == NULL) {
    table = malloc(sizeof *table);
    if (table == NULL) abort();
    table->size = 10;
  }
  struct table *found = table;
  pthread_mutex_unlock(&lock);
  return found;
}

static void *use(void *unused) {
  if (get_table()->size != 10) abort();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, use, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
