/**
 * @file
 * Inputs of a program that is explored by `unfold-sym`, and the functions that say what must hold
 * of them: those of KLEE and of the competitions of software verifiers. Under `unfold-sym` they
 * are what it says; in a native program they are those of libunfold-inputs, which reads values from
 * a schedule that `unfold-sym` wrote (UNFOLD_INPUTS=FILE). A program that declares them itself
 * does not need this header.
 */
#ifndef UNFOLD_INPUTS_H
#define UNFOLD_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An input of a type: the next one of the calling thread. X(name, type) */
#define UNFOLD_INPUTS_TABLE(X)                                                                     \
  X(bool, bool)                                                                                    \
  X(_Bool, bool)                                                                                   \
  X(char, char)                                                                                    \
  X(uchar, unsigned char)                                                                          \
  X(short, short)                                                                                  \
  X(ushort, unsigned short)                                                                        \
  X(int, int)                                                                                      \
  X(uint, unsigned)                                                                                \
  X(unsigned, unsigned)                                                                            \
  X(long, long)                                                                                    \
  X(ulong, unsigned long)                                                                          \
  X(longlong, long long)                                                                           \
  X(ulonglong, unsigned long long)                                                                 \
  X(size_t, size_t)                                                                                \
  X(u8, uint8_t)                                                                                   \
  X(u16, uint16_t)                                                                                 \
  X(u32, uint32_t)                                                                                 \
  X(u64, uint64_t)

/** @cond */
#define UNFOLD_INPUTS_DECLARE(name, type) extern type __VERIFIER_nondet_##name(void);
UNFOLD_INPUTS_TABLE(UNFOLD_INPUTS_DECLARE)
#undef UNFOLD_INPUTS_DECLARE
/** @endcond */

/** Makes bytes inputs: one of 1, 2, 4 or 8 bytes, or one for each byte. */
extern void klee_make_symbolic(void *address, size_t size, const char *name);
/** Executions in which that does not hold are no matter: the thread ends, and nothing is found in
 * that. Without `unfold` the program ends there, with status 0. */
extern void klee_assume(uintptr_t condition);
extern void __VERIFIER_assume(int condition);
/** A failed assertion. */
extern void reach_error(void);
extern void __VERIFIER_error(void);
/** Around what no other thread interrupts that stands between them, too; they can be nested. */
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#ifdef __cplusplus
}
#endif

#endif
