/* Operations: their table, and their calls in a program. */
#include "compile.h"

#include <stdio.h>
#include <string.h>

static const struct row {
  const char *name, *arguments;
  bool result, built;
} rows[] = {
#define ROW(id, text, arguments, result, built) {text, arguments, result, built},
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
  return opcode == DO_LOOP ? "while" : "exit";
}

bool opcode_has_result(enum opcode opcode) {
  return row(opcode) != NULL && row(opcode)->result;
}

enum symbol_kind opcode_kind(enum opcode opcode) {
  if (opcode == DO_RWUNLOCK) return SYMBOL_RWLOCK;
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

/* x == e inside of await(): any comparison; operators weaker than + stand in parentheses. */
static bool relation(struct compiler *c) {
  static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
  uint32_t symbol;
  if (!compile_element(c, 1u << SYMBOL_ATOMIC, "await needs an atomic, not", &symbol)) return false;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (token_is(&c->token, signs[i])) return next(c) && compile_sum(c);
  return fail(c, c->token.place, "expected a comparison before",
              c->token.kind == TOKEN_END ? NULL : &c->token);
}

static bool argument(struct compiler *c, char letter, uint32_t *symbol) {
  const struct element *e = find_element(letter);
  if (e != NULL) return compile_element(c, e->kinds, e->what, symbol);
  return letter == 'r' ? relation(c) : compile_expression(c);
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

/* An operation that the parser knows and the library does not yet: its code is dropped, and the
 * whole program refused after it was read. */
static bool unbuilt(struct compiler *c, const struct token *name, uint32_t code) {
  c->program->code_count = code;
  if (c->unbuilt.place.line != 0) return true;
  c->unbuilt.place = name->place;
  snprintf(c->unbuilt.text, sizeof c->unbuilt.text, "the operation '%.*s' is not supported yet",
           (int)name->length, name->text);
  return true;
}

bool compile_operation(struct compiler *c, enum opcode operation) {
  const struct row *r = row(operation);
  struct token name = c->token;
  uint32_t symbols[3] = {0, 0, 0}, code = c->program->code_count;
  if (!next(c) || !expect(c, "(")) return false;
  for (size_t i = 0; r->arguments[i] != '\0'; i++) {
    if (!argument(c, r->arguments[i], &symbols[i])) return false;
    if (!expect(c, r->arguments[i + 1] != '\0' ? "," : ")")) return false;
  }
  if (!r->built)
    return unbuilt(c, &name, code) && (!r->result || emit(c, DO_PUSH, 0, 0, name.place));
  if (operation == DO_CHOOSE && !check_choice(c, code, name.place)) return false;
  if (operation == DO_UNLOCK && c->program->symbols[symbols[0]].kind == SYMBOL_RWLOCK)
    operation = DO_RWUNLOCK;
  return emit(c, operation, symbols[0], symbols[1], name.place);
}
