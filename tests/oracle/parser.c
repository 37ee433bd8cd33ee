/*
 * Reader of the model language: tokens, names, declarations. The text is read twice: first the
 * declarations, with the bodies of threads skipped, so that a body can name a thread that is
 * declared later; then the bodies.
 */
#include "parser.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *oracle_allocate(size_t size) {
  void *block = calloc(1, size == 0 ? 1 : size);
  if (block == NULL) {
    fputs("oracle: no memory\n", stderr);
    exit(1);
  }
  return block;
}

void *oracle_grow(void *block, size_t size) {
  void *bigger = realloc(block, size == 0 ? 1 : size);
  if (bigger == NULL) {
    fputs("oracle: no memory\n", stderr);
    exit(1);
  }
  return bigger;
}

void *oracle_reserve(void *array, size_t count, size_t *capacity, size_t element) {
  if (count < *capacity) return array;
  *capacity = *capacity == 0 ? 16 : *capacity * 2;
  return oracle_grow(array, *capacity * element);
}

const token *parser_peek(const parser *p) {
  return &p->tokens[p->position];
}

void parser_fail(parser *p, const token *at, const char *what) {
  if (p->failed) return;
  p->failed = true;
  snprintf(p->error, ORACLE_ERROR_MAX, "%" PRIu32 ":%" PRIu32 ": %s", at->line, at->column, what);
  p->position = p->token_count - 1;
}

void parser_skip(parser *p) {
  if (!parser_at(p, TOKEN_END)) p->position++;
}

bool parser_at(const parser *p, uint32_t kind) {
  return parser_peek(p)->kind == kind;
}

bool parser_at_name(const parser *p, const char *name) {
  const token *t = parser_peek(p);
  return t->kind == TOKEN_NAME && t->length == strlen(name) &&
         memcmp(t->text, name, t->length) == 0;
}

bool parser_accept(parser *p, uint32_t kind) {
  if (!parser_at(p, kind)) return false;
  parser_skip(p);
  return true;
}

void parser_expect(parser *p, uint32_t kind, const char *what) {
  if (!parser_accept(p, kind)) parser_fail(p, parser_peek(p), what);
}

void parser_copy_name(parser *p, char name[ORACLE_NAME_MAX]) {
  const token *t = parser_peek(p);
  name[0] = '\0';
  if (t->kind != TOKEN_NAME || t->length >= ORACLE_NAME_MAX) {
    parser_fail(p, t, t->kind != TOKEN_NAME ? "expected a name" : "the name is too long");
    return;
  }
  memcpy(name, t->text, t->length);
  name[t->length] = '\0';
  parser_skip(p);
}

const symbol *parser_symbol(const parser *p, const char *name) {
  for (size_t i = 0; i < p->program->symbol_count; i++) {
    if (strcmp(p->program->symbols[i].name, name) == 0) return &p->program->symbols[i];
  }
  return NULL;
}

const scoped_register *parser_register(const parser *p, const char *name) {
  for (uint32_t i = p->scope_count; i-- > 0;) {
    if (strcmp(p->scope[i].name, name) == 0) return &p->scope[i];
  }
  return NULL;
}

int64_t parser_constant(parser *p) {
  bool negative = parser_accept(p, '-');
  int64_t value = parser_peek(p)->value;
  parser_expect(p, TOKEN_NUMBER, "expected a number");
  return negative ? -value : value;
}

uint32_t parser_emit(parser *p, instruction_kind kind) {
  program *g = p->program;
  g->code = oracle_reserve(g->code, g->code_count, &g->code_capacity, sizeof *g->code);
  instruction *i = &g->code[g->code_count];
  memset(i, 0, sizeof *i);
  i->kind = kind;
  i->place = i->index = i->value = i->second = i->result = i->target = ORACLE_NONE;
  i->other = i->other_index = ORACLE_NONE;
  i->line = parser_peek(p)->line;
  return (uint32_t)g->code_count++;
}

