/* Operations: their table, and their calls in a program. */
#include "operation.h"

#include "compile.h"
#include "expression.h"

#include <string.h>

static const struct row {
  const char *name, *arguments;
} rows[] = {
#define ROW(id, text, arguments, result) {text, arguments},
    OPERATION_TABLE(ROW)
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

/* What the letters of arguments stand for that name an object or a thread. */
static const struct element {
  char letter;
  enum symbol_kind kind;
  unsigned kinds; /* all that may stand there */
  const char *what;
} elements[] = {{'m', SYMBOL_MUTEX, 1u << SYMBOL_MUTEX, "expected a mutex, not"},
                {'u', SYMBOL_MUTEX, 1u << SYMBOL_MUTEX | 1u << SYMBOL_RWLOCK,
                 "expected a mutex or rwlock, not"},
                {'c', SYMBOL_COND, 1u << SYMBOL_COND, "expected a condition variable, not"},
                {'l', SYMBOL_RWLOCK, 1u << SYMBOL_RWLOCK, "expected an rwlock, not"},
                {'s', SYMBOL_SEMAPHORE, 1u << SYMBOL_SEMAPHORE, "expected a semaphore, not"},
                {'b', SYMBOL_BARRIER, 1u << SYMBOL_BARRIER, "expected a barrier, not"},
                {'a', SYMBOL_ATOMIC, 1u << SYMBOL_ATOMIC, "expected an atomic, not"},
                {'h', SYMBOL_CHANNEL, 1u << SYMBOL_CHANNEL, "expected a channel, not"},
                {'t', SYMBOL_THREAD, 1u << SYMBOL_THREAD, "expected a thread, not"}};

static const struct element *find_element(char letter) {
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    if (elements[i].letter == letter) return &elements[i];
  return NULL;
}

static const struct row *row(enum opcode opcode) {
  if (opcode == DO_RWUNLOCK) opcode = DO_UNLOCK;
  return opcode >= DO_ASSUME && opcode < DO_ASSUME + ROWS ? &rows[opcode - DO_ASSUME] : NULL;
}

const char *opcode_name(enum opcode opcode) {
  if (row(opcode) != NULL) return row(opcode)->name;
  if (opcode == DO_BRANCH) return "branch";
  return opcode == DO_LOOP || opcode == DO_STOP ? "while" : "exit";
}

enum symbol_kind opcode_kind(enum opcode opcode) {
  if (opcode == DO_RWUNLOCK) return SYMBOL_RWLOCK;
  if (opcode_on_atomic(opcode)) return SYMBOL_ATOMIC;
  const struct element *e = row(opcode) != NULL ? find_element(*row(opcode)->arguments) : NULL;
  return e != NULL ? e->kind : SYMBOL_KINDS;
}

bool find_operation(const struct token *name, enum opcode *operation) {
  for (unsigned i = 0; i < ROWS; i++) {
    if (!token_is(name, rows[i].name)) continue;
    *operation = (enum opcode)(DO_ASSUME + i);
    return true;
  }
  return false;
}

static const char *const relations[RELATIONS] = {
    [RELATION_EQUAL] = "==",   [RELATION_UNEQUAL] = "!=", [RELATION_LESS] = "<",
    [RELATION_AT_MOST] = "<=", [RELATION_GREATER] = ">",  [RELATION_AT_LEAST] = ">="};

const char *relation_text(enum relation relation) {
  return relations[relation];
}

/* x == e inside of await(): any comparison; operators weaker than + stand in parentheses. */
static bool relation(struct compiler *c, uint32_t *symbol, int64_t *which) {
  if (!compile_element(c, 1u << SYMBOL_ATOMIC, "await needs an atomic, not", symbol)) return false;
  for (int i = 0; i < RELATIONS; i++) {
    if (!token_is(&c->token, relations[i])) continue;
    *which = i;
    return next(c) && compile_sum(c);
  }
  return fail(c, c->token.place, "expected a comparison before",
              c->token.kind == TOKEN_END ? NULL : &c->token);
}

/* Both bounds constant and the wrong way round. */
static bool check_choice(struct compiler *c, uint32_t code, struct place place) {
  const struct program *p = c->program;
  const struct instruction *low = &p->code[code], *high = &p->code[code + 1];
  if (p->code_count != code + 2 || low->opcode != DO_PUSH || high->opcode != DO_PUSH ||
      low->value <= high->value)
    return true;
  return fail(c, place, "choose with a lower bound above the upper one", NULL);
}

/* A thread makes a post once, or in a loop as often as an execution has events at most. */
static void count_post(const struct compiler *c, struct symbol *s) {
  const uint64_t events = (uint64_t)1 << 32, most = (uint64_t)1 << 62;
  uint64_t posts = c->members * (c->loop != NULL ? events : 1);
  s->posts = posts < most - s->posts ? s->posts + posts : most;
}

bool compile_operation(struct compiler *c, enum opcode operation, bool used) {
  const struct row *r = row(operation);
  struct token name = c->token;
  uint32_t symbols[3] = {0, 0, 0}, code = c->program->code_count;
  int64_t value = operation == DO_FETCH_ADD && used;
  if (!next(c) || !expect(c, "(")) return false;
  for (size_t i = 0; r->arguments[i] != '\0'; i++) {
    const struct element *e = find_element(r->arguments[i]);
    bool good = e != NULL                ? compile_element(c, e->kinds, e->what, &symbols[i])
                : r->arguments[i] == 'r' ? relation(c, &symbols[i], &value)
                                         : compile_expression(c);
    if (!good || !expect(c, r->arguments[i + 1] != '\0' ? "," : ")")) return false;
  }
  if (operation == DO_WAIT || operation == DO_TIMEDWAIT) value = symbols[1];
  if (operation == DO_CHOOSE && !check_choice(c, code, name.place)) return false;
  if (operation == DO_UNLOCK && c->program->symbols[symbols[0]].kind == SYMBOL_RWLOCK)
    operation = DO_RWUNLOCK;
  if (operation == DO_POST) count_post(c, &c->program->symbols[symbols[0]]);
  return emit(c, operation, symbols[0], value, name.place);
}
