/* Reads the compact form. Whatever the bytes are, what comes of them is a program in which every
 * register, constant, text, function and instruction that is named exists. */
#include "code.h"

#include <stdlib.h>
#include <string.h>

struct reader {
  struct code *code;
  const char *wrong; /* the first thing */
  size_t at, size;
  size_t piece_room, instruction_room, word_room;
  bool refused;
};

static bool good(const struct reader *r) {
  return r->wrong == NULL && !r->refused;
}

static void fail(struct reader *r, const char *what) {
  if (good(r)) r->wrong = what;
}

static uint64_t read_number(struct reader *r) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && r->at < r->size; shift += 7) {
    const uint8_t byte = (uint8_t)r->code->data[r->at++];
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return value;
  }
  fail(r, "a number has no end");
  return 0;
}

static int64_t read_signed(struct reader *r) {
  const uint64_t value = read_number(r);
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static uint32_t read_below(struct reader *r, uint64_t limit, const char *wrong) {
  const uint64_t value = read_number(r);
  if (value < limit) return (uint32_t)value;
  fail(r, wrong);
  return 0;
}

/* How many there are of something that needs at least one byte each. */
static uint32_t read_count(struct reader *r) {
  const uint64_t most = r->size - r->at < UINT32_MAX / 2 ? r->size - r->at : UINT32_MAX / 2;
  return read_below(r, most + 1, "there is more of something than the file has bytes");
}

static const uint8_t *read_bytes(struct reader *r, uint64_t size) {
  const uint8_t *bytes = (const uint8_t *)r->code->data + r->at;
  if (!good(r) || size > r->size - r->at) {
    fail(r, "bytes behind the end of the file");
    return NULL;
  }
  r->at += (size_t)size;
  return bytes;
}

static const char *read_text(struct reader *r) {
  const uint64_t size = read_number(r);
  const char *text = (const char *)read_bytes(r, size);
  const uint8_t *end = read_bytes(r, 1);
  if (end != NULL && *end != 0) fail(r, "a text without a 0 behind it");
  return good(r) ? text : "";
}

static void *make(struct reader *r, uint64_t count, size_t size) {
  void *memory = good(r) ? calloc((size_t)count + 1, size) : NULL;
  r->refused |= memory == NULL && r->wrong == NULL;
  return memory;
}

/* Room for one more in an array that grows; NULL: no memory. */
static void *more(struct reader *r, void *items, size_t count, size_t *room, size_t size) {
  if (count < *room) return items;
  const size_t wanted = 2 * *room + 64;
  void *grown = realloc(items, wanted * size);
  if (grown == NULL) {
    r->refused = true;
    return items;
  }
  *room = wanted;
  return grown;
}

static void read_texts(struct reader *r) {
  struct code *c = r->code;
  c->text_count = read_count(r);
  c->texts = make(r, c->text_count, sizeof *c->texts);
  for (uint32_t i = 0; good(r) && i < c->text_count; i++)
    c->texts[i] = read_text(r);
}

static void read_constants(struct reader *r) {
  struct code *c = r->code;
  c->constant_count = read_count(r);
  c->constants = make(r, c->constant_count, sizeof *c->constants);
  for (uint32_t i = 0; good(r) && i < c->constant_count; i++) {
    struct constant *constant = &c->constants[i];
    constant->kind = read_below(r, CODE_CONSTANTS, "a constant of no kind");
    constant->value = read_signed(r);
    constant->index = read_below(r, UINT32_MAX, "a constant of too high a number");
  }
}

static void read_piece(struct reader *r, const struct global *g) {
  struct code *c = r->code;
  c->pieces = more(r, c->pieces, c->piece_count, &r->piece_room, sizeof *c->pieces);
  struct piece piece = {.offset = read_number(r), .size = read_number(r)};
  if (piece.size == 0) {
    piece.size = sizeof(int64_t);
    piece.constant = read_below(r, c->constant_count, "a constant that is not there");
  } else {
    piece.bytes = read_bytes(r, piece.size);
  }
  if (piece.offset > g->size || piece.size > g->size - piece.offset)
    fail(r, "a value behind the end of a global");
  if (good(r)) c->pieces[c->piece_count++] = piece;
}

enum { GLOBAL_CONSTANT = 1, GLOBAL_PER_THREAD = 2 };

static void read_globals(struct reader *r) {
  struct code *c = r->code;
  c->global_count = read_count(r);
  c->globals = make(r, c->global_count, sizeof *c->globals);
  for (uint32_t i = 0; good(r) && i < c->global_count; i++) {
    struct global *g = &c->globals[i];
    g->name = read_text(r);
    g->size = read_below(r, UINT32_C(1) << 31, "a global of more than 2 GB");
    g->alignment = read_below(r, 1 << 20, "an alignment that is too large");
    if (g->alignment == 0 || (g->alignment & (g->alignment - 1)) != 0)
      fail(r, "an alignment that is no power of two");
    const uint64_t flags = read_number(r);
    g->constant = (flags & GLOBAL_CONSTANT) != 0;
    g->per_thread = (flags & GLOBAL_PER_THREAD) != 0;
    const uint32_t count = read_count(r);
    g->first = (uint32_t)c->piece_count;
    for (uint32_t p = 0; good(r) && p < count; p++)
      read_piece(r, g);
    g->count = (uint32_t)c->piece_count - g->first;
  }
}

static const struct shape {
  uint8_t values, numbers, results;
} shapes[] = {
#define INSTRUCTION(name, values, numbers, results) {values, numbers, results},
#include "code.def"
};
enum { MANY = 255 };

static uint32_t read_value(struct reader *r, const struct function *f) {
  const uint64_t value = read_number(r);
  const uint64_t index = value >> 1;
  const bool is_constant = (value & 1) != 0;
  if (index >= (is_constant ? r->code->constant_count : f->registers))
    fail(r, "a register or constant that is not there");
  return (uint32_t)index | (is_constant ? CODE_CONSTANT : 0);
}

static void push_word(struct reader *r, uint32_t word) {
  struct code *c = r->code;
  c->words = more(r, c->words, c->word_count, &r->word_room, sizeof *c->words);
  if (good(r)) c->words[c->word_count++] = word;
}

static uint32_t results_of(const struct code *c, const struct instruction *i) {
  return i->kind == CODE_CALL ? code_numbers(c, i)[0] : shapes[i->kind].results;
}

static bool compares_floats(const struct instruction *i) {
  return i->kind == CODE_FLOAT_COMPARE || i->kind == CODE_EXTENDED_COMPARE;
}

/* Whether its width is that of a floating point number. */
static bool is_of_floats(const struct instruction *i) {
  return (i->kind >= CODE_FLOAT_ADD && i->kind <= CODE_FLOAT_COMPARE) ||
         i->kind == CODE_EXTENDED_TO_FLOAT || i->kind == CODE_FLOAT_TO_EXTENDED;
}

/* What the numbers of an instruction mean. */
static void check_numbers(struct reader *r, const struct function *f, const struct instruction *i) {
  const uint32_t *numbers = code_numbers(r->code, i);
  const bool jumps = i->kind == CODE_JUMP || i->kind == CODE_TEST || i->kind == CODE_SWITCH;
  uint64_t limit = jumps                           ? f->count
                   : i->kind == CODE_MOVE          ? f->registers
                   : i->kind == CODE_COMPARE       ? COMPARISONS
                   : i->kind == CODE_ATOMIC_UPDATE ? UPDATES
                   : compares_floats(i)            ? 16
                   : i->kind == CODE_LOAD_PART     ? 2
                   : i->kind == CODE_REFUSED       ? r->code->text_count
                   : i->kind == CODE_ALLOCATE      ? UINT64_C(1) << 31
                   : i->kind == CODE_ADDRESS       ? UINT64_C(1) << 32
                   : i->kind == CODE_CALL          ? (uint64_t)f->registers + 1
                                                   : 65; /* widths */
  if (i->kind == CODE_ALLOCATE && numbers[2] >= r->code->text_count)
    fail(r, "a name that is not there");
  for (uint32_t n = 0; n < i->numbers; n++)
    if (numbers[n] >= limit) fail(r, "a number of an instruction that is too high");
  const bool widths =
      i->kind >= CODE_TRUNCATE && i->kind <= CODE_FLOAT_CONVERT && i->kind != CODE_FLOAT_COMPARE;
  for (uint32_t n = 0; widths && n < i->numbers; n++)
    if (numbers[n] == 0) fail(r, "a width of 0");
  if (i->kind == CODE_ALLOCATE && (numbers[1] == 0 || (numbers[1] & (numbers[1] - 1)) != 0))
    fail(r, "an alignment that is no power of two");
}

static void check_instruction(struct reader *r, const struct function *f,
                              const struct instruction *i) {
  const struct shape *shape = &shapes[i->kind];
  if (shape->values != MANY && i->values != shape->values) fail(r, "a wrong number of values");
  if (shape->numbers != MANY && i->numbers != shape->numbers) fail(r, "a wrong number of numbers");
  if (i->kind == CODE_MOVE && i->values != i->numbers)
    fail(r, "a move of values to fewer registers");
  if ((i->kind == CODE_SWITCH && (i->values == 0 || i->numbers != i->values)) ||
      (i->kind == CODE_CALL && i->values == 0))
    fail(r, "an instruction without what it is about");
  if (i->width == 0 || i->width > 64) fail(r, "a width that is not 1 to 64");
  if (is_of_floats(i) && i->width != 32 && i->width != 64)
    fail(r, "a floating point number of another width");
  if (!good(r)) return;
  check_numbers(r, f, i);
  if ((uint64_t)i->result + results_of(r->code, i) > f->registers)
    fail(r, "a result in a register that is not there");
}

static void read_instruction(struct reader *r, const struct function *f) {
  struct code *c = r->code;
  c->instructions =
      more(r, c->instructions, c->instruction_count, &r->instruction_room, sizeof *c->instructions);
  struct instruction i = {.first = (uint32_t)c->word_count};
  i.kind = (uint8_t)read_below(r, CODE_KINDS, "an instruction of no kind");
  i.width = (uint8_t)read_below(r, 65, "a width above 64");
  i.no_overflow = read_number(r) != 0;
  i.weaker = read_number(r) != 0;
  i.result = read_below(r, (uint64_t)f->registers + 1, "a register that is not there");
  i.values = read_count(r);
  i.numbers = read_count(r);
  for (uint32_t n = 0; good(r) && n < i.values; n++)
    push_word(r, read_value(r, f));
  for (uint32_t n = 0; good(r) && n < i.numbers; n++)
    push_word(r, read_below(r, UINT32_MAX, "a number of more than 32 bits"));
  i.file = read_below(r, c->text_count, "a text that is not there");
  i.line = read_below(r, UINT32_MAX, "a line of too high a number");
  if (good(r)) check_instruction(r, f, &i);
  if (good(r)) c->instructions[c->instruction_count++] = i;
}

static bool ends_control(const struct instruction *i) {
  return i->kind == CODE_JUMP || i->kind == CODE_TEST || i->kind == CODE_SWITCH ||
         i->kind == CODE_RETURN || i->kind == CODE_UNREACHABLE || i->kind == CODE_REFUSED;
}

enum { FUNCTION_DEFINED = 1, FUNCTION_VARIADIC = 2, FUNCTION_LIBRARY = 4 };

static void read_functions(struct reader *r) {
  struct code *c = r->code;
  c->function_count = read_count(r);
  c->functions = make(r, c->function_count, sizeof *c->functions);
  for (uint32_t n = 0; good(r) && n < c->function_count; n++) {
    struct function *f = &c->functions[n];
    f->name = read_text(r);
    const uint64_t flags = read_number(r);
    f->defined = (flags & FUNCTION_DEFINED) != 0;
    f->variadic = (flags & FUNCTION_VARIADIC) != 0;
    f->library = (flags & FUNCTION_LIBRARY) != 0;
    f->parameters = read_below(r, 1 << 20, "too many parameters");
    f->registers = read_below(r, 1 << 28, "too many registers");
    f->count = read_count(r);
    f->first = (uint32_t)c->instruction_count;
    if (f->parameters > f->registers) fail(r, "parameters without registers");
    for (uint32_t i = 0; good(r) && i < f->count; i++)
      read_instruction(r, f);
    if (good(r) && f->defined &&
        (f->count == 0 || !ends_control(&c->instructions[c->instruction_count - 1])))
      fail(r, "a function that goes on behind its end");
  }
}

static void read_constructors(struct reader *r) {
  struct code *c = r->code;
  c->constructor_count = read_count(r);
  c->constructors = make(r, c->constructor_count, sizeof *c->constructors);
  for (uint32_t i = 0; good(r) && i < c->constructor_count; i++)
    c->constructors[i] = read_below(r, c->function_count, "a constructor that is not there");
}

/* Constants name globals and functions, which come behind them. */
static void check_constants(struct reader *r) {
  const struct code *c = r->code;
  for (uint32_t i = 0; good(r) && i < c->constant_count; i++) {
    const struct constant *constant = &c->constants[i];
    if ((constant->kind == CONSTANT_GLOBAL && constant->index >= c->global_count) ||
        (constant->kind == CONSTANT_FUNCTION && constant->index >= c->function_count))
      fail(r, "a constant of a global or function that is not there");
  }
}

bool code_read(struct code *code, char *data, size_t size, const char **wrong, size_t *at) {
  const size_t begin = strlen(CODE_BEGIN);
  memset(code, 0, sizeof *code);
  code->data = data;
  struct reader r = {.code = code, .size = size};
  const uint8_t *magic = read_bytes(&r, begin);
  if (magic == NULL || memcmp(magic, CODE_BEGIN, begin) != 0)
    fail(&r, "not a program of this form");
  read_texts(&r);
  read_constants(&r);
  read_globals(&r);
  read_functions(&r);
  read_constructors(&r);
  check_constants(&r);
  if (good(&r) && r.at != r.size) fail(&r, "bytes behind the program");
  *wrong = r.refused ? NULL : r.wrong;
  *at = r.at;
  return good(&r);
}

void code_free(struct code *code) {
  free(code->data);
  free(code->texts);
  free(code->constants);
  free(code->globals);
  free(code->pieces);
  free(code->functions);
  free(code->instructions);
  free(code->words);
  free(code->constructors);
  memset(code, 0, sizeof *code);
}

uint32_t code_function(const struct code *code, const char *name) {
  for (uint32_t i = 0; i < code->function_count; i++)
    if (strcmp(code->functions[i].name, name) == 0) return i;
  return UINT32_MAX;
}