static symbol *declare(parser *p, symbol_kind kind) {
  program *g = p->program;
  const token *at = parser_peek(p);
  char name[ORACLE_NAME_MAX];
  parser_copy_name(p, name);
  if (parser_symbol(p, name) != NULL) parser_fail(p, at, "the name is declared twice");
  g->symbols = oracle_reserve(g->symbols, g->symbol_count, &g->symbol_capacity, sizeof *g->symbols);
  symbol *s = &g->symbols[g->symbol_count++];
  memset(s, 0, sizeof *s);
  memcpy(s->name, name, sizeof s->name);
  s->kind = kind;
  s->count = 1;
  return s;
}

/* What stands behind the name of an object: its maximum, and its value at the start. */
static void declare_initial(parser *p, symbol *s) {
  bool possible = s->kind == SYMBOL_SHARED || s->kind == SYMBOL_ATOMIC ||
                  s->kind == SYMBOL_SEMAPHORE || s->kind == SYMBOL_BARRIER ||
                  s->kind == SYMBOL_CHANNEL || s->kind == SYMBOL_MAILBOX;
  const token *at = parser_peek(p);
  s->maximum = INT64_MAX;
  if (s->kind == SYMBOL_SEMAPHORE && parser_accept(p, ':')) s->maximum = parser_constant(p);
  bool stated = possible && parser_accept(p, '=');
  if (stated) s->initial = parser_constant(p);
  if (s->kind == SYMBOL_CHANNEL && stated && s->initial < 1) {
    parser_fail(p, at, "the capacity of a channel is 1 or more");
  }
  if (s->kind == SYMBOL_SEMAPHORE &&
      (s->initial < 0 || s->maximum < 1 || s->initial > s->maximum)) {
    parser_fail(p, at, "a semaphore begins at 0 to its maximum, which is 1 or more");
  }
  if (s->kind == SYMBOL_BARRIER && s->initial < 1) {
    parser_fail(p, at, "a barrier needs = and a count of at least 1");
  }
}

/* The size of an element of an atomic, and where its bytes are. */
static void declare_bytes(parser *p, symbol *s) {
  const token *at = parser_peek(p);
  int64_t size = sizeof(int64_t);
  if (parser_accept(p, ':')) size = parser_constant(p);
  if (size < 1 || size > (int64_t)sizeof(int64_t)) parser_fail(p, at, "a size of 1 to 8 bytes");
  s->size = (uint32_t)size;
  s->address = p->program->bytes;
  uint64_t bytes = (uint64_t)s->count * s->size;
  p->program->bytes +=
      (uint32_t)((bytes + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t));
}

/* name = atomic[low..high], …; */
static void declare_overlays(parser *p) {
  do {
    symbol *s = declare(p, SYMBOL_ATOMIC);
    size_t number = (size_t)(s - p->program->symbols);
    char name[ORACLE_NAME_MAX];
    parser_expect(p, '=', "expected =");
    const token *at = parser_peek(p);
    parser_copy_name(p, name);
    const symbol *base = parser_symbol(p, name);
    s = &p->program->symbols[number];
    if (base == NULL || base == s || base->kind != SYMBOL_ATOMIC || base->overlay) {
      parser_fail(p, at, "an overlay is of an atomic that was declared before");
      return;
    }
    parser_expect(p, '[', "expected [");
    at = parser_peek(p);
    int64_t low = parser_constant(p);
    parser_expect(p, TOKEN2('.', '.'), "expected ..");
    int64_t high = parser_constant(p), bytes = (int64_t)base->count * base->size;
    parser_expect(p, ']', "expected ]");
    if (low < 0 || high < low || high >= bytes || high - low >= (int64_t)sizeof(int64_t)) {
      parser_fail(p, at, "an overlay has 1 to 8 bytes of the atomic");
    }
    s->overlay = true;
    s->size = (uint32_t)(high - low + 1);
    s->address = base->address + (uint32_t)low;
    s->base = p->program->counts[SYMBOL_ATOMIC]++;
  } while (parser_accept(p, ','));
  parser_expect(p, ';', "expected ;");
}

/* input int x : low..high, …; which is read as a shared variable is. */
static void declare_inputs(parser *p) {
  parser_expect(p, TOKEN_NAME, "expected int");
  do {
    symbol *s = declare(p, SYMBOL_SHARED);
    parser_expect(p, ':', "expected :");
    const token *at = parser_peek(p);
    s->input = true;
    s->initial = s->low = parser_constant(p);
    parser_expect(p, TOKEN2('.', '.'), "expected ..");
    s->maximum = parser_constant(p);
    if (s->maximum < s->low) parser_fail(p, at, "an input without values");
    s->base = p->program->counts[SYMBOL_SHARED]++;
  } while (parser_accept(p, ','));
  parser_expect(p, ';', "expected ;");
}

