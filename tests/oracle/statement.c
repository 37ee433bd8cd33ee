/*
 * Reader of statements: the body of a thread becomes a run of instructions with jumps. A register
 * has one place from its declaration to the end of its block; each while has a hidden register that
 * counts its iterations.
 */
#include "parser.h"

#include <string.h>

/* Operands of an operation in the text. */
typedef enum operands {
  OPERANDS_OBJECT,        /* (m) */
  OPERANDS_RANGE,         /* (low, high), or (value, outcomes) */
  OPERANDS_WAIT,          /* (c, m) */
  OPERANDS_VALUE,         /* (x, e) */
  OPERANDS_VALUES,        /* (x, expected, desired) */
  OPERANDS_AWAIT,         /* (x == e) */
  OPERANDS_EXCHANGE_AWAIT /* (x == e, new) */
} operands;

/* A word with several rows takes objects of several kinds. */
static const struct {
  const char *name;
  operation_kind operation;
  operands operands;
  symbol_kind object;
  bool result;
} operation_words[] = {
    {"lock", OPERATION_LOCK, OPERANDS_OBJECT, SYMBOL_MUTEX, false},
    {"unlock", OPERATION_UNLOCK, OPERANDS_OBJECT, SYMBOL_MUTEX, false},
    {"unlock", OPERATION_RWUNLOCK, OPERANDS_OBJECT, SYMBOL_RWLOCK, false},
    {"trylock", OPERATION_TRYLOCK, OPERANDS_OBJECT, SYMBOL_MUTEX, true},
    {"timedlock", OPERATION_TRYLOCK, OPERANDS_OBJECT, SYMBOL_MUTEX, true},
    {"spawn", OPERATION_SPAWN, OPERANDS_OBJECT, SYMBOL_THREAD, false},
    {"join", OPERATION_JOIN, OPERANDS_OBJECT, SYMBOL_THREAD, false},
    {"choose", OPERATION_CHOOSE, OPERANDS_RANGE, SYMBOL_THREAD, true},
    {"branch", OPERATION_BRANCH, OPERANDS_RANGE, SYMBOL_THREAD, true},
    {"wait", OPERATION_WAIT, OPERANDS_WAIT, SYMBOL_COND, false},
    {"timedwait", OPERATION_TIMED_WAIT, OPERANDS_WAIT, SYMBOL_COND, true},
    {"signal", OPERATION_SIGNAL, OPERANDS_OBJECT, SYMBOL_COND, false},
    {"broadcast", OPERATION_BROADCAST, OPERANDS_OBJECT, SYMBOL_COND, false},
    {"rdlock", OPERATION_RDLOCK, OPERANDS_OBJECT, SYMBOL_RWLOCK, false},
    {"tryrdlock", OPERATION_TRYRDLOCK, OPERANDS_OBJECT, SYMBOL_RWLOCK, true},
    {"wrlock", OPERATION_WRLOCK, OPERANDS_OBJECT, SYMBOL_RWLOCK, false},
    {"trywrlock", OPERATION_TRYWRLOCK, OPERANDS_OBJECT, SYMBOL_RWLOCK, true},
    {"post", OPERATION_POST, OPERANDS_OBJECT, SYMBOL_SEMAPHORE, false},
    {"sem_wait", OPERATION_SEM_WAIT, OPERANDS_OBJECT, SYMBOL_SEMAPHORE, false},
    {"trywait", OPERATION_SEM_TRYWAIT, OPERANDS_OBJECT, SYMBOL_SEMAPHORE, true},
    {"arrive", OPERATION_ARRIVE, OPERANDS_OBJECT, SYMBOL_BARRIER, false},
    {"load", OPERATION_LOAD, OPERANDS_OBJECT, SYMBOL_ATOMIC, true},
    {"store", OPERATION_STORE, OPERANDS_VALUE, SYMBOL_ATOMIC, false},
    {"fetch_add", OPERATION_FETCH_ADD, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"fetch_and", OPERATION_FETCH_AND, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"fetch_or", OPERATION_FETCH_OR, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"fetch_xor", OPERATION_FETCH_XOR, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"fetch_nand", OPERATION_FETCH_NAND, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"exchange", OPERATION_EXCHANGE, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"cas", OPERATION_CAS, OPERANDS_VALUES, SYMBOL_ATOMIC, true},
    {"await", OPERATION_AWAIT, OPERANDS_AWAIT, SYMBOL_ATOMIC, true},
    {"exchange_await", OPERATION_EXCHANGE_AWAIT, OPERANDS_EXCHANGE_AWAIT, SYMBOL_ATOMIC, true},
    {"futex_wait", OPERATION_FUTEX_WAIT, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"timedfutexwait", OPERATION_TIMED_FUTEX_WAIT, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"futex_wake", OPERATION_FUTEX_WAKE, OPERANDS_VALUE, SYMBOL_ATOMIC, true},
    {"send", OPERATION_SEND, OPERANDS_VALUE, SYMBOL_CHANNEL, false},
    {"trysend", OPERATION_TRY_SEND, OPERANDS_VALUE, SYMBOL_CHANNEL, true},
    {"receive", OPERATION_RECEIVE, OPERANDS_OBJECT, SYMBOL_CHANNEL, true},
    {"tryreceive", OPERATION_TRY_RECEIVE, OPERANDS_OBJECT, SYMBOL_CHANNEL, true},
    {"close", OPERATION_CLOSE, OPERANDS_OBJECT, SYMBOL_CHANNEL, false},
    {"mail", OPERATION_MAIL, OPERANDS_VALUES, SYMBOL_MAILBOX, false},
    {"accept", OPERATION_ACCEPT, OPERANDS_VALUE, SYMBOL_MAILBOX, true},
    {"tryaccept", OPERATION_TRY_ACCEPT, OPERANDS_VALUE, SYMBOL_MAILBOX, true},
    {"set", OPERATION_SET, OPERANDS_VALUE, SYMBOL_FUTURE, false},
    {"get", OPERATION_GET, OPERANDS_OBJECT, SYMBOL_FUTURE, true},
    {"poll", OPERATION_POLL, OPERANDS_OBJECT, SYMBOL_FUTURE, true},
};
#define OPERATION_WORDS (sizeof operation_words / sizeof operation_words[0])

