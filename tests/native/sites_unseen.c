/* A store by code that does not say where it is, as that of an assembler, and to which only a
 * pointer leads; with SEEN by a function in C. With the word wrong, an order of them fails; with
 * pair, it comes between two stores of others, of which the first wrote both. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
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

typedef long two __attribute__((vector_size(2 * sizeof(long))));
static volatile union {
  two both;
  long one[2];
} pair;

static void *pair_work(void *unused) {
  put(&word, 3);
  pair.both = (two){5, 6};
  put(&word, 1);
  pair.both = (two){7, 6};
  assert(pair.one[1] == 6 && pair.one[0] == 7);
  before = word;
  return unused;
}

static int pair_main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, pair_work, NULL);
  word = 2;
  const long first = pair.one[0], second = pair.one[1];
  assert((first == 0 || first == 5 || first == 7) && (second == 0 || second == 6));
  pthread_join(thread, NULL);
  return 0;
}

int main(int argc, char **argv) {
  pthread_t thread;
  if (argc > 1 && strcmp(argv[1], "pair") == 0) return pair_main();
  pthread_create(&thread, NULL, work, NULL);
  const int first = word;
  word = 2;
  after = word;
  pthread_join(thread, NULL);
  assert(argc == 1 || first != 1 || before != 1 || after != 3);
  return 0;
}