/* The names of a declaration of objects, up to the semicolon. */
static void declare_objects(parser *p, symbol_kind kind, uint32_t *counter) {
  do {
    symbol *s = declare(p, kind);
    if (parser_accept(p, '[')) {
      const token *at = parser_peek(p);
      int64_t size = parser_constant(p);
      if (size < 1 || size > 1000000)
        parser_fail(p, at, "an array has between 1 and 1000000 elements");
      s->array = true;
      s->count = (uint32_t)size;
      parser_expect(p, ']', "expected ]");
    }
    if (kind == SYMBOL_ATOMIC) declare_bytes(p, s);
    declare_initial(p, s);
    s->base = *counter;
    *counter += s->count;
  } while (parser_accept(p, ','));
  parser_expect(p, ';', "expected ;");
}

/* thread name { or thread name[i : low..high] { : leaves the position at the brace. */
static void declare_thread(parser *p) {
  program *g = p->program;
  symbol *s = declare(p, SYMBOL_THREAD);
  s->base = (uint32_t)g->thread_count;
  if (parser_accept(p, '[')) {
    char name[ORACLE_NAME_MAX];
    parser_copy_name(p, name);
    parser_expect(p, ':', "expected :");
    s->array = true;
    s->low = parser_constant(p);
    parser_expect(p, TOKEN2('.', '.'), "expected ..");
    const token *at = parser_peek(p);
    int64_t high = parser_constant(p);
    if (high < s->low || high - s->low >= 1000)
      parser_fail(p, at, "a family has between 1 and 1000 threads");
    s->count = (uint32_t)(high - s->low + 1);
    parser_expect(p, ']', "expected ]");
  }
  for (uint32_t i = 0; i < s->count && !p->failed; i++) {
    g->threads =
        oracle_reserve(g->threads, g->thread_count, &g->thread_capacity, sizeof *g->threads);
    thread_text *t = &g->threads[g->thread_count++];
    memset(t, 0, sizeof *t);
    t->symbol = (uint32_t)(s - g->symbols);
    t->index = s->low + i;
  }
}

static void skip_body(parser *p) {
  uint32_t depth = 0;
  do {
    if (parser_at(p, '{')) depth++;
    if (parser_at(p, '}')) depth--;
    if (parser_at(p, TOKEN_END)) parser_fail(p, parser_peek(p), "expected }");
    parser_skip(p);
  } while (depth > 0 && !p->failed);
}

static void read_declarations(parser *p) {
  static const char *const words[SYMBOL_THREAD] = {"shared",  "atomic",    "mutex",   "cond",
                                                   "rwlock",  "semaphore", "barrier", "channel",
                                                   "mailbox", "future"};
  while (!parser_at(p, TOKEN_END)) {
    symbol_kind kind = SYMBOL_THREAD;
    for (size_t i = 0; i < SYMBOL_THREAD; i++) {
      if (parser_at_name(p, words[i])) kind = (symbol_kind)i;
    }
    if (kind != SYMBOL_THREAD) {
      parser_skip(p);
      if (kind == SYMBOL_SHARED || kind == SYMBOL_ATOMIC) {
        if (!parser_at_name(p, "int")) parser_fail(p, parser_peek(p), "expected int");
        parser_skip(p);
      }
      declare_objects(p, kind, &p->program->counts[kind]);
    } else if (parser_at_name(p, "input")) {
      parser_skip(p);
      declare_inputs(p);
    } else if (parser_at_name(p, "overlay")) {
      parser_skip(p);
      declare_overlays(p);
    } else if (parser_at_name(p, "thread")) {
      parser_skip(p);
      declare_thread(p);
      if (!parser_at(p, '{')) parser_fail(p, parser_peek(p), "expected {");
      if (!p->failed) skip_body(p);
    } else {
      parser_fail(p, parser_peek(p), "expected a declaration");
    }
  }
}