static void statement(parser *p);

/* The new instruction; valid until the next. */
static instruction *emit(parser *p, instruction_kind kind) {
  uint32_t at = parser_emit(p, kind);
  return &p->program->code[at];
}

static size_t operation_word(const parser *p) {
  size_t i = 0;
  if (parser_at(p, TOKEN_END) || p->tokens[p->position + 1].kind != '(') {
    return OPERATION_WORDS;
  }
  while (i < OPERATION_WORDS && !parser_at_name(p, operation_words[i].name)) {
    i++;
  }
  return i;
}

/* The row of the current word for objects of a kind, or OPERATION_WORDS. */
static size_t word_for(size_t word, symbol_kind kind) {
  size_t first = word;
  while (word < OPERATION_WORDS &&
         (strcmp(operation_words[word].name, operation_words[first].name) != 0 ||
          operation_words[word].object != kind)) {
    word++;
  }
  return word;
}

/* An object with its index; NULL if there is none. */
static const symbol *object(parser *p, uint32_t *place, uint32_t *index) {
  const token *at = parser_peek(p);
  char name[ORACLE_NAME_MAX];
  parser_copy_name(p, name);
  const symbol *s = parser_symbol(p, name);
  if (s == NULL) {
    parser_fail(p, at, "an undeclared name");
    return NULL;
  }
  *place = (uint32_t)(s - p->program->symbols);
  *index = parser_index(p, s, at);
  return s;
}

static bool compares(uint32_t kind) {
  return kind == TOKEN2('=', '=') || kind == TOKEN2('!', '=') || kind == TOKEN2('<', '=') ||
         kind == TOKEN2('>', '=') || kind == '<' || kind == '>';
}

/* What follows the object, up to the closing parenthesis. */
static void further_operands(parser *p, operands shape, instruction *o) {
  const token *at = parser_peek(p);
  if (shape == OPERANDS_WAIT) {
    parser_expect(p, ',', "expected ,");
    const symbol *s = object(p, &o->other, &o->other_index);
    if (s != NULL && s->kind != SYMBOL_MUTEX) parser_fail(p, at, "wait needs a mutex");
  } else if (shape == OPERANDS_VALUE || shape == OPERANDS_VALUES) {
    parser_expect(p, ',', "expected ,");
    o->value = parser_expression(p);
  } else if (shape == OPERANDS_AWAIT || shape == OPERANDS_EXCHANGE_AWAIT) {
    if (!compares(at->kind)) parser_fail(p, at, "expected a comparison");
    o->relation = at->kind;
    parser_skip(p);
    o->value = parser_sum(p);
  } else if (shape == OPERANDS_RANGE) {
    o->value = parser_expression(p);
  }
  if (shape == OPERANDS_RANGE || shape == OPERANDS_VALUES || shape == OPERANDS_EXCHANGE_AWAIT) {
    parser_expect(p, ',', "expected ,");
    o->second = parser_expression(p);
  }
}

