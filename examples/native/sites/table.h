/* What the scanner says about a module: one table, and after it a row for each place at which the
 * module reads and writes a word of memory in one step; and, where moves were asked for, for each
 * other access to memory. Scanner and preloaded library are built together, so that the rows go
 * from one to the other as they are. */
#ifndef NATIVE_SITES_TABLE_H
#define NATIVE_SITES_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define SITES_MAGIC 0x756e667369746531u

/* What a locked instruction does to its word: X(NAME, "its name"). */
#define SITE_LOCKED_TABLE(X)                                                                       \
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
/* All of them: a move that only reads, or only writes what it has in a register; one that does
 * something else, of which the flags say whether it reads and writes; a string instruction. */
#define SITE_KIND_TABLE(X)                                                                         \
  SITE_LOCKED_TABLE(X)                                                                             \
  X(LOAD, "load")                                                                                  \
  X(STORE, "store")                                                                                \
  X(OTHER, "access")                                                                               \
  X(STRING, "string")

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
  SITE_LENGTH_MAX = 15
};

/* Flags. */
enum {
  SITE_THREAD_BLOCK = 1, /* the address counts from the thread's block (FS) */
  SITE_MOVE = 2,         /* not locked: other threads may come between reading and writing */
  SITE_READS = 4,
  SITE_WRITES = 8,
  SITE_VECTOR = 16,   /* the operand is a vector register */
  SITE_CALL = 32,     /* a call of the function whose address is there */
  SITE_REPEATED = 64, /* a string instruction that is repeated (in RCX) */
  SITE_PAUSES = 128   /* near a `pause`, which is there for loops that wait */
};

/* The instructions behind one that is shorter than a jump, as many as make up for that: nothing
 * jumps to them, as far as can be seen. Where nothing else helps, they go with it: all of them as
 * they are, or the last one is a jump (of two bytes; of five; on a condition, of six), or they
 * cannot be moved. */
enum { SITE_JUMP_SIZE = 5, SITE_TAIL_MAX = 18 };
enum site_tail {
  SITE_TAIL_NONE,
  SITE_TAIL_PLAIN,
  SITE_TAIL_SHORT,
  SITE_TAIL_JUMP,
  SITE_TAIL_BRANCH,
  SITE_TAIL_FIXED,
  SITE_TAILS
};

struct site {
  uint64_t offset; /* virtual address in the module */
  int32_t immediate, displacement;
  uint8_t kind, length, size, flags; /* size: of the memory, in bytes */
  uint8_t base, index, scale, operand;
  uint8_t displacement_at; /* where it lies in the instruction, if it counts from there; or 0 */
  uint8_t bytes[SITE_LENGTH_MAX];
  uint8_t tail, tail_size; /* an enum site_tail, and how many bytes they have */
  bool in_pausing;         /* in a loop with a `pause` */
};

struct site_table {
  uint64_t magic;
  uint32_t readable;            /* 0: no module that could be read, and nothing else is said */
  uint32_t ranges, ranges_left; /* functions; those that could not be decoded from end to end */
  uint32_t sites;               /* rows */
  uint32_t left, moves_left;    /* in functions, but not to be changed */
  uint32_t outside;             /* in code that belongs to no function, as far as can be seen */
  uint32_t unknown;             /* pieces of such code */
  uint64_t unknown_at;          /* the first of them */
};

#endif
