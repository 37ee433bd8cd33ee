/*
 * Compiling a program in two passes over its text: the first takes the declarations and skips the
 * bodies of threads, so that the second, which compiles these, knows every object and thread
 * wherever it is declared.
 */
#include "channels.h"
#include "compile.h"
#include "statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct place nowhere = {1, 1};

bool fail(struct compiler *c, struct place place, const char *text, const struct token *name) {
  c->problem->place = place;
  if (name == NULL)
    snprintf(c->problem->text, sizeof c->problem->text, "%s", text);
  else
    snprintf(c->problem->text, sizeof c->problem->text, "%s '%.*s'", text,
             (int)(name->length > 60 ? 60 : name->length), name->text);
  return false;
}

static bool refuse(struct compiler *c) {
  c->problem->refused = true;
  return fail(c, nowhere, "out of memory", NULL);
}

bool next(struct compiler *c) {
  c->token = lexer_next(&c->lexer);
  return c->token.kind != TOKEN_WRONG || fail(c, c->token.place, c->token.problem, NULL);
}

bool expect(struct compiler *c, const char *sign) {
  if (token_is(&c->token, sign)) return next(c);
  char text[80];
  snprintf(text, sizeof text,
           c->token.kind == TOKEN_END ? "expected '%s' before the end of the file"
                                      : "expected '%s' before",
           sign);
  return fail(c, c->token.place, text, c->token.kind == TOKEN_END ? NULL : &c->token);
}

bool take_sign(struct compiler *c, const char *sign, bool *taken) {
  *taken = token_is(&c->token, sign);
  return !*taken || next(c);
}

/* Room for one more element of an array; the program or compiler owns it. */
static bool grow(struct compiler *c, void **data, uint32_t *room, uint32_t count, size_t size) {
  if (count < *room) return true;
  uint32_t wanted = *room * 2 + 16;
  void *moved = realloc(*data, wanted * size);
  if (moved == NULL) return refuse(c);
  *data = moved;
  *room = wanted;
  return true;
}

bool emit(struct compiler *c, enum opcode opcode, uint32_t target, int64_t value,
          struct place place) {
  struct program *p = c->program;
  if (!grow(c, (void **)&p->code, &p->code_room, p->code_count, sizeof *p->code)) return false;
  p->code[p->code_count++] = (struct instruction){opcode, target, value, place};
  return true;
}

void land(struct compiler *c, uint32_t jump) {
  c->program->code[jump].target = c->program->code_count;
}

static uint32_t hash_of(const char *name, size_t length) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)name[i]) * 16777619u;
  return hash;
}

/* The place in the table where a name stands or would stand. */
static uint32_t slot_of(const struct compiler *c, const char *name, size_t length) {
  uint32_t at = hash_of(name, length) & (c->names_room - 1);
  for (; c->names[at] != 0; at = (at + 1) & (c->names_room - 1)) {
    const struct symbol *s = &c->program->symbols[c->names[at] - 1];
    if (s->length == length && memcmp(s->name, name, length) == 0) break;
  }
  return at;
}

/* Enters the last symbol; the table is at most half full. */
static bool enter_name(struct compiler *c) {
  const struct program *p = c->program;
  uint32_t from = p->symbol_count - 1;
  if (2 * p->symbol_count > c->names_room) {
    uint32_t room = 4 * p->symbol_count + 60;
    while ((room & (room - 1)) != 0)
      room &= room - 1;
    uint32_t *names = calloc(room, sizeof *names);
    if (names == NULL) return refuse(c);
    free(c->names);
    c->names = names;
    c->names_room = room;
    from = 0;
  }
  for (; from < p->symbol_count; from++)
    c->names[slot_of(c, p->symbols[from].name, p->symbols[from].length)] = from + 1;
  return true;
}

const struct symbol *find_symbol(const struct compiler *c, const struct token *name,
                                 uint32_t *index) {
  uint32_t found = c->names_room > 0 ? c->names[slot_of(c, name->text, name->length)] : 0;
  if (found == 0) return NULL;
  if (index != NULL) *index = found - 1;
  return &c->program->symbols[found - 1];
}

