/* Functions that the program calls and does not have: what one of them is. */
#ifndef LLVM_BUILTIN_H
#define LLVM_BUILTIN_H

#include "arith.h"
#include "code.h"

struct machine;
struct thread;

/* Whether an instruction is over, went somewhere itself, is to be executed again behind a call that
 * it made, or the thread stands there. */
enum flow { FLOW_NEXT, FLOW_WENT, FLOW_AGAIN, FLOW_STANDS };
struct arguments {
  const struct instruction *instruction;
  const struct value *values;
  uint32_t count, results;
  uint32_t function;
};
typedef enum flow (*builtin)(struct machine *m, struct thread *t, const struct arguments *a);

/* A row of the table that each file of such functions has. */
struct builtin_entry {
  const char *name; /* with a * at its end: whatever begins so */
  builtin function;
};

#endif
