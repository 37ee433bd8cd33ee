/* A thread has come to a place that was changed. Outside of executions, when the place is only
 * passed through, nothing but general registers is saved, and this file is compiled for those
 * alone; the vector state, of some kilobytes, is saved around an operation. */
#include "patch_hit.h"

#include <cpuid.h>
#include <stddef.h>
#include <stdint.h>

#include "../control.h"
#include "entry.h"
#include "noted.h"
#include "patch.h"
#include "patch_filter.h"
#include "patch_operate.h"
#include "scheduler.h"

enum { RED_ZONE = 128, ALIGNED = 64, HEADER_AT = 512, HEADER_SIZE = 64, STACK_POINTER = 4 };
/* Tiles of matrices are left alone: nothing here, nor in the C library, uses them. */
#define TILES ((uint64_t)3 << 17)

/* What is looked at in front of that is done on a stack of its own, of which nothing remains on the
 * thread's; as only one runs at a time, one does for all. */
#define HIT_STACK      2048
#define HIT_STACK_TEXT "2048"

static uint64_t parts;      /* of the vector state, as a mask; 0: without XSAVE */
static uint32_t state_size; /* of all that is saved */

/* The frame is described for who walks up the stack (a debugger, the search for the program's own
 * line): it looks like a call at the place. */
__asm__(".text\n"
        ".globl patch_enter\n"
        ".hidden patch_enter\n"
        ".type patch_enter, @function\n"
        "patch_enter:\n"
        "  .cfi_startproc\n"
        "  .cfi_def_cfa %rsp, 160\n"
        "  .cfi_offset %rip, -304\n"
        "  pushfq\n  .cfi_adjust_cfa_offset 8\n"
        "  push %r15\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r15, 0\n"
        "  push %r14\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r14, 0\n"
        "  push %r13\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r13, 0\n"
        "  push %r12\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r12, 0\n"
        "  push %r11\n  .cfi_adjust_cfa_offset 8\n"
        "  push %r10\n  .cfi_adjust_cfa_offset 8\n"
        "  push %r9\n  .cfi_adjust_cfa_offset 8\n"
        "  push %r8\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rdi\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rsi\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rbp\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %rbp, 0\n"
        "  push %rsp\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rbx\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %rbx, 0\n"
        "  push %rdx\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rcx\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rax\n  .cfi_adjust_cfa_offset 8\n"
        "  sub $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
        "  mov %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
        "  mov %rsp, %rdi\n  cld\n"
        "  lea hit_stack+" HIT_STACK_TEXT "(%rip), %rsp\n"
        "  call patch_hit\n"
        "  test %rax, %rax\n  jz 2f\n"
        "  mov %rbp, %rsp\n  mov %rbp, %rsi\n  mov %rax, %rdi\n  and $-16, %rsp\n"
        "  call patch_enter_operation\n"
        "1: mov %rbp, %rsp\n  .cfi_remember_state\n  .cfi_def_cfa_register %rsp\n"
        "  add $8, %rsp\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rax\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rcx\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rdx\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rbx\n  .cfi_adjust_cfa_offset -8\n  .cfi_restore %rbx\n"
        "  pop %rbp\n  .cfi_adjust_cfa_offset -8\n" /* the stack pointer, which is not wanted */
        "  pop %rbp\n  .cfi_adjust_cfa_offset -8\n  .cfi_restore %rbp\n"
        "  pop %rsi\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rdi\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %r8\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %r9\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %r10\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %r11\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %r12\n  .cfi_adjust_cfa_offset -8\n  .cfi_restore %r12\n"
        "  pop %r13\n  .cfi_adjust_cfa_offset -8\n  .cfi_restore %r13\n"
        "  pop %r14\n  .cfi_adjust_cfa_offset -8\n  .cfi_restore %r14\n"
        "  pop %r15\n  .cfi_adjust_cfa_offset -8\n  .cfi_restore %r15\n"
        "  popfq\n  .cfi_adjust_cfa_offset -8\n"
        "  ret $152\n"
        /* Nothing was done: what functions keep is still there. Of the flags the direction costs
         * most, and is hardly ever another one. */
        "  .cfi_restore_state\n"
        "2: testb $4, 137(%rbp)\n  jnz 1b\n"
        "  mov %rbp, %rsp\n  .cfi_def_cfa_register %rsp\n"
        "  mov 16(%rsp), %rcx\n  mov 24(%rsp), %rdx\n  mov 48(%rsp), %rbp\n"
        "  .cfi_restore %rbp\n"
        "  mov 56(%rsp), %rsi\n  mov 64(%rsp), %rdi\n  mov 72(%rsp), %r8\n"
        "  mov 80(%rsp), %r9\n  mov 88(%rsp), %r10\n  mov 96(%rsp), %r11\n"
        "  movzwl 136(%rsp), %eax\n  rol $8, %ax\n  and $8, %al\n  add $0x78, %al\n  sahf\n"
        "  mov 8(%rsp), %rax\n"
        "  lea 144(%rsp), %rsp\n  .cfi_adjust_cfa_offset -144\n"
        "  ret $152\n"
        "  .cfi_endproc\n"
        ".size patch_enter, . - patch_enter\n");

