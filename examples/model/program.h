/*
 * Programs of the model language, compiled. The language is described in doc/model-language.md.
 *
 * Code is a stack machine. A thread runs silently up to its next operation; the operands of that
 * are popped when it is reached, so between two events a thread is its position, its operands and
 * its registers.
 */
#ifndef MODEL_PROGRAM_H
#define MODEL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(NAME, "name", arguments, has a result). Arguments, by their letters: m mutex, u
   mutex or reader-writer lock, c condition variable, l reader-writer lock, s semaphore, b barrier,
   a atomic, h channel, t thread, e expression, r a relation between an atomic and an expression.
   The first two are performed silently, the others are events. */
#define OPERATION_TABLE(X)                                                                         \
  X(ASSUME, "assume", "e", false)                                                                  \
  X(ASSERT, "assert", "e", false)                                                                  \
  X(LOCK, "lock", "m", false)                                                                      \
  X(UNLOCK, "unlock", "u", false)                                                                  \
  X(TRYLOCK, "trylock", "m", true)                                                                 \
  X(TIMEDLOCK, "timedlock", "m", true)                                                             \
  X(WAIT, "wait", "cm", false)                                                                     \
  X(TIMEDWAIT, "timedwait", "cm", true)                                                            \
  X(SIGNAL, "signal", "c", false)                                                                  \
  X(BROADCAST, "broadcast", "c", false)                                                            \
  X(RDLOCK, "rdlock", "l", false)                                                                  \
  X(WRLOCK, "wrlock", "l", false)                                                                  \
  X(TRYRDLOCK, "tryrdlock", "l", true)                                                             \
  X(TRYWRLOCK, "trywrlock", "l", true)                                                             \
  X(POST, "post", "s", false)                                                                      \
  X(SEM_WAIT, "sem_wait", "s", false)                                                              \
  X(TRYWAIT, "trywait", "s", true)                                                                 \
  X(ARRIVE, "arrive", "b", false)                                                                  \
  X(SPAWN, "spawn", "t", false)                                                                    \
  X(JOIN, "join", "t", false)                                                                      \
  X(CHOOSE, "choose", "ee", true)                                                                  \
  X(LOAD, "load", "a", true)                                                                       \
  X(STORE, "store", "ae", false)                                                                   \
  X(FETCH_ADD, "fetch_add", "ae", true)                                                            \
  X(FETCH_AND, "fetch_and", "ae", true)                                                            \
  X(FETCH_OR, "fetch_or", "ae", true)                                                              \
  X(FETCH_XOR, "fetch_xor", "ae", true)                                                            \
  X(FETCH_NAND, "fetch_nand", "ae", true)                                                          \
  X(EXCHANGE, "exchange", "ae", true)                                                              \
  X(CAS, "cas", "aee", true)                                                                       \
  X(AWAIT, "await", "r", true)                                                                     \
  X(EXCHANGE_AWAIT, "exchange_await", "re", true)                                                  \
  X(FUTEX_WAIT, "futex_wait", "ae", true)                                                          \
  X(TIMEDFUTEXWAIT, "timedfutexwait", "ae", true)                                                  \
  X(FUTEX_WAKE, "futex_wake", "ae", true)                                                          \
  X(SEND, "send", "he", false)                                                                     \
  X(TRYSEND, "trysend", "he", true)                                                                \
  X(RECEIVE, "receive", "h", true)                                                                 \
  X(TRYRECEIVE, "tryreceive", "h", true)                                                           \
  X(CLOSE, "close", "h", false)

enum opcode {
  /* expressions */
  DO_PUSH,
  DO_REGISTER,
  DO_SHARED,
  DO_INPUT,
  DO_NEGATE,
  DO_NOT,
  DO_COMPLEMENT,
  DO_BOOLEAN,
  DO_BINARY,
  /* statements */
  DO_SET_REGISTER,
  DO_SET_SHARED,
  DO_POP,
  DO_JUMP,
  DO_JUMP_IF_ZERO,
  DO_STACK, /* pushes a copy of a value on the stack, counted from its bottom */
  DO_STOP,  /* stops the thread if the value is not 0: its loop does nothing (purity.c) */
  DO_ENTER_LOOP,
  DO_LOOP, /* counts the iterations of a while statement, for the bound */
/* operations; from DO_LOCK on the thread stops there until the event happened */
#define OPERATION_OPCODE(name, text, arguments, result) DO_##name,
  OPERATION_TABLE(OPERATION_OPCODE)
#undef OPERATION_OPCODE
      DO_RWUNLOCK, /* unlock of a reader-writer lock */
  DO_BRANCH,       /* what a thread stands at whose next step depends on inputs (symbolic.c) */
  DO_EXIT,
  OPCODES
};

/* What a conditional jump belongs to, its value. */
enum test { TEST_STATEMENT, TEST_AND, TEST_OR };

/* Of an await: the value of the atomic stands to the left. */
enum relation {
  RELATION_EQUAL,
  RELATION_UNEQUAL,
  RELATION_LESS,
  RELATION_AT_MOST,
  RELATION_GREATER,
  RELATION_AT_LEAST,
  RELATIONS
};

