/* Operations by name. */
#ifndef MODEL_OPERATION_H
#define MODEL_OPERATION_H

#include "compile.h"
#include "program.h"

bool find_operation(const struct token *name, enum opcode *operation);
/* name(arguments): pushes the operands and then performs it; a result is left on the stack, for
 * something that uses it or not. */
bool compile_operation(struct compiler *c, enum opcode operation, bool used);

/* An operation as it is called in the language; "exit" for DO_EXIT, "while" for DO_LOOP. */
const char *opcode_name(enum opcode opcode);
/* The kind of the object or thread that an operation is on; SYMBOL_KINDS: it is on none. */
enum symbol_kind opcode_kind(enum opcode opcode);
/* A relation as it is written. */
const char *relation_text(enum relation relation);

#endif