/* In front of a plain access: goes on, without more, where the page says so, or where the thread is
 * alone and no atomic object is near. The address is taken modulo the size of the table, so that
 * what is no address faults at the place. */
__asm__(".text\n"
        ".globl patch_filter\n"
        ".hidden patch_filter\n"
        ".type patch_filter, @function\n"
        "patch_filter:\n"
        "  .cfi_startproc\n"
        "  .cfi_def_cfa %rsp, 160\n"
        "  .cfi_undefined %rip\n"
        "  push %rcx\n  push %rax\n"
        "  movabs $" PAGES_LOW_TEXT ", %rcx\n"
        "  shl $17, %rax\n  shr $29, %rax\n"
        "  movzbl (%rax, %rcx), %eax\n"
        "  mov filter@gottpoff(%rip), %rcx\n"
        "  cmp %al, %fs:(%rcx)\n  je 1f\n"
        "  cmp %al, %fs:1(%rcx)\n  je 1f\n"
        "  cmp $1, %al\n  je 1f\n" /* PAGE_FREE */
        /* PAGE_BEFORE to PAGE_ATOMIC, and the same for all that are alone */
        "  cmpb $253, %fs:1(%rcx)\n  jne 2f\n"
        "  sub $252, %al\n  cmp $2, %al\n  ja 2f\n"
        "  mov (%rsp), %rax\n  shr $6, %rax\n  movzwl %ax, %eax\n"
        "  movabs $" LINES_LOW_TEXT ", %rcx\n"
        "  cmpb $0, (%rax, %rcx)\n  je 1f\n"
        "2: pop %rcx\n  pop %rcx\n"
        "  mov 16(%rsp), %rax\n  add $0x7f, %al\n  sahf\n  mov 24(%rsp), %rax\n"
        "  jmp patch_enter\n"
        "1: pop %rcx\n  pop %rcx\n"
        "  mov 16(%rsp), %rax\n  add $0x7f, %al\n  sahf\n  mov 24(%rsp), %rax\n"
        "  ret $152\n"
        "  .cfi_endproc\n"
        ".size patch_filter, . - patch_filter\n");
_Static_assert(PAGE_FREE == 1 && PAGE_SHIFT == 12 && PAGES_SIZE == (uint64_t)1 << 35 &&
                   offsetof(struct filter, alone) == 1,
               "what patch_filter knows");
_Static_assert(PAGE_BEFORE == 252 && PAGE_SHARED == 253 && PAGE_ATOMIC == 254 && LINE_SHIFT == 6 &&
                   LINES == 1 << 16 && LINES_LOW == 0x0e0800100000u,
               "what it knows of memory that has atomic objects");

const struct patched *patch_hit(struct patch_frame *frame)
    __attribute__((used, visibility("hidden")));
void patch_enter_operation(const struct patched *p, const struct patch_frame *frame)
    __attribute__((used, visibility("hidden")));
