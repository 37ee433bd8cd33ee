/* A store by code that does not say where it is, as that of an assembler, and to which only a
 * pointer leads; with SEEN by a function in C. With the word wrong, an order of them fails. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#ifdef SEEN
__attribute__((noinline)) static void put_there(volatile int *word, int value) {
  *word = value;
}
static void (*volatile put)(volatile int *word, int value) = put_there;
#else
__asm__(".text\n"
        "put_there:\n"
        "  movl %esi, (%rdi)\n"
        "  ret\n"
        ".data\n"
        ".balign 8\n"
        "put: .quad put_there\n"
        ".text\n");
extern void (*volatile put)(volatile int *word, int value) __attribute__((visibility("hidden")));
#endif

static volatile int word;
static int before, after;

static void *work(void *unused) {
  put(&word, 1);
  before = word;
  int *mapped =
      mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  __atomic_fetch_add(mapped, 1, __ATOMIC_SEQ_CST);
  munmap(mapped, sizeof *mapped); /* an object that is gone is compared no more */
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
