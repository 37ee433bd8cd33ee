/* Objects of all sorts: variables, parts of them, on a stack and on the heap. One has a name that
 * the test replaces. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t evil __asm__("hostile_name_of_32_bytes_0123456") = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int pad[4];
  pthread_mutex_t lock[2];
} table = {{0}, {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};
static pthread_barrier_t bar;
static sem_t sem;
static pthread_mutex_t *heap;

static void use(pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
}

static void *run(void *p) {
  pthread_mutex_t *stack = p;
  pthread_barrier_wait(&bar);
  pthread_barrier_wait(&bar);
  use(&table.lock[1]);
  use(heap);
  use(stack);
  use(&evil);
  sem_post(&sem);
  return p;
}

int main(void) {
  pthread_t t;
  pthread_mutex_t stack;
  pthread_mutex_init(&stack, NULL);
  heap = malloc(sizeof *heap);
  pthread_mutex_init(heap, NULL);
  pthread_barrier_init(&bar, NULL, 2);
  sem_init(&sem, 0, 0);
  pthread_create(&t, NULL, run, &stack);
  pthread_barrier_wait(&bar);
  pthread_barrier_wait(&bar);
  sem_wait(&sem);
  return pthread_join(t, NULL);
}