enum binary {
  BINARY_BIT_OR,
  BINARY_BIT_XOR,
  BINARY_BIT_AND,
  BINARY_EQUAL,
  BINARY_UNEQUAL,
  BINARY_LESS,
  BINARY_LESS_EQUAL,
  BINARY_GREATER,
  BINARY_GREATER_EQUAL,
  BINARY_SHIFT_LEFT,
  BINARY_SHIFT_RIGHT,
  BINARY_ADD,
  BINARY_SUBTRACT,
  BINARY_MULTIPLY,
  BINARY_DIVIDE,
  BINARY_REMAINDER
};

struct place {
  uint32_t line, column;
};

struct instruction {
  enum opcode opcode;
  uint32_t
      target; /* register, symbol whose element is meant, jump target, binary operator, input */
  /* Pushed constant; second symbol of an operation on two objects; relation of an await; of a
   * fetch_add, whether its result is used; of a conditional jump, an enum test; of a register, 1 if
   * the next instruction pushes the other operand of the operator behind it. */
  int64_t value;
  struct place place;
};

enum symbol_kind {
  SYMBOL_SHARED,
  SYMBOL_ATOMIC,
  SYMBOL_MUTEX,
  SYMBOL_COND,
  SYMBOL_RWLOCK,
  SYMBOL_SEMAPHORE,
  SYMBOL_BARRIER,
  SYMBOL_CHANNEL,
  SYMBOL_INPUT,
  SYMBOL_THREAD,
  SYMBOL_KINDS
};

struct symbol {
  const char *name; /* in the text, not terminated */
  size_t length;
  enum symbol_kind kind;
  struct place place;
  bool indexed;          /* an array or a family */
  int64_t low;           /* smallest index */
  uint32_t first, count; /* elements, numbered for each kind on its own */
  /* Of a barrier: how many threads it is for; of a channel: its places, 0: it is never full; the
   * lowest of an input. */
  int64_t initial;
  int64_t maximum;  /* of a semaphore or an input */
  uint64_t posts;   /* of a semaphore: the most that threads can make on an element */
  uint32_t size;    /* of an atomic: bytes of an element */
  uint32_t address; /* of the first one, among the bytes of all atomics */
  uint32_t space;   /* element whose bytes are numbered from 0 for this one too */
  bool overlay;     /* it is a name for bytes of another one */
  bool shared;      /* other names have some of its bytes */
};

/* The code of a thread, one for all members of a family. */
struct body {
  uint32_t symbol;
  uint32_t first; /* instruction */
  uint32_t registers;
};

struct program {
  char *text;
  size_t size;
  struct symbol *symbols;
  uint32_t symbol_count, symbol_room;
  uint32_t *by_kind;                /* indices of symbols, those of a kind in a row */
  uint32_t kinds[SYMBOL_KINDS + 1]; /* where those of a kind begin in it */
  struct instruction *code;
  uint32_t code_count, code_room;
  struct body *bodies;
  uint32_t body_count, body_room;
  uint32_t count[SYMBOL_KINDS]; /* elements of each kind */
  uint32_t main;                /* number of the thread `main`, or UINT32_MAX */
  uint32_t bytes;               /* of all atomics */
};

/* What is wrong with a text, or with a run, and where. */
struct problem {
  struct place place;
  uint32_t thread; /* of a run */
  bool refused;    /* nothing is wrong: there was no memory */
  char text[200];
};

/* Compiles a text, which the program then owns (from malloc) also on failure. */
bool program_compile(struct program *program, char *text, size_t size, struct problem *problem);
void program_free(struct program *program);
/* Notes where a register and what is pushed behind it are the operands of an operator, when the
 * code is complete. */
void program_join_operands(struct program *program);

static inline bool opcode_has_result(enum opcode opcode) {
  static const bool results[OPCODES] = {
#define OPERATION_RESULT(name, text, arguments, result) [DO_##name] = result,
      OPERATION_TABLE(OPERATION_RESULT)
#undef OPERATION_RESULT
  };
  return results[opcode];
}
/* Whether that is SYMBOL_ATOMIC. */
static inline bool opcode_on_atomic(enum opcode opcode) {
  return opcode >= DO_LOAD && opcode <= DO_FUTEX_WAKE;
}

/* Whether it is SYMBOL_CHANNEL. */
static inline bool opcode_on_channel(enum opcode opcode) {
  return opcode >= DO_SEND && opcode <= DO_CLOSE;
}

/* The symbol that element number `number` of a kind belongs to. */
const struct symbol *program_symbol(const struct program *program, enum symbol_kind kind,
                                    uint32_t number);
/* Whether the posts of all threads can bring a semaphore above its maximum. */
bool program_posts_exceed(const struct symbol *semaphore);
/* The name of element number `number` of a kind as written in the language, such as "q[2]". */
void program_name(const struct program *program, enum symbol_kind kind, uint32_t number,
                  char *buffer, size_t size);

#endif
