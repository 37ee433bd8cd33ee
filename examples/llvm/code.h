/*
 * Programs in the compact form: what bitcode is translated to. Values are flat: a register holds a
 * number of 1 to 64 bits, and a structure that is a value is as many registers as it has parts.
 * Numbers are kept with their sign extended to 64 bits, those of 1 bit as 0 and 1; a floating point
 * number is its bits, a pointer an address.
 *
 * As a file it is the line CODE_BEGIN and then numbers, as 7 bits a byte with the lowest first, and
 * texts, as their length and bytes; signed numbers have their sign in the lowest bit. In turn:
 * texts; constants (an enum code_constant, and two numbers); globals; functions; constructors.
 */
#ifndef LLVM_CODE_H
#define LLVM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_BEGIN "unfold-code 1\n"

enum instruction_kind {
#define INSTRUCTION(name, values, numbers, results) CODE_##name,
#include "code.def"
  CODE_KINDS
};

enum comparison {
  COMPARE_EQUAL,
  COMPARE_UNEQUAL,
  COMPARE_LESS,
  COMPARE_AT_MOST,
  COMPARE_BELOW, /* without signs */
  COMPARE_AT_MOST_UNSIGNED,
  COMPARISONS
};

enum update {
  UPDATE_EXCHANGE,
  UPDATE_ADD,
  UPDATE_SUBTRACT,
  UPDATE_AND,
  UPDATE_NAND,
  UPDATE_OR,
  UPDATE_XOR,
  UPDATE_MOST, /* of both; from here on those that the library has no operation for */
  UPDATE_LEAST,
  UPDATE_MOST_UNSIGNED,
  UPDATE_LEAST_UNSIGNED,
  UPDATES
};

enum code_constant {
  CONSTANT_NUMBER,   /* value */
  CONSTANT_GLOBAL,   /* offset, from the beginning of global number `index` */
  CONSTANT_FUNCTION, /* its address */
  CODE_CONSTANTS
};

struct constant {
  enum code_constant kind;
  int64_t value;
  uint32_t index;
};

/* A value of an instruction is the number of a register, or that of a constant with this bit. */
#define CODE_CONSTANT UINT32_C(0x80000000)

struct instruction {
  uint8_t kind, width;
  bool no_overflow; /* arithmetic with signs that the program promises not to overflow */
  bool weaker;      /* an atomic access that asks for less than sequential consistency */
  uint32_t result;
  uint32_t first, values, numbers; /* in code.words: values, then numbers */
  uint32_t file, line;             /* file: a text; line 0: not known */
};

struct function {
  const char *name;
  bool defined, variadic;
  bool library; /* of unfold-sym's own library: its places are those of the calls */
  uint32_t parameters, registers; /* parameters are the first registers */
  uint32_t first, count;          /* in code.instructions */
};

/* Bytes of a global, or a constant of 8 bytes, that are not 0. */
struct piece {
  uint64_t offset;
  const uint8_t *bytes; /* NULL: a constant */
  uint64_t size;
  uint32_t constant;
};

struct global {
  const char *name;
  uint64_t size, alignment;
  bool constant, per_thread;
  uint32_t first, count; /* in code.pieces */
};

struct code {
  char *data; /* the file, with a 0 behind each text */
  const char **texts;
  struct constant *constants;
  struct global *globals;
  struct piece *pieces;
  struct function *functions;
  struct instruction *instructions;
  uint32_t *words;
  uint32_t *constructors; /* functions to call before main, in this order */
  uint32_t text_count, constant_count, global_count, function_count, constructor_count;
  size_t piece_count, instruction_count, word_count;
};

static inline const uint32_t *code_values(const struct code *code, const struct instruction *i) {
  return code->words + i->first;
}
static inline const uint32_t *code_numbers(const struct code *code, const struct instruction *i) {
  return code->words + i->first + i->values;
}

/*
 * Reads a program from a file in memory, which it takes, and checks all that the interpreter relies
 * on. False: *wrong says what is wrong with it, with the number of the byte; NULL: no memory.
 * code_free() is for both.
 */
bool code_read(struct code *code, char *data, size_t size, const char **wrong, size_t *at);
void code_free(struct code *code);
/* The number of the function of this name; UINT32_MAX: there is none. */
uint32_t code_function(const struct code *code, const char *name);

#endif