/* Each thread that has it can make it once, or in a loop without end. */
static void count_post(parser *p, symbol *s) {
  uint64_t most = p->members * (p->loop_count > 0 ? PROGRAM_LOOP_POSTS : 1);
  s->posts = s->posts + most < PROGRAM_POSTS_MAX ? s->posts + most : PROGRAM_POSTS_MAX;
}

/* An operation from its word to its closing parenthesis; result is a register or ORACLE_NONE. */
static void operation(parser *p, size_t word, uint32_t result) {
  const token *start = parser_peek(p);
  instruction o = {.kind = INSTRUCTION_OPERATION, .result = result, .line = start->line};
  o.place = o.index = o.value = o.second = o.target = o.other = o.other_index = ORACLE_NONE;
  parser_skip(p);
  parser_skip(p);
  if (operation_words[word].operands != OPERANDS_RANGE) {
    const token *at = parser_peek(p);
    const symbol *s = object(p, &o.place, &o.index);
    if (s != NULL) word = word_for(word, s->kind);
    if (word == OPERATION_WORDS) parser_fail(p, at, "the wrong kind of object");
    if (p->failed) return;
  }
  if (result != ORACLE_NONE && !operation_words[word].result) {
    parser_fail(p, start, "this operation has no result");
  }
  further_operands(p, operation_words[word].operands, &o);
  parser_expect(p, ')', "expected )");
  o.operation = operation_words[word].operation;
  if (o.operation == OPERATION_POST) count_post(p, &p->program->symbols[o.place]);
  *emit(p, INSTRUCTION_OPERATION) = o;
}

static void set_register(parser *p, uint32_t place, uint32_t value) {
  instruction *i = emit(p, INSTRUCTION_SET_REGISTER);
  i->place = place;
  i->value = value;
}

/* What stands behind the = of a register. */
static void right_side(parser *p, uint32_t place) {
  size_t word = operation_word(p);
  if (word < OPERATION_WORDS) {
    operation(p, word, place);
  } else {
    set_register(p, place, parser_expression(p));
  }
}

static uint32_t new_register(parser *p) {
  uint32_t place = p->next_register++;
  if (p->next_register > p->program->register_count) p->program->register_count = p->next_register;
  return place;
}

/* A register is in scope only behind its declaration, so that int r = r; is an error. */
static void declaration(parser *p) {
  parser_skip(p);
  do {
    const token *at = parser_peek(p);
    char name[ORACLE_NAME_MAX];
    parser_copy_name(p, name);
    if (parser_symbol(p, name) != NULL || parser_register(p, name) != NULL) {
      parser_fail(p, at, "the name is taken");
    }
    if (p->scope_count == SCOPE_MAX) parser_fail(p, at, "too many registers");
    if (p->failed) return;
    uint32_t place = new_register(p);
    if (parser_accept(p, '=')) {
      right_side(p, place);
    } else {
      set_register(p, place, ORACLE_NONE);
    }
    scoped_register *r = &p->scope[p->scope_count++];
    memcpy(r->name, name, sizeof r->name);
    r->place = place;
  } while (parser_accept(p, ','));
  parser_expect(p, ';', "expected ;");
}

static void assignment(parser *p) {
  const token *at = parser_peek(p);
  char name[ORACLE_NAME_MAX];
  parser_copy_name(p, name);
  const scoped_register *r = parser_register(p, name);
  if (r != NULL) {
    uint32_t place = r->place;
    parser_expect(p, '=', "expected =");
    right_side(p, place);
  } else {
    const symbol *s = parser_symbol(p, name);
    if (s == NULL || s->kind != SYMBOL_SHARED || s->input) {
      parser_fail(p, at, s == NULL ? "an undeclared name" : "this name cannot be assigned to");
      return;
    }
    uint32_t place = (uint32_t)(s - p->program->symbols);
    uint32_t index = parser_index(p, s, at);
    parser_expect(p, '=', "expected =");
    uint32_t value = parser_expression(p);
    instruction *i = emit(p, INSTRUCTION_SET_SHARED);
    i->place = place;
    i->index = index;
    i->value = value;
    i->line = at->line;
  }
  parser_expect(p, ';', "expected ;");
}

