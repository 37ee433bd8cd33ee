/* Two tellers hand out tickets. The number is taken under the mutex, but the first look at how many
 * are left is not: a data race. With -DREPAIRED the look is under the mutex too. Compiled with
 * callbacks:
 *
 *   cc -g -O0 -fsanitize=thread -c ticket.c && cc -pthread ticket.o -lunfold-callbacks -o ticket
 *   unfold --races -- ./ticket
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static int left = 3, sold;

static int some_left(void) {
#ifdef REPAIRED
  pthread_mutex_lock(&desk);
  int some = left > 0;
  pthread_mutex_unlock(&desk);
  return some;
#else
  return left > 0;
#endif
}

static void *teller(void *unused) {
  (void)unused;
  if (!some_left()) return NULL;
  pthread_mutex_lock(&desk);
  if (left > 0) {
    left--;
    sold++;
  }
  pthread_mutex_unlock(&desk);
  return NULL;
}

int main(void) {
  pthread_t tellers[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&tellers[i], NULL, teller, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(tellers[i], NULL);
  printf("%d sold, %d left\n", sold, left);
  return 0;
}
