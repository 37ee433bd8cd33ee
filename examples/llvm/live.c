#include "live.h"

#include <stdlib.h>
#include <string.h>

#include "code.h"

/* It may be read anywhere. */
static const struct live_range everywhere = {0, UINT32_MAX};

/* While the instructions of a function are looked through. */
struct registers_of {
  const struct code *code;
  const struct function *function;
  struct live_range *ranges;
  uint32_t *written; /* by register: in which block, and 1 more; 0: nowhere yet */
  uint32_t block;
};

static uint32_t results_of(const struct code *code, const struct instruction *i) {
  static const uint8_t results[] = {
#define INSTRUCTION(name, values, numbers, results) results,
#include "code.def"
  };
  return i->kind == CODE_CALL ? code_numbers(code, i)[0] : results[i->kind];
}

/* What is written later makes no difference. */
static void read_anywhere(struct registers_of *l, uint32_t number) {
  l->ranges[number] = everywhere;
  l->written[number] = UINT32_MAX;
}

static void write_register(struct registers_of *l, uint32_t number, uint32_t at) {
  if (l->written[number] != 0) {
    read_anywhere(l, number);
    return;
  }
  l->ranges[number] = (struct live_range){at + 1, at};
  l->written[number] = l->block + 1;
}

static void read_register(struct registers_of *l, uint32_t number, uint32_t at) {
  if (l->written[number] != l->block + 1)
    read_anywhere(l, number);
  else if (l->ranges[number].last != UINT32_MAX)
    l->ranges[number].last = at;
}

static void look_at(struct registers_of *l, const struct instruction *i, uint32_t at) {
  const uint32_t *values = code_values(l->code, i), *numbers = code_numbers(l->code, i);
  for (uint32_t n = 0; n < i->values; n++)
    if ((values[n] & CODE_CONSTANT) == 0) read_register(l, values[n], at);
  const uint32_t results = results_of(l->code, i);
  for (uint32_t n = 0; n < results; n++)
    write_register(l, i->result + n, at);
  for (uint32_t n = 0; i->kind == CODE_MOVE && n < i->numbers; n++)
    read_anywhere(l, numbers[n]);
}

static bool jumps(const struct instruction *i) {
  return i->kind == CODE_JUMP || i->kind == CODE_TEST || i->kind == CODE_SWITCH;
}

static void look_through(struct registers_of *l, const bool *begins) {
  const struct function *f = l->function;
  for (uint32_t r = 0; r < f->registers; r++) {
    l->written[r] = r < f->parameters; /* in the first block */
    l->ranges[r] = (struct live_range){0, 0};
  }
  l->block = 0;
  for (uint32_t at = 0; at < f->count; at++) {
    const struct instruction *i = &l->code->instructions[f->first + at];
    if (begins[at] && at > 0) l->block++;
    look_at(l, i, at);
  }
}

/* Where blocks begin: behind what jumps, and where that leads to. */
static void find_blocks(const struct code *code, const struct function *f, bool *begins) {
  memset(begins, 0, f->count * sizeof *begins);
  for (uint32_t at = 0; at < f->count; at++) {
    const struct instruction *i = &code->instructions[f->first + at];
    if (!jumps(i)) continue;
    if (at + 1 < f->count) begins[at + 1] = true;
    for (uint32_t n = 0; n < i->numbers; n++)
      begins[code_numbers(code, i)[n]] = true;
  }
}

static void find_room(const struct code *code, size_t *registers, size_t *most,
                      size_t *instructions) {
  *registers = *most = *instructions = 0;
  for (uint32_t i = 0; i < code->function_count; i++) {
    const struct function *f = &code->functions[i];
    *registers += f->registers;
    if (f->registers > *most) *most = f->registers;
    if (f->count > *instructions) *instructions = f->count;
  }
}

bool live_make(struct live *live, const struct code *code) {
  size_t registers, most, instructions, at = 0;
  find_room(code, &registers, &most, &instructions);
  *live = (struct live){code, calloc(registers + 1, sizeof *live->ranges),
                        calloc(code->function_count + (size_t)1, sizeof *live->first)};
  bool *begins = calloc(instructions + 1, sizeof *begins);
  struct registers_of l = {.code = code, .written = calloc(most + 1, sizeof *l.written)};
  const bool good =
      live->ranges != NULL && live->first != NULL && begins != NULL && l.written != NULL;
  for (uint32_t i = 0; good && i < code->function_count; i++) {
    live->first[i] = at;
    l.function = &code->functions[i];
    l.ranges = live->ranges + at;
    find_blocks(code, l.function, begins);
    look_through(&l, begins);
    at += l.function->registers;
  }
  free(begins);
  free(l.written);
  if (!good) live_free(live);
  return good;
}

void live_free(struct live *live) {
  free(live->ranges);
  free(live->first);
  *live = (struct live){0};
}

bool live_register(const struct live *live, const struct thread *t, size_t frame, uint32_t number) {
  const struct frame *f = &t->frames[frame], *above = f + 1;
  const size_t function = (size_t)(f->function - live->code->functions);
  const struct live_range *r = &live->ranges[live->first[function] + number];
  const uint32_t at = f->instruction - f->function->first;
  /* longjmp() goes back to where a register was of use; some operations keep a result in one. */
  if (t->jump_count > 0 || f->phase > 1) return true;
  if (frame + 1 < t->frame_count && number - above->result < above->results) return false;
  return r->first <= at && at <= r->last;
}
