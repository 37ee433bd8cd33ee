/* On the way from a call to the function that it is for: whether a thread has called it while there
 * were several. All registers that carry arguments stay as they are. */
#include "imports_hit.h"

#include <stdbool.h>

#include "../control.h"
#include "entry.h"
#include "imports.h"
#include "scheduler.h"

void import_called(const struct imported *imported, uint64_t place)
    __attribute__((used, visibility("hidden")));

__asm__(".text\n"
        ".globl import_enter\n"
        ".hidden import_enter\n"
        ".type import_enter, @function\n"
        "import_enter:\n"
        "  .cfi_startproc\n"
        "  push %rax\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rdi\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rsi\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rdx\n  .cfi_adjust_cfa_offset 8\n"
        "  push %rcx\n  .cfi_adjust_cfa_offset 8\n"
        "  push %r8\n  .cfi_adjust_cfa_offset 8\n"
        "  push %r9\n  .cfi_adjust_cfa_offset 8\n"
        "  push %r10\n  .cfi_adjust_cfa_offset 8\n"
        "  push %r11\n  .cfi_adjust_cfa_offset 8\n"
        "  mov %r11, %rdi\n"
        "  mov 72(%rsp), %rsi\n"
        "  call import_called\n"
        "  pop %r11\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %r10\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %r9\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %r8\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rcx\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rdx\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rsi\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rdi\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rax\n  .cfi_adjust_cfa_offset -8\n"
        "  jmp *(%r11)\n"
        "  .cfi_endproc\n"
        ".size import_enter, . - import_enter\n");

void import_called(const struct imported *imported, uint64_t place) {
  const bool alone = threads == NULL || threads->next == NULL;
  if (running && !alone && imported->import->place == 0) imported->import->place = place;
}