bool find_local(const struct compiler *c, const struct token *name, uint32_t *index) {
  for (uint32_t i = 0; i < c->local_count; i++)
    if (c->locals[i].length == name->length &&
        memcmp(c->locals[i].name, name->text, name->length) == 0) {
      *index = i;
      return true;
    }
  return false;
}

enum { ATOMIC_BYTES = 8 };

/* The words that begin a declaration. */
static const struct declaration_word {
  const char *word;
  enum symbol_kind kind;
  bool integer; /* the word int follows */
  bool initial; /* an element can have a value from the start */
} declarations[] = {
    {"shared", SYMBOL_SHARED, true, true},    {"atomic", SYMBOL_ATOMIC, true, true},
    {"mutex", SYMBOL_MUTEX, false, false},    {"cond", SYMBOL_COND, false, false},
    {"rwlock", SYMBOL_RWLOCK, false, false},  {"semaphore", SYMBOL_SEMAPHORE, false, true},
    {"barrier", SYMBOL_BARRIER, false, true}, {"overlay", SYMBOL_ATOMIC, false, false},
    {"channel", SYMBOL_CHANNEL, false, true}, {"input", SYMBOL_INPUT, true, false},
    {"thread", SYMBOL_THREAD, false, false}};
enum { DECLARATIONS = sizeof declarations / sizeof *declarations };