unsigned char hit_stack[HIT_STACK] __attribute__((used, visibility("hidden"), aligned(64)));

void patch_prepare(void) {
  uint32_t a, b, c, d;
  state_size = HEADER_AT;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0) return;
  __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  parts = ((uint64_t)d << 32 | a) & ~TILES;
  if (__get_cpuid_count(0xd, 0, &a, &b, &c, &d)) state_size = b;
}

/* An own frame, on the thread's stack: others run before it goes on. */
__attribute__((noinline)) static void operate(const struct patched *p,
                                              const struct patch_frame *frame) {
  const uint32_t low = (uint32_t)parts, high = (uint32_t)(parts >> 32);
  unsigned char *memory = __builtin_alloca(state_size + ALIGNED);
  unsigned char *state =
      (unsigned char *)(((uintptr_t)memory + ALIGNED - 1) & ~(uintptr_t)(ALIGNED - 1));
  if (parts == 0) {
    __asm__ volatile("fxsave64 (%0)" : : "r"(state) : "memory");
    patch_operate(p, frame, state);
    __asm__ volatile("fxrstor64 (%0)" : : "r"(state) : "memory");
    return;
  }
  for (size_t i = HEADER_AT; i < HEADER_AT + HEADER_SIZE; i++)
    ((volatile unsigned char *)state)[i] = 0;
  __asm__ volatile("xsave64 (%0)" : : "r"(state), "a"(low), "d"(high) : "memory");
  patch_operate(p, frame, state);
  __asm__ volatile("xrstor64 (%0)" : : "r"(state), "a"(low), "d"(high) : "memory");
}

/* The stack below its frame, part by part, down to `low` or until some parts were empty. */
void empty_below(uint64_t low) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".globl empty_below\n"
        ".hidden empty_below\n"
        ".type empty_below, @function\n"
        "empty_below:\n"
        "  .cfi_startproc\n"
        "  mov %rdi, %rdx\n"
        "  mov %rsp, %rsi\n"
        "  xor %eax, %eax\n"
        "1: mov $4, %r8d\n"
        "2: lea -512(%rsi), %rdi\n"
        "  cmp %rdx, %rdi\n  jb 5f\n"
        "3: mov (%rdi), %rcx\n  or 8(%rdi), %rcx\n  or 16(%rdi), %rcx\n  or 24(%rdi), %rcx\n"
        "  or 32(%rdi), %rcx\n  or 40(%rdi), %rcx\n  or 48(%rdi), %rcx\n  or 56(%rdi), %rcx\n"
        "  jnz 4f\n"
        "  add $64, %rdi\n  cmp %rsi, %rdi\n  jb 3b\n"
        "  sub $512, %rsi\n  dec %r8d\n  jnz 2b\n  ret\n"
        "4: sub $512, %rsi\n  mov %rsi, %rdi\n  mov $64, %ecx\n"
        "  rep stosq\n  jmp 1b\n"
        "5: ret\n"
        "  .cfi_endproc\n"
        ".size empty_below, . - empty_below\n");

/* What the program finds on its stack where it has written nothing, as between the members of a
 * structure that it copies by whole words, must not depend on what was done here, which is another
 * thing in each execution. */
void stack_empty(const struct thread *t) {
  empty_below(t->stack_low + STACK_GUARD);
}

/* The place, if there is more to be done: an operation. */
const struct patched *patch_hit(struct patch_frame *frame) {
  const struct patched *p = (const struct patched *)(uintptr_t)frame->place;
  frame->called_at = p->address + 1;
  frame->registers[STACK_POINTER] = (uint64_t)(uintptr_t)(frame + 1) + RED_ZONE;
  if (!running) return NULL;
  const bool matters =
      (p->site.flags & SITE_MOVE) == 0 || (filter_matters(p, frame) && !note_access(p, frame));
  return matters ? p : NULL;
}

void patch_enter_operation(const struct patched *p, const struct patch_frame *frame) {
  operate(p, frame);
  const struct thread *t = thread_self();
  if (control->settings.moves && t != NULL) stack_empty(t);
}