/* Second reading: everything but the bodies is known to be well formed. */
static void read_bodies(parser *p) {
  program *g = p->program;
  p->position = 0;
  while (!parser_at(p, TOKEN_END)) {
    if (!parser_at_name(p, "thread")) {
      while (!parser_accept(p, ';')) {
        parser_skip(p);
      }
      continue;
    }
    parser_skip(p);
    char name[ORACLE_NAME_MAX];
    parser_copy_name(p, name);
    const symbol *s = parser_symbol(p, name);
    p->members = s->count;
    p->scope_count = p->next_register = p->loop_count = 0;
    if (parser_accept(p, '[')) {
      const token *at = parser_peek(p);
      parser_copy_name(p, p->scope[0].name);
      if (parser_symbol(p, p->scope[0].name) != NULL)
        parser_fail(p, at, "the name is declared twice");
      p->scope[0].place = p->next_register++;
      p->scope_count = 1;
      while (!p->failed && !parser_at(p, '{')) {
        parser_skip(p);
      }
    }
    for (uint32_t i = 0; i < s->count; i++) {
      g->threads[s->base + i].entry = (uint32_t)g->code_count;
    }
    parser_body(p);
  }
}

static void read_tokens(parser *p, const char *text) {
  size_t capacity = 0;
  uint32_t line = 1, column = 1;
  do {
    p->tokens = oracle_reserve(p->tokens, p->token_count, &capacity, sizeof *p->tokens);
    p->tokens[p->token_count++] = lexer_next(&text, &line, &column);
  } while (p->tokens[p->token_count - 1].kind != TOKEN_END &&
           p->tokens[p->token_count - 1].kind != TOKEN_BAD);
  token *last = &p->tokens[p->token_count - 1];
  if (last->kind == TOKEN_BAD) {
    parser_fail(p, last, "unknown character, open comment or number too large");
    last->kind = TOKEN_END;
  }
}

program *program_read(const char *text, const program_options *options,
                      char error[ORACLE_ERROR_MAX]) {
  parser *p = oracle_allocate(sizeof *p);
  program *g = p->program = oracle_allocate(sizeof *p->program);
  g->options.bound = -1;
  if (options != NULL) g->options = *options;
  p->error = error;
  error[0] = '\0';
  read_tokens(p, text);
  if (!p->failed) read_declarations(p);
  if (!p->failed) read_bodies(p);
  if (g->counts[SYMBOL_COND] > 0 && g->thread_count > 63) {
    parser_fail(p, parser_peek(p), "conditions are for at most 63 threads");
  }
  const symbol *start = parser_symbol(p, "main");
  bool alone = start != NULL && start->kind == SYMBOL_THREAD;
  for (size_t i = 0; i < g->thread_count; i++) {
    g->threads[i].initial = !alone || &g->symbols[g->threads[i].symbol] == start;
  }
  bool failed = p->failed;
  free(p->tokens);
  free(p);
  if (!failed) return g;
  program_free(g);
  return NULL;
}

void program_free(program *p) {
  if (p == NULL) return;
  free(p->symbols);
  free(p->expressions);
  free(p->code);
  free(p->threads);
  free(p);
}

void program_thread_name(const program *p, uint32_t thread, char *buffer, size_t size) {
  const symbol *s = &p->symbols[p->threads[thread].symbol];
  if (s->array) {
    snprintf(buffer, size, "%s[%" PRId64 "]", s->name, p->threads[thread].index);
  } else {
    snprintf(buffer, size, "%s", s->name);
  }
}

const symbol *program_semaphore(const program *p, uint32_t semaphore) {
  const symbol *s = p->symbols;
  while (s->kind != SYMBOL_SEMAPHORE || semaphore < s->base || semaphore - s->base >= s->count) {
    s++;
  }
  return s;
}

bool program_posts_exceed(const program *p, uint32_t semaphore) {
  const symbol *s = program_semaphore(p, semaphore);
  return s->posts > (uint64_t)(s->maximum - s->initial);
}

byte_range program_range(const program *p, uint32_t atomic) {
  for (size_t i = 0; i < p->symbol_count; i++) {
    const symbol *s = &p->symbols[i];
    if (s->kind != SYMBOL_ATOMIC || atomic < s->base || atomic - s->base >= s->count) continue;
    return (byte_range){s->address + (atomic - s->base) * s->size, s->size};
  }
  return (byte_range){0, 1};
}