static bool reserved(const struct token *name) {
  static const char *const words[] = {"int",
                                      "if",
                                      "else",
                                      "while",
                                      "break",
                                      "continue",
#define NAME(id, text, arguments, result) text,
                                      OPERATION_TABLE(NAME)
#undef NAME
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (token_is(name, words[i])) return true;
  for (size_t i = 0; i < DECLARATIONS; i++)
    if (token_is(name, declarations[i].word)) return true;
  return false;
}

static bool new_name(struct compiler *c) {
  if (c->token.kind != TOKEN_NAME)
    return fail(c, c->token.place, "expected a name before",
                c->token.kind == TOKEN_END ? NULL : &c->token);
  if (reserved(&c->token))
    return fail(c, c->token.place, "a word of the language cannot be a name:", &c->token);
  uint32_t index;
  if (find_symbol(c, &c->token, NULL) != NULL || find_local(c, &c->token, &index))
    return fail(c, c->token.place, "a second declaration of", &c->token);
  return true;
}

bool declare_local(struct compiler *c, const struct token *name) {
  struct token at = c->token;
  c->token = *name;
  bool fresh = new_name(c);
  c->token = at;
  return fresh && declare_hidden(c, name);
}

bool declare_hidden(struct compiler *c, const struct token *name) {
  if (!grow(c, (void **)&c->locals, &c->local_room, c->local_count, sizeof *c->locals))
    return false;
  c->locals[c->local_count++] = (struct local){name->text, name->length};
  if (c->local_count > c->registers) c->registers = c->local_count;
  return true;
}

/* A constant, which may be negative. */
static bool constant(struct compiler *c, int64_t *value) {
  bool negative;
  if (!take_sign(c, "-", &negative)) return false;
  if (c->token.kind != TOKEN_NUMBER)
    return fail(c, c->token.place, "expected a number before",
                c->token.kind == TOKEN_END ? NULL : &c->token);
  bool large = c->token.number == NUMBER_TOO_LARGE;
  if (large && !negative)
    return fail(c, c->token.place, "the number does not fit into 64 bits", NULL);
  *value = negative && !large ? -c->token.number : c->token.number;
  return next(c);
}

static bool add_symbol(struct compiler *c, struct symbol symbol) {
  struct program *p = c->program;
  if (!grow(c, (void **)&p->symbols, &p->symbol_room, p->symbol_count, sizeof *p->symbols))
    return false;
  uint32_t *count = &p->count[symbol.kind];
  if (symbol.count > 1000000 - *count)
    return fail(c, symbol.place, "more than 1000000 elements of one kind", NULL);
  symbol.first = *count;
  *count += symbol.count;
  p->symbols[p->symbol_count++] = symbol;
  return enter_name(c);
}

/* = constant, where the kind has a value; that of a barrier has no default. */
static bool initial_value(struct compiler *c, const struct declaration_word *word,
                          struct symbol *s) {
  bool given = false;
  if (!word->initial || !take_sign(c, "=", &given)) return !word->initial;
  struct place place = c->token.place;
  if (given && !constant(c, &s->initial)) return false;
  if (word->kind == SYMBOL_SEMAPHORE && s->initial < 0)
    return fail(c, place, "a semaphore does not begin below 0", NULL);
  if (word->kind == SYMBOL_SEMAPHORE && s->initial > s->maximum)
    return fail(c, place, "a semaphore does not begin above its maximum", NULL);
  if (word->kind == SYMBOL_BARRIER && (s->initial < 1 || s->initial > 1000000))
    return fail(c, given ? place : s->place,
                "a barrier begins with = 1 to 1000000, its number of threads", NULL);
  if (word->kind == SYMBOL_CHANNEL && given && s->initial == 0)
    return fail(c, place, "a rendezvous channel, without a place, is not supported", NULL);
  if (word->kind == SYMBOL_CHANNEL && (s->initial < 0 || s->initial > (int64_t)UNF_CHANNEL_MOST))
    return fail(c, place, "a channel has 1 to 268435455 places, or is never full", NULL);
  return true;
}

static struct symbol named(const struct compiler *c, enum symbol_kind kind) {
  return (struct symbol){.name = c->token.text,
                         .length = c->token.length,
                         .kind = kind,
                         .place = c->token.place,
                         .count = 1};
}

/* : size, which is that of a word where nothing is said; elements of one symbol
 * follow each other. */
static bool bytes_of_atomic(struct compiler *c, struct symbol *s) {
  int64_t size = ATOMIC_BYTES;
  bool given;
  if (!take_sign(c, ":", &given)) return false;
  const struct place place = c->token.place;
  if (given && !constant(c, &size)) return false;
  if (size < 1 || size > ATOMIC_BYTES) return fail(c, place, "an atomic has 1 to 8 bytes", NULL);
  uint32_t words = (s->count * (uint32_t)size + ATOMIC_BYTES - 1) / ATOMIC_BYTES;
  s->size = (uint32_t)size;
  s->address = c->program->bytes;
  s->space = c->program->count[SYMBOL_ATOMIC];
  c->program->bytes += words * ATOMIC_BYTES;
  return true;
}

/* : maximum, which is that of an integer where nothing is said. */
static bool maximum_of_semaphore(struct compiler *c, struct symbol *s) {
  bool given;
  s->maximum = INT64_MAX;
  if (!take_sign(c, ":", &given)) return false;
  const struct place place = c->token.place;
  if (given && !constant(c, &s->maximum)) return false;
  return s->maximum >= 1 || fail(c, place, "the maximum of a semaphore is 1 or more", NULL);
}

/* : lowest..highest, which are all integers where nothing is said. */
static bool range_of_input(struct compiler *c, struct symbol *s) {
  bool given;
  s->initial = INT64_MIN;
  s->maximum = INT64_MAX;
  if (!take_sign(c, ":", &given) || !given) return !given;
  const struct place place = c->token.place;
  if (!constant(c, &s->initial) || !expect(c, "..") || !constant(c, &s->maximum)) return false;
  return s->initial <= s->maximum || fail(c, place, "the range of an input is empty", NULL);
}

/* name, name[n], each with : size, range or maximum and = constant where that is allowed; an input
 * is no array. */
static bool declare_object(struct compiler *c, const struct declaration_word *word) {
  if (!new_name(c)) return false;
  struct symbol s = named(c, word->kind);
  if (!next(c)) return false;
  if (s.kind == SYMBOL_INPUT) return range_of_input(c, &s) && add_symbol(c, s);
  if (!take_sign(c, "[", &s.indexed)) return false;
  if (s.indexed) {
    struct place place = c->token.place;
    int64_t count;
    if (!constant(c, &count)) return false;
    if (count < 1 || count > 1000000)
      return fail(c, place, "an array has 1 to 1000000 elements", NULL);
    s.count = (uint32_t)count;
    if (!expect(c, "]")) return false;
  }
  if (s.kind == SYMBOL_ATOMIC && !bytes_of_atomic(c, &s)) return false;
  if (s.kind == SYMBOL_SEMAPHORE && !maximum_of_semaphore(c, &s)) return false;
  return initial_value(c, word, &s) && add_symbol(c, s);
}

/* name = atomic[low..high] */
static bool declare_overlay(struct compiler *c) {
  if (!new_name(c)) return false;
  struct symbol s = named(c, SYMBOL_ATOMIC);
  if (!next(c) || !expect(c, "=")) return false;
  uint32_t index = 0;
  const struct token name = c->token;
  if (find_symbol(c, &name, &index) == NULL || c->program->symbols[index].kind != SYMBOL_ATOMIC ||
      c->program->symbols[index].overlay)
    return fail(c, name.place, "expected an atomic that was declared before, not",
                name.kind == TOKEN_END ? NULL : &name);
  if (!next(c) || !expect(c, "[")) return false;
  struct symbol *whole = &c->program->symbols[index];
  const struct place place = c->token.place;
  int64_t low, high, bytes = (int64_t)whole->count * whole->size;
  if (!constant(c, &low) || !expect(c, "..") || !constant(c, &high)) return false;
  if (low < 0 || high >= bytes || high < low || high - low >= ATOMIC_BYTES)
    return fail(c, place, "an overlay has 1 to 8 bytes of those that the atomic has", NULL);
  s.size = (uint32_t)(high - low + 1);
  s.address = whole->address + (uint32_t)low;
  s.space = whole->first;
  s.shared = s.overlay = whole->shared = true;
  return expect(c, "]") && add_symbol(c, s);
}

static bool declare_objects(struct compiler *c, const struct declaration_word *word) {
  bool more;
  do {
    bool overlay = word->kind == SYMBOL_ATOMIC && !word->initial;
    if (!(overlay ? declare_overlay(c) : declare_object(c, word)) || !take_sign(c, ",", &more))
      return false;
  } while (more);
  return expect(c, ";");
}

static bool skip_body(struct compiler *c) {
  struct place place = c->token.place;
  uint32_t depth = 0;
  do {
    if (c->token.kind == TOKEN_END)
      return fail(c, place, "the block that begins here does not end", NULL);
    depth += token_is(&c->token, "{");
    depth -= token_is(&c->token, "}");
    if (!next(c)) return false;
  } while (depth > 0);
  return true;
}

static bool family_range(struct compiler *c, struct symbol *s) {
  int64_t high;
  struct place place = c->token.place;
  if (!constant(c, &s->low) || !expect(c, "..") || !constant(c, &high)) return false;
  if (high < s->low) return fail(c, place, "the range is empty", NULL);
  if ((uint64_t)high - (uint64_t)s->low >= 1000000)
    return fail(c, place, "more than 1000000 threads", NULL);
  s->count = (uint32_t)(high - s->low + 1);
  return expect(c, "]");
}

/* The declaration of a thread; its body is skipped, or compiled in the second pass. */
static bool thread(struct compiler *c, bool compiling) {
  struct program *p = c->program;
  struct token name = c->token, index = name;
  struct symbol s = named(c, SYMBOL_THREAD);
  if (!compiling && !new_name(c)) return false;
  if (!next(c) || !take_sign(c, "[", &s.indexed)) return false;
  if (s.indexed) {
    index = c->token;
    if (!compiling && !new_name(c)) return false;
    if (!next(c) || !expect(c, ":") || !family_range(c, &s)) return false;
  }
  if (!token_is(&c->token, "{")) return expect(c, "{");
  if (!compiling) {
    if (s.indexed && token_is(&name, "main"))
      return fail(c, name.place, "main is one thread, not a family", NULL);
    return add_symbol(c, s) && skip_body(c);
  }
  if (!grow(c, (void **)&p->bodies, &p->body_room, p->body_count, sizeof *p->bodies)) return false;
  struct body body = {0, p->code_count, 0};
  find_symbol(c, &name, &body.symbol);
  c->local_count = c->registers = 0;
  c->members = s.count;
  if (s.indexed && !declare_local(c, &index)) return false;
  struct place end = c->token.place;
  if (!compile_block(c) || !emit(c, DO_EXIT, 0, 0, end)) return false;
  body.registers = c->registers;
  p->bodies[p->body_count++] = body;
  return true;
}

static bool declaration(struct compiler *c, bool compiling) {
  const struct declaration_word *word = declarations;
  while (word < declarations + DECLARATIONS && !token_is(&c->token, word->word))
    word++;
  if (word == declarations + DECLARATIONS)
    return fail(c, c->token.place,
                "expected a declaration (shared, atomic, mutex, cond, rwlock, semaphore, barrier, "
                "overlay, input, thread) before",
                &c->token);
  if (!next(c)) return false;
  if (word->kind == SYMBOL_THREAD) return thread(c, compiling);
  if (compiling) {
    while (!token_is(&c->token, ";"))
      if (!next(c)) return false;
    return next(c);
  }
  return (!word->integer || expect(c, "int")) && declare_objects(c, word);
}

static bool pass(struct compiler *c, bool compiling) {
  c->lexer = (struct lexer){c->program->text, c->program->text + c->program->size, {1, 1}};
  if (!next(c)) return false;
  while (c->token.kind != TOKEN_END)
    if (!declaration(c, compiling)) return false;
  return true;
}

/* Lists the symbols of each kind, whose elements are numbered in this order. */
static bool list_kinds(struct compiler *c) {
  struct program *p = c->program;
  uint32_t count = 0;
  p->by_kind = malloc(((size_t)p->symbol_count + 1) * sizeof *p->by_kind);
  if (p->by_kind == NULL) return refuse(c);
  for (unsigned kind = 0; kind < SYMBOL_KINDS; kind++) {
    p->kinds[kind] = count;
    for (uint32_t i = 0; i < p->symbol_count; i++)
      if (p->symbols[i].kind == (enum symbol_kind)kind) p->by_kind[count++] = i;
  }
  p->kinds[SYMBOL_KINDS] = count;
  return true;
}

bool program_compile(struct program *program, char *text, size_t size, struct problem *problem) {
  memset(program, 0, sizeof *program);
  program->text = text;
  program->size = size;
  program->main = UINT32_MAX;
  struct compiler c = {.program = program, .problem = problem};
  bool ok = pass(&c, false) && pass(&c, true) && list_kinds(&c);
  free(c.locals);
  struct token name = {TOKEN_NAME, nowhere, "main", 4, 0, NULL};
  const struct symbol *symbol = ok ? find_symbol(&c, &name, NULL) : NULL;
  free(c.names);
  if (!ok) return false;
  if (program->count[SYMBOL_THREAD] == 0)
    return fail(&c, nowhere, "the program has no thread", NULL);
  if (symbol != NULL && symbol->kind == SYMBOL_THREAD) program->main = symbol->first;
  return true;
}

void program_join_operands(struct program *program) {
  struct instruction *code = program->code;
  for (uint32_t i = 0; i + 2 < program->code_count; i++) {
    bool pushes = code[i + 1].opcode == DO_PUSH || code[i + 1].opcode == DO_REGISTER;
    if (code[i].opcode != DO_REGISTER) continue;
    code[i].value = pushes && code[i + 2].opcode == DO_BINARY;
  }
}

void program_free(struct program *program) {
  free(program->text);
  free(program->symbols);
  free(program->by_kind);
  free(program->code);
  free(program->bodies);
}

const struct symbol *program_symbol(const struct program *p, enum symbol_kind kind,
                                    uint32_t number) {
  uint32_t low = p->kinds[kind], high = p->kinds[kind + 1];
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (p->symbols[p->by_kind[middle]].first <= number)
      low = middle;
    else
      high = middle;
  }
  const struct symbol *s = low < high ? &p->symbols[p->by_kind[low]] : NULL;
  return s != NULL && number >= s->first && number - s->first < s->count ? s : NULL;
}

bool program_posts_exceed(const struct symbol *s) {
  return s->posts > (uint64_t)(s->maximum - s->initial);
}

void program_name(const struct program *p, enum symbol_kind kind, uint32_t number, char *buffer,
                  size_t size) {
  const struct symbol *s = program_symbol(p, kind, number);
  if (s == NULL)
    snprintf(buffer, size, "?");
  else if (s->indexed)
    snprintf(buffer, size, "%.*s[%lld]", (int)s->length, s->name,
             (long long)(s->low + (int64_t)(number - s->first)));
  else
    snprintf(buffer, size, "%.*s", (int)s->length, s->name);
}
