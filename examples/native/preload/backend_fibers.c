/* Back-end: each thread of the program is a fiber on the one kernel thread, with a stack and a TLS
 * block of its own, so that errno, thread-local variables and the C library's own per-thread state
 * are as with real threads. The block is filled by the dynamic linker; of what lies in it behind
 * the ABI's head only the thread number is set, at the place where the main thread has its own. A
 * switch saves the registers that a call keeps and exchanges the stack and the FS base, which holds
 * the block's address. */
#include "backend_fibers.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "arena.h"
#include "backend.h"
#include "real.h"
#include "scheduler.h"
#include "system_call.h"

enum { BLOCK_SEARCHED = 2048, HWCAP2_FSGSBASE = 2, STACK_ALIGNED = 64 };

/* The head of a TLS block, fixed by the ABI of x86-64. */
struct tls_block {
  struct tls_block *tcb;
  void *vector;
  struct tls_block *self;
  uint64_t unused[2];
  uint64_t stack_guard, pointer_guard;
};

/* fiber_exchange(from, to, fast): rdi, rsi, edx. The first switch to a fiber "returns" to
 * fiber_entry, which calls r12 with rbx. */
__asm__(".text\n"
        ".local fiber_exchange\n"
        ".type fiber_exchange, @function\n"
        "fiber_exchange:\n"
        "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  sub $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  mov %rsp, (%rdi)\n"
        "  mov 8(%rsi), %rax\n"
        "  mov (%rsi), %rsp\n"
        "  test %edx, %edx\n  jz 1f\n"
        "  wrfsbase %rax\n  jmp 2f\n"
        "1:mov %rax, %rsi\n  mov $0x1002, %edi\n  mov $158, %eax\n  syscall\n"
        "2:ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  add $8, %rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
        "  ret\n"
        ".size fiber_exchange, . - fiber_exchange\n"
        ".local fiber_entry\n"
        ".type fiber_entry, @function\n"
        "fiber_entry:\n"
        "  .cfi_startproc\n  .cfi_undefined rip\n"
        "  mov %rbx, %rdi\n  xor %ebp, %ebp\n  call *%r12\n  ud2\n"
        "  .cfi_endproc\n"
        ".size fiber_entry, . - fiber_entry\n");
extern void fiber_exchange(struct fiber *from, const struct fiber *to, int fast)
    __attribute__((visibility("hidden")));
extern char fiber_entry[] __attribute__((visibility("hidden")));
static int fast;             /* user mode may set the FS base */
static size_t number_offset; /* of the thread number in a block; 0: not found */

_Noreturn static void fiber_begin(void *t) {
  real_function("__ctype_init")();
  thread_body(t);
}

static struct tls_block *current_block(void) {
  struct tls_block *block;
  __asm__ volatile("mov %%fs:0, %0" : "=r"(block));
  return block;
}

static void prepare(const struct tls_block *block) {
  fast = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
  int number = (int)raw_call(SYS_gettid, 0, 0, 0, 0), found;
  for (size_t at = sizeof *block; at + sizeof found <= BLOCK_SEARCHED; at += sizeof found) {
    memcpy(&found, (const char *)block + at, sizeof found);
    if (found != number) continue;
    number_offset = at;
    return;
  }
}

static struct fiber *fiber_new(struct tls_block *block) {
  struct fiber *f = private_memory(sizeof *f);
  f->block = block;
  return f;
}

static void begin(struct thread *main_thread) {
  struct tls_block *block = current_block();
  if (number_offset == 0) prepare(block);
  main_thread->backend = fiber_new(block);
  main_thread->handle = (uint64_t)(uintptr_t)block;
}

/* Where a block is, and the stack below it ends: where the C library has that of a thread with a
 * stack of its own. So the handle, which is its address and may decide what a program does (which
 * of several waiters std::barrier begins with), follows from the thread, and is the same with every
 * back-end. */
static struct tls_block *block_room(const struct thread *t, uint64_t *top) {
  size_t size, alignment;
  unsigned behind; /* the address of the block */
  ((void (*)(size_t *, size_t *))real_function("_dl_get_tls_static_info"))(&size, &alignment);
  plain_function *constant = real_function("_thread_db_sizeof_pthread");
  memcpy(&behind, (const void *)(uintptr_t)constant, sizeof behind);
  const uint64_t block = (t->stack_high - behind) / alignment * alignment;
  *top = (block + behind - size) / STACK_ALIGNED * STACK_ALIGNED;
  memset((void *)(uintptr_t)*top, 0, t->stack_high - *top);
  return (struct tls_block *)(uintptr_t)block;
}

static struct tls_block *block_new(const struct thread *t, uint64_t *top) {
  struct tls_block *(*allocate)(void *) =
      (struct tls_block * (*)(void *)) real_function("_dl_allocate_tls");
  struct tls_block *now = current_block(), *block = allocate(block_room(t, top));
  if (block == NULL) return NULL;
  block->tcb = block->self = block;
  block->stack_guard = now->stack_guard;
  block->pointer_guard = now->pointer_guard;
  if (number_offset != 0)
    memcpy((char *)block + number_offset, (char *)now + number_offset, sizeof(int));
  return block;
}

/* A stack that looks as if fiber_exchange had been called from fiber_entry. */
static void *first_frame(uint64_t top, void (*function)(void *), void *argument) {
  void **at = (void **)(uintptr_t)top - 3; /* the entry finds an aligned stack */
  at[0] = fiber_entry;
  at -= 6; /* r15 r14 r13 r12 rbx rbp */
  memset(at, 0, 6 * sizeof *at);
  memcpy(&at[3], &function, sizeof function);
  at[4] = argument;
  at -= 1;
  const uint32_t control_words[] = {0x1f80,
                                    0x037f}; /* MXCSR and x87, as at the start of a process */
  memcpy(at, control_words, sizeof control_words);
  return at;
}

static bool create(struct thread *t) {
  uint64_t top;
  struct tls_block *block = block_new(t, &top);
  if (block == NULL) return false;
  struct fiber *f = fiber_new(block);
  f->stack = first_frame(top, fiber_begin, t);
  t->backend = f;
  t->handle = (uint64_t)(uintptr_t)block;
  return true;
}

/* A fiber of no thread, with the block of the one that calls. */
void fiber_make(struct fiber *f, uint64_t top, void (*function)(void *), void *argument) {
  f->block = current_block();
  prepare(f->block);
  f->stack = first_frame(top, function, argument);
}

void fiber_switch(struct fiber *from, const struct fiber *to) {
  from->block = current_block();
  fiber_exchange(from, to, fast);
}

static void switch_to(struct thread *from, struct thread *to) {
  if (from != to) fiber_exchange(from->backend, to->backend, fast);
}

const struct backend backend_fibers = {begin, create, switch_to};
