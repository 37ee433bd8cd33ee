/* A function while it is translated. */
#ifndef LLVM_BODY_H
#define LLVM_BODY_H

#include "translate.h"

struct pending {
  uint8_t kind, width;
  bool no_overflow;
  bool calls; /* a helper: `results` becomes its only number */
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
/* translate_memory.c */
void memory_access(struct body *b, LLVMValueRef i); /* a load or store */
void memory_update(struct body *b, LLVMValueRef i);
void memory_exchange(struct body *b, LLVMValueRef i);
void memory_allocate(struct body *b, LLVMValueRef i);
void memory_element(struct body *b, LLVMValueRef i);

/* translate_intrinsic.c: false if it is a call like others. */
bool body_intrinsic(struct body *b, LLVMValueRef i, LLVMValueRef function);

/* translate_wide.c */
bool is_wide(LLVMTypeRef type); /* a number of 128 bits */
bool is_vector(LLVMTypeRef type);
/* Begins a call of a function of the library; its arguments are the values that come next. */
void body_helper(struct body *b, const char *name, uint32_t result, uint32_t results);
void wide_compare(struct body *b, LLVMValueRef i, enum comparison comparison, LLVMValueRef one,
                  LLVMValueRef other);
void wide_two(struct body *b, LLVMValueRef i, enum instruction_kind kind);
void wide_convert(struct body *b, LLVMValueRef i, enum instruction_kind kind);
void wide_cast(struct body *b, LLVMValueRef i);
void wide_extract(struct body *b, LLVMValueRef i);
void wide_insert(struct body *b, LLVMValueRef i);
void wide_shuffle(struct body *b, LLVMValueRef i);

#endif
