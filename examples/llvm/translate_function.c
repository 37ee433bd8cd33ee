/*
 * A function, instruction by instruction. What has no counterpart in the compact form becomes an
 * instruction REFUSED with a text, so that a program is refused only where it comes there. On an
 * edge to a block that begins with phis these become one move, behind the function's instructions.
 */
#include "translate_function.h"

#include <stdlib.h>
#include <string.h>

#include "body.h"
#include "translate_library.h"
#include "translate_types.h"

static void refuse(struct body *b, LLVMValueRef i) {
  enum { SHOWN = 200 };
  char *text = LLVMPrintValueToString(i), *from = text + strspn(text, " ");
  body_begin(b, CODE_REFUSED, 64, 0);
  const size_t size = strcspn(from, "\n");
  body_number(b, text_number(b->t, from, size < SHOWN ? size : SHOWN));
  LLVMDisposeMessage(text);
}

static void translate_instruction(struct body *b, LLVMValueRef i) {
  const size_t count = b->count, words = b->word_count;
  unsigned length = 0;
  const char *file = LLVMGetDebugLocFilename(i, &length);
  b->line = LLVMGetDebugLocLine(i);
  b->file = text_number(b->t, file != NULL ? file : "", file != NULL ? length : 0);
  b->failed = false;
  body_translate(b, i);
  if (!b->failed) return;
  b->count = count;
  b->word_count = words;
  refuse(b, i);
}

/* ---- the whole ---- */

static void name_registers(struct body *b, LLVMValueRef function) {
  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    LLVMValueRef parameter = LLVMGetParam(function, i);
    map_put(&b->registers, (uint64_t)(uintptr_t)parameter, 0, 0, b->register_count);
    b->register_count += leaf_count(b->t, LLVMTypeOf(parameter));
  }
}

static void name_results(struct body *b, LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block)) {
    map_put(&b->blocks, (uint64_t)(uintptr_t)block, 0, 0, b->block_count++);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
         i = LLVMGetNextInstruction(i)) {
      const uint32_t count = leaf_count(b->t, LLVMTypeOf(i));
      if (count == 0) continue;
      map_put(&b->registers, (uint64_t)(uintptr_t)i, 0, 0, b->register_count);
      b->register_count += count;
    }
  }
}

/* ---- names of variables ---- */

static uint32_t name_text(struct translation *t, const char *variable, unsigned length,
                          LLVMValueRef function) {
  size_t size;
  const char *of = LLVMGetValueName2(function, &size);
  const size_t room = length + size + sizeof " of ";
  char *text = malloc(room);
  if (text == NULL) return text_number(t, "", 0);
  snprintf(text, room, "%.*s%sof %.*s", (int)length, variable, length > 0 ? " " : "", (int)size,
           of);
  const uint32_t number = text_number(t, text, strlen(text));
  free(text);
  return number;
}

/* One operand of what metadata is as a value; NULL: there is none. */
static LLVMValueRef operand_of(LLVMValueRef metadata, unsigned which) {
  enum { MOST = 16 };
  LLVMValueRef operands[MOST];
  const unsigned count = LLVMGetMDNodeNumOperands(metadata);
  if (count > MOST || which >= count) return NULL;
  LLVMGetMDNodeOperands(metadata, operands);
  return operands[which];
}

/* llvm.dbg.declare(variable, what the program says of it, …): its second part is its name. */
static void name_variable(struct body *b, LLVMValueRef function, LLVMValueRef call) {
  enum { VARIABLE, SAID, NAME = 1 };
  LLVMValueRef variable = operand_of(LLVMGetOperand(call, VARIABLE), 0);
  LLVMValueRef name = operand_of(LLVMGetOperand(call, SAID), NAME);
  unsigned length = 0;
  const char *text = name != NULL ? LLVMGetMDString(name, &length) : NULL;
  if (variable == NULL || text == NULL) return;
  map_put(&b->names, (uint64_t)(uintptr_t)variable, 0, 0, name_text(b->t, text, length, function));
}

