/* A function while it is translated. */
#ifndef LLVM_BODY_H
#define LLVM_BODY_H

#include "translate.h"
#include "translate_types.h"

struct pending {
  uint8_t kind, width;
  bool no_overflow, weaker; /* as in the instruction */
  bool calls;               /* a helper: `results` becomes its only number */
  uint32_t results;
  uint32_t result, values, numbers, file, line;
  size_t first; /* in words: values as in the file, then numbers */
};

struct edge {
  LLVMBasicBlockRef from, to;
};

struct body {
  struct translation *t;
  struct map registers, blocks; /* by handle; a block's number is its label */
  struct map names;             /* of variables on the stack, by handle: texts */
  uint32_t no_name;             /* the text of others */
  uint32_t register_count;
  struct pending *items;
  size_t count, room;
  uint64_t *words;
  size_t word_count, word_room;
  size_t *labels; /* the instruction there */
  size_t label_count, label_room;
  struct edge *edges; /* their labels are those behind the blocks' */
  size_t edge_count, edge_room;
  uint32_t block_count, file, line;
  bool failed; /* the instruction at hand has no counterpart */
};

/* Appends an instruction, whose values and numbers come next. A width that there is not makes it
 * one without a counterpart. */
void body_begin(struct body *b, enum instruction_kind kind, unsigned width, uint32_t result);
void body_number(struct body *b, uint64_t value);
/* A part of a value of the bitcode. */
void body_value(struct body *b, LLVMValueRef value, uint32_t leaf);
/* Computes a constant that is no number and no place in the program but made of these, before the
 * instruction that has it; of others, nothing. */
void body_compute(struct body *b, LLVMValueRef value);
/* Another register, a number, or a place in the program as a value. */
void body_of_register(struct body *b, uint32_t number);
void body_of_number(struct body *b, int64_t value);
void body_constant(struct body *b, struct constant constant);
/* A register for what one instruction becomes that needs several. */
uint32_t body_fresh(struct body *b);
/* The first register of a value. */
uint32_t body_register(struct body *b, LLVMValueRef value);
/* The width of a value of one part; 0: it has another type. */
unsigned body_width(struct body *b, LLVMValueRef value);
/* Lists the parts of a value; false: some cannot be registers. */
bool body_list(struct body *b, LLVMValueRef value, struct leaves *leaves);
/* Appends what an instruction of the bitcode becomes; `failed` is set if that is nothing. */
void body_translate(struct body *b, LLVMValueRef i);

#endif
