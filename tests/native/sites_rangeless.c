/* Built as a module that does not say where its functions are, and as the program that uses it. */
void rangeless_add(int *word);

#ifdef MODULE
void rangeless_add(int *word) {
#ifdef PLAIN
  *(volatile int *)word += 1;
#else
  __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
#endif
}
#else
#include <pthread.h>

static int word;

static void *add(void *unused) {
  (void)unused;
  rangeless_add(&word);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], 0);
  return word != 2;
}
#endif