static bool is_declaration(LLVMValueRef i) {
  static const char name[] = "llvm.dbg.declare";
  LLVMValueRef called = LLVMIsACallInst(i) != NULL ? LLVMGetCalledValue(i) : NULL;
  size_t size = 0;
  const char *of = called != NULL ? LLVMGetValueName2(called, &size) : NULL;
  return size == sizeof name - 1 && memcmp(of, name, size) == 0;
}

static void name_variables(struct body *b, LLVMValueRef function) {
  b->no_name = name_text(b->t, "", 0, function);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
      if (is_declaration(i)) name_variable(b, function, i);
}

static void set_label(struct body *b) {
  b->labels = grow(b->labels, b->label_count + 1, &b->label_room, sizeof *b->labels);
  b->labels[b->label_count++] = b->count;
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
  for (unsigned n = 0; n < LLVMCountIncoming(phi); n++)
    if (LLVMGetIncomingBlock(phi, n) == from) return LLVMGetIncomingValue(phi, n);
  return NULL;
}

static void translate_edge(struct body *b, struct edge edge) {
  LLVMValueRef first = LLVMGetFirstInstruction(edge.to);
  const size_t count_before = b->count;
  b->failed = false;
  for (LLVMValueRef i = first; i != NULL && LLVMGetInstructionOpcode(i) == LLVMPHI;
       i = LLVMGetNextInstruction(i))
    body_compute(b, incoming(i, edge.from));
  body_begin(b, CODE_MOVE, 64, 0);
  for (int pass = 0; pass < 2; pass++)
    for (LLVMValueRef i = first; i != NULL && LLVMGetInstructionOpcode(i) == LLVMPHI;
         i = LLVMGetNextInstruction(i)) {
      const uint32_t count = leaf_count(b->t, LLVMTypeOf(i));
      for (uint32_t n = 0; n < count; n++)
        if (pass == 0)
          body_value(b, incoming(i, edge.from), n);
        else
          body_number(b, body_register(b, i) + n);
    }
  if (b->failed) {
    b->count = count_before;
    refuse(b, first);
    return;
  }
  body_begin(b, CODE_JUMP, 64, 0);
  body_number(b, map_get(&b->blocks, (uint64_t)(uintptr_t)edge.to, 0, 0));
}

static void write_instruction(const struct body *b, const struct pending *p) {
  struct bytes *out = &b->t->functions;
  const bool jumps = p->kind == CODE_JUMP || p->kind == CODE_TEST || p->kind == CODE_SWITCH;
  put_number(out, p->kind);
  put_number(out, p->width);
  put_number(out, p->no_overflow);
  put_number(out, p->weaker);
  put_number(out, p->result);
  put_number(out, p->values);
  put_number(out, p->calls ? 1 : p->numbers);
  for (uint32_t n = 0; n < p->values + p->numbers; n++) {
    const uint64_t word = b->words[p->first + n];
    put_number(out, jumps && n >= p->values ? b->labels[word] : word);
  }
  if (p->calls) put_number(out, p->results);
  put_number(out, p->file);
  put_number(out, p->line);
}

static void write_function(const struct body *b, LLVMValueRef function, uint32_t parameters) {
  struct bytes *out = &b->t->functions;
  size_t size;
  const char *name = LLVMGetValueName2(function, &size);
  const bool variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
  put_text(out, name, size);
  put_number(out, (LLVMIsDeclaration(function) ? 0U : 1U) | (variadic ? 2U : 0U) |
                      (library_has(function) ? 4U : 0U));
  put_number(out, parameters);
  put_number(out, b->register_count);
  put_number(out, b->count);
  for (size_t i = 0; i < b->count; i++)
    write_instruction(b, &b->items[i]);
}

void translate_function(struct translation *t, LLVMValueRef function) {
  struct body b = {.t = t};
  name_registers(&b, function);
  const uint32_t parameters = b.register_count;
  name_results(&b, function);
  name_variables(&b, function);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block)) {
    set_label(&b);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
      translate_instruction(&b, i);
  }
  for (size_t e = 0; e < b.edge_count; e++) {
    set_label(&b);
    translate_edge(&b, b.edges[e]);
  }
  write_function(&b, function, parameters);
  free(b.registers.entries);
  free(b.blocks.entries);
  free(b.names.entries);
  free(b.items);
  free(b.words);
  free(b.labels);
  free(b.edges);
}
