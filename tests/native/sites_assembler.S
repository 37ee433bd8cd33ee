/* An addition in two steps, written in assembler and described nowhere. TYPED: with a symbol that
 * says that it is a function. HIDDEN: only a pointer leads there. MIXED: a table lies behind it,
 * and a call steps over another one. */
        .text
#ifdef TYPED
        .type add_one, @function
#endif
#ifndef HIDDEN
        .globl add_one
#else
#define add_one hidden_one
#endif
        .p2align 4
add_one:
        movl (%rdi), %eax
#ifdef MIXED
        call 2f
table:  .quad 0x00c3078900c3078b
2:      pop %rdx
        movzbl (%rdx), %edx
#endif
        addl $1, %eax
        movl %eax, (%rdi)
        ret
#ifdef TYPED
        .size add_one, . - add_one
#endif
#ifdef HIDDEN
        .data
        .p2align 3
        .globl add_pointer
add_pointer: .quad hidden_one
#endif
        .section .note.GNU-stack, "", @progbits
