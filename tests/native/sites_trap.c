/* Read-modify-writes that leave no room for a jump: what follows them would make its target lie in
 * the memory of this program. One argument: right, wrong, or call. With FIXED there is one behind
 * which nothing can be moved; with STEP the jump may go by way of bytes that a longer one leaves
 * over. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static char occupied[64 << 20]; /* where the jumps would go */
static int words[5];
static int wrong;

/* Two bytes, and a constant whose bytes are empty. */
static int exchange(int *word, int value) {
  __asm__ volatile("xchg %0, (%1)\n\tmovl $0, %%ecx" : "+a"(value) : "D"(word) : "ecx", "memory");
  return value;
}

/* Three bytes, and a jump on a condition. */
static int is_first(int *word) {
  int result = 0;
  __asm__ volatile("movl $1, %0\n\tlock incl (%1)\n\t.byte 0x75, 0x01\n\tnop\n\tnop\n\tmovl $2, %0"
                   : "+a"(result)
                   : "D"(word)
                   : "cc", "memory");
  return result;
}

/* Two places after each other. */
static int twice(int *word) {
  int value = 1;
  __asm__ volatile("xchg %0, (%1)\n\tlock addl %0, (%2)"
                   : "+a"(value)
                   : "D"(word), "c"(word + 1)
                   : "cc", "memory");
  return value;
}

/* Two bytes, one more, and a longer jump that is always taken. */
static int far(int *word, int value) {
  __asm__ volatile("xchg %0, (%1)\n\tnop\n\t.byte 0xe9, 0, 0, 0, 0\n\tnop"
                   : "+a"(value)
                   : "D"(word)
                   : "memory");
  return value;
}

static void count(void) {
  words[3]++;
}

static void (*counts)(void) = count;

/* Two bytes, to behind which the function returns. */
static void call(void) {
  __asm__ volatile("call *(%%rax)\n\tmovl $0, %%ecx"
                   :
                   : "a"(&counts)
                   : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
}

#if defined(FIXED) || defined(STEP)
#ifdef STEP
#define LONGER "\n\t%{disp32%} lock addl $0x12345678, 4(%0)"
#else
#define LONGER
#endif
/* Two bytes, and something that is jumped to. */
static void fixed(int *word) {
  __asm__ volatile(
      "movl $2, %%edx\n\txchg %%eax, (%0)\n1:\tmovl $0, %%ecx\n\tdec %%edx\n\tjnz 1b" LONGER
      :
      : "D"(word)
      : "eax", "ecx", "edx", "cc", "memory");
}
#endif

static void *work(void *unused) {
  const int before = exchange(&words[0], 1);
  const int two = is_first(&words[1]);
  twice(&words[2]);
  far(&words[0], 2);
  assert(two == 2);
#if defined(FIXED) || defined(STEP)
  fixed(&words[3]);
#endif
  if (wrong) assert(before != 2);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  wrong = argc > 1 && strcmp(argv[1], "wrong") == 0;
  if (argc > 1 && strcmp(argv[1], "call") == 0) {
    call();
    return words[3] == 1 ? 0 : 1;
  }
  occupied[0] = 1;
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(words[1] == 2);
#ifdef STEP
  assert(words[4] == (int)(2 * 0x12345678u));
#endif
  return 0;
}
