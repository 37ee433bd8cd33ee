/* What the scanner says about a module: one table, and after it a row for each place at which the
 * module reads and writes a word of memory in one step. Scanner and preloaded library are built
 * together, so that the rows go from one to the other as they are. */
#ifndef NATIVE_SITES_TABLE_H
#define NATIVE_SITES_TABLE_H

#include <stdint.h>

#define SITES_MAGIC 0x756e667369746531u

/* What an instruction does to its word: X(NAME, "its name"). */
#define SITE_KIND_TABLE(X)                                                                         \
  X(CMPXCHG, "cmpxchg")                                                                            \
  X(XCHG, "xchg")                                                                                  \
  X(XADD, "xadd")                                                                                  \
  X(ADD, "add")                                                                                    \
  X(SUB, "sub")                                                                                    \
  X(INC, "inc")                                                                                    \
  X(DEC, "dec")                                                                                    \
  X(ADC, "adc")                                                                                    \
  X(SBB, "sbb")                                                                                    \
  X(AND, "and")                                                                                    \
  X(OR, "or")                                                                                      \
  X(XOR, "xor")                                                                                    \
  X(NOT, "not")                                                                                    \
  X(NEG, "neg")                                                                                    \
  X(BTS, "bts")                                                                                    \
  X(BTR, "btr")                                                                                    \
  X(BTC, "btc")                                                                                    \
  X(CMPXCHG8B, "cmpxchg8b")                                                                        \
  X(CMPXCHG16B, "cmpxchg16b")

enum site_kind {
#define SITE_KIND_ENUM(name, text) SITE_##name,
  SITE_KIND_TABLE(SITE_KIND_ENUM)
#undef SITE_KIND_ENUM
      SITE_KINDS
};

/* Registers have the numbers of the instruction set. */
enum {
  SITE_RIP = 16,       /* as the base: the address after the instruction */
  SITE_NONE = 17,      /* no such register; as the operand: `immediate` is it */
  SITE_HIGH_BYTE = 32, /* added to an operand: the second byte of the register */
  SITE_LENGTH_MAX = 15,
  SITE_THREAD_BLOCK = 1 /* a flag: the address counts from the thread's block (FS) */
};

struct site {
  uint64_t offset; /* virtual address in the module */
  int32_t immediate, displacement;
  uint8_t kind, length, bits, flags;
  uint8_t base, index, scale, operand;
  uint8_t displacement_at; /* where it lies in the instruction, if it counts from there; or 0 */
  uint8_t bytes[SITE_LENGTH_MAX];
};

struct site_table {
  uint64_t magic;
  uint32_t readable;            /* 0: no module that could be read, and nothing else is said */
  uint32_t ranges, ranges_left; /* functions; those that could not be decoded from end to end */
  uint32_t sites;               /* rows */
  uint32_t left;                /* in functions, but not to be changed */
  uint32_t outside;             /* in code that belongs to no function, as far as can be seen */
};

#endif
