/* Statements. */
#include "statement.h"

#include "compile.h"
#include "expression.h"
#include "operation.h"

/* What stands to the right of =. */
static bool value(struct compiler *c) {
  enum opcode which;
  struct token at = c->token;
  if (!find_operation(&at, &which)) return compile_expression(c);
  if (!opcode_has_result(which)) return fail(c, at.place, "an operation without a result:", &at);
  return compile_operation(c, which, true);
}

static bool declaration(struct compiler *c) {
  struct token name;
  bool more, given;
  do {
    if (!next(c)) return false;
    name = c->token;
    if (name.kind != TOKEN_NAME)
      return fail(c, name.place, "expected a name before", name.kind == TOKEN_END ? NULL : &name);
    /* The name is in scope after its own initialiser. */
    if (!next(c) || !take_sign(c, "=", &given)) return false;
    if (given ? !value(c) : !emit(c, DO_PUSH, 0, 0, name.place)) return false;
    if (!declare_local(c, &name) || !emit(c, DO_SET_REGISTER, c->local_count - 1, 0, name.place))
      return false;
    more = token_is(&c->token, ",");
  } while (more);
  return expect(c, ";");
}

/* Leaves the value of what follows = on the stack, then the index of the element before it, which
 * is read a second time for that. */
static bool assignment(struct compiler *c) {
  struct token name = c->token;
  uint32_t index;
  if (find_local(c, &name, &index))
    return next(c) && expect(c, "=") && value(c) &&
           emit(c, DO_SET_REGISTER, index, 0, name.place) && expect(c, ";");
  struct compiler before = *c;
  uint32_t code = c->program->code_count;
  if (!compile_element(c, 1u << SYMBOL_SHARED,
                       "only registers and shared variables are assigned to, not", &index))
    return false;
  c->program->code_count = code;
  if (!expect(c, "=") || !value(c)) return false;
  struct lexer lexer = c->lexer;
  struct token token = c->token;
  c->lexer = before.lexer;
  c->token = before.token;
  if (!compile_element(c, 1u << SYMBOL_SHARED, "", &index)) return false;
  c->lexer = lexer;
  c->token = token;
  return emit(c, DO_SET_SHARED, index, 0, name.place) && expect(c, ";");
}

static bool statement(struct compiler *c);

/* A statement of its own scope. */
static bool scoped(struct compiler *c) {
  uint32_t locals = c->local_count;
  if (++c->nesting > MAX_NESTING) return fail(c, c->token.place, "nested too deeply", NULL);
  if (!statement(c)) return false;
  c->nesting--;
  c->local_count = locals;
  return true;
}

static bool condition(struct compiler *c, uint32_t *jump) {
  struct place place = c->token.place;
  if (!next(c) || !expect(c, "(") || !compile_expression(c) || !expect(c, ")")) return false;
  *jump = c->program->code_count;
  return emit(c, DO_JUMP_IF_ZERO, 0, TEST_STATEMENT, place);
}

static bool branch(struct compiler *c) {
  uint32_t no, end;
  struct place place = c->token.place;
  bool other;
  if (!condition(c, &no) || !scoped(c) || !take_sign(c, "else", &other)) return false;
  if (!other) {
    land(c, no);
    return true;
  }
  end = c->program->code_count;
  if (!emit(c, DO_JUMP, 0, 0, place)) return false;
  land(c, no);
  if (!scoped(c)) return false;
  land(c, end);
  return true;
}

/* Each entry counts its iterations in a register of its own, for the bound. */
static bool repetition(struct compiler *c) {
  struct place place = c->token.place;
  struct token hidden = {TOKEN_NAME, place, "", 0, 0, NULL};
  uint32_t leave, counter = c->local_count;
  if (!declare_hidden(c, &hidden) || !emit(c, DO_ENTER_LOOP, counter, 0, place)) return false;
  struct loop loop = {c->loop, c->program->code_count, NO_JUMP};
  /* Gone from there when this returns, except for an error, after which nothing is compiled. */
  // cppcheck-suppress autoVariables
  c->loop = &loop;
  if (!condition(c, &leave) || !emit(c, DO_LOOP, counter, 0, place) || !scoped(c) ||
      !emit(c, DO_JUMP, loop.again, 0, place))
    return false;
  c->loop = loop.outer;
  land(c, leave);
  while (loop.breaks != NO_JUMP) {
    uint32_t jump = loop.breaks;
    loop.breaks = c->program->code[jump].target;
    land(c, jump);
  }
  c->local_count--;
  return true;
}

static bool leave_loop(struct compiler *c, bool leaves) {
  struct token word = c->token;
  if (c->loop == NULL) return fail(c, word.place, "outside of a loop:", &word);
  uint32_t jump = c->program->code_count;
  if (!next(c) || !emit(c, DO_JUMP, leaves ? c->loop->breaks : c->loop->again, 0, word.place))
    return false;
  if (leaves) c->loop->breaks = jump;
  return expect(c, ";");
}

static bool statement(struct compiler *c) {
  struct token at = c->token;
  enum opcode which;
  if (token_is(&at, "{")) return compile_block(c);
  if (token_is(&at, ";")) return next(c);
  if (token_is(&at, "int")) return declaration(c);
  if (token_is(&at, "if")) return branch(c);
  if (token_is(&at, "while")) return repetition(c);
  if (token_is(&at, "break") || token_is(&at, "continue"))
    return leave_loop(c, token_is(&at, "break"));
  if (find_operation(&at, &which)) {
    if (!compile_operation(c, which, false)) return false;
    if (opcode_has_result(which) && !emit(c, DO_POP, 0, 0, at.place)) return false;
    return expect(c, ";");
  }
  if (at.kind == TOKEN_NAME) return assignment(c);
  return fail(c, at.place, "expected a statement before", at.kind == TOKEN_END ? NULL : &at);
}

bool compile_block(struct compiler *c) {
  uint32_t locals = c->local_count;
  if (!expect(c, "{")) return false;
  if (++c->nesting > MAX_NESTING) return fail(c, c->token.place, "nested too deeply", NULL);
  while (!token_is(&c->token, "}")) {
    if (c->token.kind == TOKEN_END) return expect(c, "}");
    if (!statement(c)) return false;
  }
  c->nesting--;
  c->local_count = locals;
  return next(c);
}
