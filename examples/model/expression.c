/* Expressions, with C's precedences, and elements of arrays and families. */
#include "expression.h"

#include "channels.h"
#include "compile.h"
#include "operation.h"

#include <string.h>

struct level {
  const char *sign;
  enum binary binary;
};

/* Binary operators by precedence, weakest first; || and && come before them. */
static const struct level levels[][4] = {
    {{"|", BINARY_BIT_OR}},
    {{"^", BINARY_BIT_XOR}},
    {{"&", BINARY_BIT_AND}},
    {{"==", BINARY_EQUAL}, {"!=", BINARY_UNEQUAL}},
    {{"<", BINARY_LESS},
     {"<=", BINARY_LESS_EQUAL},
     {">", BINARY_GREATER},
     {">=", BINARY_GREATER_EQUAL}},
    {{"<<", BINARY_SHIFT_LEFT}, {">>", BINARY_SHIFT_RIGHT}},
    {{"+", BINARY_ADD}, {"-", BINARY_SUBTRACT}},
    {{"*", BINARY_MULTIPLY}, {"/", BINARY_DIVIDE}, {"%", BINARY_REMAINDER}},
};
enum { LEVELS = sizeof levels / sizeof *levels };

static bool deeper(struct compiler *c) {
  return ++c->nesting <= MAX_NESTING || fail(c, c->token.place, "nested too deeply", NULL);
}

bool compile_element(struct compiler *c, unsigned kinds, const char *what, uint32_t *symbol) {
  struct token name = c->token;
  uint32_t index;
  if (name.kind != TOKEN_NAME)
    return fail(c, name.place, "expected a name before", name.kind == TOKEN_END ? NULL : &name);
  const struct symbol *s = find_symbol(c, &name, symbol);
  if (s == NULL)
    return fail(c, name.place, find_local(c, &name, &index) ? what : "undeclared name", &name);
  if (!(kinds >> s->kind & 1)) return fail(c, name.place, what, &name);
  bool indexed;
  if (!next(c)) return false;
  struct place place = c->token.place;
  if (!take_sign(c, "[", &indexed)) return false;
  if (indexed && !s->indexed) return fail(c, place, "an index on", &name);
  if (!indexed && s->indexed) return fail(c, name.place, "no index on", &name);
  return !indexed || (compile_expression(c) && expect(c, "]"));
}

static bool name(struct compiler *c) {
  struct token at = c->token;
  uint32_t index;
  if (find_local(c, &at, &index)) return next(c) && emit(c, DO_REGISTER, index, 0, at.place);
  /* What a receive gives where there is no message; a program can have other things of these names.
   */
  const bool closed = token_is(&at, "closed"), no_message = closed || token_is(&at, "empty");
  if (no_message && find_symbol(c, &at, NULL) == NULL)
    return next(c) && emit(c, DO_PUSH, 0, closed ? MESSAGE_CLOSED : MESSAGE_EMPTY, at.place);
  enum opcode operation;
  if (find_operation(&at, &operation))
    return fail(c, at.place, "an operation inside of an expression:", &at);
  if (!compile_element(c, 1u << SYMBOL_SHARED | 1u << SYMBOL_INPUT,
                       "an expression reads registers, inputs and shared variables only, not",
                       &index))
    return false;
  const struct symbol *s = &c->program->symbols[index];
  return s->kind == SYMBOL_INPUT ? emit(c, DO_INPUT, s->first, 0, at.place)
                                 : emit(c, DO_SHARED, index, 0, at.place);
}

static bool unary(struct compiler *c) {
  struct token at = c->token;
  static const struct {
    const char *sign;
    enum opcode opcode;
  } signs[] = {{"-", DO_NEGATE}, {"!", DO_NOT}, {"~", DO_COMPLEMENT}};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    if (!token_is(&at, signs[i].sign)) continue;
    if (!next(c)) return false;
    /* A negative number is one instruction, so that it counts as a constant. Nothing else is
     * folded: what ends with a push may be a jump's target. */
    if (signs[i].opcode == DO_NEGATE && c->token.kind == TOKEN_NUMBER) {
      int64_t value = c->token.number == NUMBER_TOO_LARGE ? INT64_MIN : -c->token.number;
      return next(c) && emit(c, DO_PUSH, 0, value, at.place);
    }
    if (!deeper(c) || !unary(c)) return false;
    c->nesting--;
    return emit(c, signs[i].opcode, 0, 0, at.place);
  }
  if (at.kind == TOKEN_NUMBER && at.number == NUMBER_TOO_LARGE)
    return fail(c, at.place, "the number does not fit into 64 bits", NULL);
  if (at.kind == TOKEN_NUMBER) return next(c) && emit(c, DO_PUSH, 0, at.number, at.place);
  if (at.kind == TOKEN_NAME) return name(c);
  if (!token_is(&at, "("))
    return fail(c, at.place, "expected an expression before", at.kind == TOKEN_END ? NULL : &at);
  if (!next(c) || !compile_expression(c)) return false;
  return expect(c, ")");
}

static bool binary(struct compiler *c, int level) {
  if (level == LEVELS) return unary(c);
  if (!binary(c, level + 1)) return false;
  for (;;) {
    struct token at = c->token;
    int i = 0;
    while (i < 4 && (levels[level][i].sign == NULL || !token_is(&at, levels[level][i].sign)))
      i++;
    if (i == 4) return true;
    if (!next(c) || !binary(c, level + 1) ||
        !emit(c, DO_BINARY, levels[level][i].binary, 0, at.place))
      return false;
  }
}

bool compile_sum(struct compiler *c) {
  return binary(c, LEVELS - 2);
}

/* a && b: a decides whether b is looked at. */
static bool both(struct compiler *c) {
  if (!binary(c, 0)) return false;
  while (token_is(&c->token, "&&")) {
    struct place at = c->token.place;
    uint32_t no = c->program->code_count;
    if (!next(c) || !emit(c, DO_JUMP_IF_ZERO, 0, TEST_AND, at) || !binary(c, 0) ||
        !emit(c, DO_BOOLEAN, 0, 0, at))
      return false;
    uint32_t end = c->program->code_count;
    if (!emit(c, DO_JUMP, 0, 0, at)) return false;
    land(c, no);
    if (!emit(c, DO_PUSH, 0, 0, at)) return false;
    land(c, end);
  }
  return true;
}

bool compile_expression(struct compiler *c) {
  if (!deeper(c) || !both(c)) return false;
  while (token_is(&c->token, "||")) {
    struct place at = c->token.place;
    uint32_t no = c->program->code_count;
    if (!next(c) || !emit(c, DO_JUMP_IF_ZERO, 0, TEST_OR, at) || !emit(c, DO_PUSH, 0, 1, at))
      return false;
    uint32_t end = c->program->code_count;
    if (!emit(c, DO_JUMP, 0, 0, at)) return false;
    land(c, no);
    if (!both(c) || !emit(c, DO_BOOLEAN, 0, 0, at)) return false;
    land(c, end);
  }
  c->nesting--;
  return true;
}
