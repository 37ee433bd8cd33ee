/*
 * A program of the model language, as the oracle reads it: declarations, and one flat list of
 * instructions that all threads share. Nothing of the library is used here; that is the point of
 * the oracle.
 */
#ifndef ORACLE_PROGRAM_H
#define ORACLE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORACLE_NAME_MAX  32u
#define ORACLE_ERROR_MAX 160u
#define ORACLE_NONE      UINT32_MAX

/* Never returns NULL: a test that runs out of memory ends. */
void *oracle_allocate(size_t size);
void *oracle_grow(void *block, size_t size);
/* Makes room for one element more in an array that holds count; doubles. */
void *oracle_reserve(void *array, size_t count, size_t *capacity, size_t element);

typedef enum symbol_kind {
  SYMBOL_SHARED,
  SYMBOL_ATOMIC,
  SYMBOL_MUTEX,
  SYMBOL_COND,
  SYMBOL_RWLOCK,
  SYMBOL_SEMAPHORE,
  SYMBOL_BARRIER,
  SYMBOL_CHANNEL,
  SYMBOL_MAILBOX,
  SYMBOL_FUTURE,
  SYMBOL_THREAD /* the last, and no word of a declaration of objects */
} symbol_kind;

typedef struct symbol {
  char name[ORACLE_NAME_MAX];
  symbol_kind kind;
  bool array;     /* needs an index */
  int64_t low;    /* smallest index, or value of an input */
  uint32_t count; /* elements */
  uint32_t base;  /* number of the first element among those of its kind */
  /* SHARED, ATOMIC, SEMAPHORE; BARRIER: how many pass together; CHANNEL: its capacity, or 0;
   * MAILBOX: the number of its thread */
  int64_t initial;
  int64_t maximum;  /* SEMAPHORE; of an input the greatest value */
  uint64_t posts;   /* SEMAPHORE: that all threads can make on an element, or PROGRAM_POSTS_MAX */
  uint32_t size;    /* ATOMIC: bytes of an element */
  uint32_t address; /* of the first element, among the bytes of all atomics */
  bool overlay;     /* has the bytes of another one */
  bool input;       /* SHARED: unknown, from `low` to `maximum`; never written */
} symbol;

typedef enum expression_kind {
  EXPRESSION_CONSTANT,
  EXPRESSION_REGISTER,
  EXPRESSION_SHARED,
  EXPRESSION_UNARY,
  EXPRESSION_BINARY
} expression_kind;

typedef struct expression {
  expression_kind kind;
  uint32_t operator;    /* the token */
  uint32_t left, right; /* operands; the index of a SHARED is left; ORACLE_NONE if absent */
  uint32_t place;       /* register, or symbol of a SHARED */
  int64_t value;
  uint32_t line;
} expression;

/* What a thread can be about to do. The first four are not operations. */
typedef enum operation_kind {
  OPERATION_WAITING,  /* not started */
  OPERATION_FINISHED, /* ran to its end */
  OPERATION_STOPPED,  /* target is a stop_reason */
  OPERATION_LOCK,
  OPERATION_TRYLOCK,
  OPERATION_UNLOCK,
  OPERATION_SPAWN,
  OPERATION_JOIN,
  OPERATION_CHOOSE,
  OPERATION_BRANCH,     /* low: what decides; high: the number of outcomes */
  OPERATION_WAIT,       /* of a condition; then the thread is about to WAKE */
  OPERATION_TIMED_WAIT, /* then TIMED_WAKE, and after a time-out LOCK */
  OPERATION_WAKE,
  OPERATION_TIMED_WAKE,
  OPERATION_SIGNAL,
  OPERATION_BROADCAST,
  OPERATION_RDLOCK,
  OPERATION_TRYRDLOCK,
  OPERATION_WRLOCK,
  OPERATION_TRYWRLOCK,
  OPERATION_RWUNLOCK,
  OPERATION_POST,
  OPERATION_SEM_WAIT,
  OPERATION_SEM_TRYWAIT,
  OPERATION_ARRIVE, /* then PASS */
  OPERATION_PASS,
  OPERATION_LOAD,
  OPERATION_STORE,
  OPERATION_FETCH_ADD,
  OPERATION_FETCH_AND,
  OPERATION_FETCH_OR,
  OPERATION_FETCH_XOR,
  OPERATION_FETCH_NAND,
  OPERATION_EXCHANGE,
  OPERATION_CAS,
  OPERATION_AWAIT,
  OPERATION_EXCHANGE_AWAIT,
  OPERATION_FUTEX_WAIT,       /* then FUTEX_RETURN, if it waits */
  OPERATION_TIMED_FUTEX_WAIT, /* then TIMED_FUTEX_RETURN */
  OPERATION_FUTEX_RETURN,
  OPERATION_TIMED_FUTEX_RETURN,
  OPERATION_FUTEX_WAKE,
  OPERATION_SEND,
  OPERATION_TRY_SEND,
  OPERATION_RECEIVE,
  OPERATION_TRY_RECEIVE,
  OPERATION_CLOSE,
  OPERATION_MAIL,   /* low: the tag; high: the message */
  OPERATION_ACCEPT, /* low: a bit for each tag */
  OPERATION_TRY_ACCEPT,
  OPERATION_SET,
  OPERATION_GET,
  OPERATION_POLL,
  OPERATION_COUNT
} operation_kind;

