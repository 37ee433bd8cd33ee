/* The compiler's state, shared by its parts: declarations (compile.c), statements, expressions. */
#ifndef MODEL_COMPILE_H
#define MODEL_COMPILE_H

#include "lexer.h"
#include "program.h"

/* Parentheses and blocks within each other; keeps the compiler's recursion and the
 * machine's stack bounded. */
enum { MAX_NESTING = 200, STACK_SIZE = 24 * MAX_NESTING };

struct local {
  const char *name;
  size_t length;
};

/* A while statement being compiled: breaks are a chain of jumps through their targets. */
struct loop {
  struct loop *outer;
  uint32_t again, breaks;
};

struct compiler {
  struct program *program;
  struct lexer lexer; /* after `token` */
  struct token token;
  struct problem *problem;
  struct local *locals; /* in scope; the position is the register */
  uint32_t local_count, local_room, registers;
  uint32_t *names; /* symbols by the hash of their names: 1 and the index, or 0 */
  uint32_t names_room;
  struct loop *loop;
  uint32_t nesting;
  uint32_t members; /* threads that run what is compiled */
};

#define NO_JUMP UINT32_MAX

bool fail(struct compiler *c, struct place place, const char *text, const struct token *name);
bool next(struct compiler *c);
bool expect(struct compiler *c, const char *sign);
bool take_sign(struct compiler *c, const char *sign, bool *taken);
/* Appends an instruction. */
bool emit(struct compiler *c, enum opcode opcode, uint32_t target, int64_t value,
          struct place place);
void land(struct compiler *c, uint32_t jump); /* the jump leads to the next instruction */

const struct symbol *find_symbol(const struct compiler *c, const struct token *name,
                                 uint32_t *index);
bool find_local(const struct compiler *c, const struct token *name, uint32_t *index);

/* Declares a register; its number is the next position. */
bool declare_local(struct compiler *c, const struct token *name);
/* Declares a register that has no name in the text. */
bool declare_hidden(struct compiler *c, const struct token *name);

#endif
