/* A store by code that does not say where it is, as that of an assembler; with SEEN by a function
 * in C. With the word wrong, an order of them fails. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void put(volatile int *word, int value);
#ifdef SEEN
__attribute__((noinline)) void put(volatile int *word, int value) {
  *word = value;
}
#else
__asm__(".text\n"
        ".globl put\n"
        ".type put, @function\n"
        "put:\n"
        "  movl %esi, (%rdi)\n"
        "  ret\n"
        ".size put, . - put\n");
#endif

static volatile int word;
static int before, after;

static void *work(void *unused) {
  put(&word, 1);
  before = word;
  put(&word, 3);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  (void)argv;
  pthread_create(&thread, NULL, work, NULL);
  const int first = word;
  word = 2;
  after = word;
  pthread_join(thread, NULL);
  assert(argc == 1 || first != 1 || before != 1 || after != 3);
  return 0;
}