static uint32_t condition(parser *p) {
  parser_skip(p);
  parser_expect(p, '(', "expected (");
  uint32_t e = parser_expression(p);
  parser_expect(p, ')', "expected )");
  return e;
}

static uint32_t here(const parser *p) {
  return (uint32_t)p->program->code_count;
}

static uint32_t branch(parser *p, uint32_t value) {
  uint32_t at = parser_emit(p, INSTRUCTION_BRANCH);
  p->program->code[at].value = value;
  return at;
}

/* What is declared without braces around it is not seen outside. */
static void nested_statement(parser *p) {
  uint32_t scope = p->scope_count;
  statement(p);
  p->scope_count = scope;
}

static void if_statement(parser *p) {
  uint32_t test = branch(p, condition(p));
  nested_statement(p);
  if (!parser_at_name(p, "else")) {
    p->program->code[test].target = here(p);
    return;
  }
  parser_skip(p);
  uint32_t over = parser_emit(p, INSTRUCTION_JUMP);
  p->program->code[test].target = here(p);
  nested_statement(p);
  p->program->code[over].target = here(p);
}

static void while_statement(parser *p) {
  if (p->loop_count == LOOP_MAX) parser_fail(p, parser_peek(p), "loops nested too deeply");
  if (p->failed) return;
  loop *l = &p->loops[p->loop_count++];
  l->break_count = 0;
  uint32_t counter = new_register(p);
  emit(p, INSTRUCTION_ENTER)->place = counter;
  l->test = here(p);
  uint32_t test = branch(p, condition(p));
  emit(p, INSTRUCTION_ITERATE)->place = counter;
  nested_statement(p);
  emit(p, INSTRUCTION_JUMP)->target = l->test;
  p->program->code[test].target = here(p);
  for (uint32_t i = 0; i < l->break_count; i++) {
    p->program->code[l->breaks[i]].target = here(p);
  }
  p->loop_count--;
}

static void leave_loop(parser *p, bool again) {
  const token *at = parser_peek(p);
  parser_skip(p);
  parser_expect(p, ';', "expected ;");
  if (p->loop_count == 0) {
    parser_fail(p, at, "break or continue outside a loop");
    return;
  }
  loop *l = &p->loops[p->loop_count - 1];
  uint32_t jump = parser_emit(p, INSTRUCTION_JUMP);
  if (again) {
    p->program->code[jump].target = l->test;
  } else if (l->break_count == BREAK_MAX) {
    parser_fail(p, at, "too many breaks in one loop");
  } else {
    l->breaks[l->break_count++] = jump;
  }
}

static void block(parser *p) {
  parser_expect(p, '{', "expected {");
  while (!p->failed && !parser_at(p, '}')) {
    if (parser_at(p, TOKEN_END)) parser_fail(p, parser_peek(p), "expected }");
    statement(p);
  }
  parser_accept(p, '}');
}

static void check_statement(parser *p, instruction_kind kind) {
  uint32_t value = condition(p);
  emit(p, kind)->value = value;
  parser_expect(p, ';', "expected ;");
}

static void statement(parser *p) {
  uint32_t scope = p->scope_count;
  bool declares = false;
  size_t word = operation_word(p);
  if (p->failed) return;
  if (parser_at(p, '{')) {
    block(p);
  } else if (parser_accept(p, ';')) {
    /* nothing */
  } else if (parser_at_name(p, "if")) {
    if_statement(p);
  } else if (parser_at_name(p, "while")) {
    while_statement(p);
  } else if (parser_at_name(p, "break")) {
    leave_loop(p, false);
  } else if (parser_at_name(p, "continue")) {
    leave_loop(p, true);
  } else if (parser_at_name(p, "assume")) {
    check_statement(p, INSTRUCTION_ASSUME);
  } else if (parser_at_name(p, "assert")) {
    check_statement(p, INSTRUCTION_ASSERT);
  } else if (parser_at_name(p, "int")) {
    declaration(p);
    declares = true;
  } else if (word < OPERATION_WORDS) {
    operation(p, word, ORACLE_NONE);
    parser_expect(p, ';', "expected ;");
  } else {
    assignment(p);
  }
  if (!declares) p->scope_count = scope;
}

void parser_body(parser *p) {
  if (p->next_register > p->program->register_count) p->program->register_count = p->next_register;
  block(p);
  parser_emit(p, INSTRUCTION_END);
}
