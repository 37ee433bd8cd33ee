/* Places that are not to be changed, each for its own reason; and two that are. */
#include <pthread.h>
#include <stddef.h>

__attribute__((used)) static int word;

#define FUNCTION(name, body)                                                                       \
  __asm__(".text\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n" body                   \
          ".cfi_endproc\n.size " #name ", . - " #name "\n")

/* Something jumps behind the prefix. */
FUNCTION(jumped, "test %edi, %edi\n jz 1f + 1\n1: lock incl word(%rip)\n ret\n");
/* The kernel begins it anew when the thread was interrupted there. */
FUNCTION(restarted, "2: lock incl word(%rip)\n3: ret\n"
                    ".pushsection __rseq_cs, \"aw\"\n.balign 32\n.long 0, 0\n"
                    ".quad 2b, 3b - 2b, 3b\n.popsection\n");
/* A byte that is no instruction. */
FUNCTION(mixed, "jmp 4f\n .byte 0x06\n4: lock incl word(%rip)\n ret\n");
/* Code that is in no function, as far as the unwinder is told. */
__asm__(".text\nunframed: lock incl word(%rip)\n ret\n");

static void *work(void *unused) {
  __sync_fetch_and_add(&word, 1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return __sync_fetch_and_sub(&word, 2) != 2;
}
