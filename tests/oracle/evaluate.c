/*
 * Expressions: C's operators on 64-bit integers, where everything that C leaves undefined is a
 * run-time error. Each access to a shared cell is noted with the thread, for the race check.
 */
#include "lexer.h"
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>

void machine_fail(machine *m, uint32_t line, const char *what) {
  if (m->error) return;
  m->error = true;
  snprintf(m->text, sizeof m->text, "line %" PRIu32 ": %s", line, what);
}

void machine_note(const machine *m, int64_t *state, uint32_t thread, uint32_t cell, bool write,
                  uint32_t line) {
  int64_t *mask = machine_thread(m, state, thread) + THREAD_MASKS + (write ? m->mask_words : 0);
  mask[cell / 64] = (int64_t)((uint64_t)mask[cell / 64] | UINT64_C(1) << (cell % 64));
  if (m->noted != NULL) m->noted(m->noted_user, thread, cell, write, line);
}

uint32_t machine_element(machine *m, int64_t *state, uint32_t thread, uint32_t symbol_number,
                         uint32_t index, uint32_t line) {
  const symbol *s = &m->program->symbols[symbol_number];
  if (index == ORACLE_NONE) return s->base;
  int64_t i = machine_evaluate(m, state, thread, index);
  if (i < s->low || i - s->low >= (int64_t)s->count) {
    machine_fail(m, line, "index out of range");
    return s->base;
  }
  return s->base + (uint32_t)(i - s->low);
}

static int64_t unary(machine *m, const expression *e, int64_t v) {
  if (e->operator== '!') return v == 0;
  if (e->operator== '~') return ~v;
  if (v == INT64_MIN) {
    machine_fail(m, e->line, "signed overflow");
    return 0;
  }
  return -v;
}

static int64_t arithmetic(machine *m, const expression *e, int64_t a, int64_t b) {
  int64_t r = 0;
  bool overflow;
  switch (e->operator) {
  case '+':
    overflow = __builtin_add_overflow(a, b, &r);
    break;
  case '-':
    overflow = __builtin_sub_overflow(a, b, &r);
    break;
  case '*':
    overflow = __builtin_mul_overflow(a, b, &r);
    break;
  default: /* / and % */
    if (b == 0) {
      machine_fail(m, e->line, "division by zero");
      return 0;
    }
    overflow = a == INT64_MIN && b == -1;
    if (!overflow) r = e->operator== '/' ? a / b : a % b;
  }
  if (overflow) machine_fail(m, e->line, "signed overflow");
  return overflow ? 0 : r;
}

static int64_t shift(machine *m, const expression *e, int64_t a, int64_t b) {
  if (b < 0 || b > 63) {
    machine_fail(m, e->line, "shift outside 0 to 63");
    return 0;
  }
  if (e->operator== TOKEN2('>', '>')) return a < 0 ? ~(~a >> b) : a >> b;
  int64_t r = a;
  for (int64_t i = 0; i < b; i++) {
    if (__builtin_mul_overflow(r, 2, &r)) {
      machine_fail(m, e->line, "signed overflow");
      return 0;
    }
  }
  return r;
}

static int64_t binary(machine *m, const expression *e, int64_t a, int64_t b) {
  switch (e->operator) {
  case '|':
    return a | b;
  case '^':
    return a ^ b;
  case '&':
    return a & b;
  case TOKEN2('=', '='):
    return a == b;
  case TOKEN2('!', '='):
    return a != b;
  case '<':
    return a < b;
  case '>':
    return a > b;
  case TOKEN2('<', '='):
    return a <= b;
  case TOKEN2('>', '='):
    return a >= b;
  case TOKEN2('<', '<'):
  case TOKEN2('>', '>'):
    return shift(m, e, a, b);
  default:
    return arithmetic(m, e, a, b);
  }
}

int64_t machine_evaluate(machine *m, int64_t *state, uint32_t thread, uint32_t number) {
  const expression *e = &m->program->expressions[number];
  if (m->error) return 0;
  switch (e->kind) {
  case EXPRESSION_CONSTANT:
    return e->value;
  case EXPRESSION_REGISTER:
    return machine_thread(m, state, thread)[THREAD_MASKS + 2 * m->mask_words + e->place];
  case EXPRESSION_SHARED: {
    uint32_t cell = machine_element(m, state, thread, e->place, e->left, e->line);
    machine_note(m, state, thread, cell, false, e->line);
    return state[cell];
  }
  case EXPRESSION_UNARY:
    return unary(m, e, machine_evaluate(m, state, thread, e->left));
  default:
    break;
  }
  int64_t a = machine_evaluate(m, state, thread, e->left);
  if (e->operator== TOKEN2('&', '&') && a == 0) return 0;
  if (e->operator== TOKEN2('|', '|') && a != 0) return 1;
  int64_t b = machine_evaluate(m, state, thread, e->right);
  if (m->error) return 0;
  if (e->operator== TOKEN2('&', '&') || e->operator== TOKEN2('|', '|')) return b != 0;
  return binary(m, e, a, b);
}