typedef enum stop_reason { STOP_ASSUME, STOP_BOUND, STOP_ASSERT } stop_reason;

typedef enum instruction_kind {
  INSTRUCTION_SET_REGISTER, /* place = value */
  INSTRUCTION_SET_SHARED,   /* place[index] = value */
  INSTRUCTION_JUMP,         /* target */
  INSTRUCTION_BRANCH,       /* to target if value is false */
  INSTRUCTION_ENTER,        /* loop counter: place = 0 */
  INSTRUCTION_ITERATE,      /* loop counter: stop at the bound, or count */
  INSTRUCTION_ASSUME,       /* value */
  INSTRUCTION_ASSERT,       /* value */
  /* Operation on place[index]; value and second are its operands, other[other_index] the mutex
   * of a wait. */
  INSTRUCTION_OPERATION,
  INSTRUCTION_END
} instruction_kind;

typedef struct instruction {
  instruction_kind kind;
  operation_kind operation;
  uint32_t place;         /* register or symbol */
  uint32_t index;         /* expression or ORACLE_NONE */
  uint32_t value, second; /* expressions or ORACLE_NONE */
  uint32_t other;         /* symbol */
  uint32_t other_index;   /* expression or ORACLE_NONE */
  uint32_t relation;      /* the token that compares, of an await */
  uint32_t result;        /* register for the result or ORACLE_NONE */
  uint32_t target;        /* instruction */
  uint32_t line;
} instruction;

typedef struct thread_text {
  uint32_t symbol;
  int64_t index;  /* of the family; register 0 holds it */
  uint32_t entry; /* first instruction */
  bool initial;   /* runs from the start */
} thread_text;

typedef struct program_options {
  int64_t bound;   /* of every loop; below 0: none */
  bool commuting;  /* fetch-adds whose result is not used commute */
  bool saturating; /* a post at the maximum changes nothing, and is no run-time error */
} program_options;

typedef struct program {
  program_options options;
  symbol *symbols;
  expression *expressions;
  instruction *code;
  thread_text *threads;
  size_t symbol_count, expression_count, code_count, thread_count;
  size_t symbol_capacity, expression_capacity, code_capacity, thread_capacity;
  uint32_t counts[SYMBOL_THREAD]; /* objects of each kind */
  uint32_t register_count;        /* of the thread that needs most */
  uint32_t bytes;                 /* of all atomics */
} program;

/* Reads a program; NULL with "line:column: what is wrong" in error if the text is not one. */
program *program_read(const char *text, const program_options *options,
                      char error[ORACLE_ERROR_MAX]);
void program_free(program *p);

/* The bytes of an atomic. */
typedef struct byte_range {
  uint32_t first, size;
} byte_range;
byte_range program_range(const program *p, uint32_t atomic);

/* A post in a loop counts as so many; an execution has fewer. */
#define PROGRAM_LOOP_POSTS ((uint64_t)1 << 32)
#define PROGRAM_POSTS_MAX  ((uint64_t)1 << 62)
/* The symbol of a semaphore. */
const symbol *program_semaphore(const program *p, uint32_t semaphore);
/* Whether the posts of all threads can bring it above its maximum; then posts do not commute. */
bool program_posts_exceed(const program *p, uint32_t semaphore);

/* Name of a thread with its index, such as w[2]. */
void program_thread_name(const program *p, uint32_t thread, char *buffer, size_t size);

#endif
