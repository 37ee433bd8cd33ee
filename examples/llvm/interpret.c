/* Instructions. Each ends with what machine_run() does next. */
#include "interpret.h"

#include "access.h"
#include "arith.h"
#include "atomic.h"
#include "builtin.h"
#include "code.h"
#include "decide.h"
#include "ends.h"
#include "extended.h"
#include "heap.h"
#include "machine.h"
#include "memory.h"
#include "racing.h"
#include "terms.h"

struct step {
  struct machine *m;
  struct thread *t;
  const struct instruction *i;
  const uint32_t *values, *numbers;
  struct value *registers;
};

static struct value constant_value(struct machine *m, struct thread *t, uint32_t number) {
  const struct constant *c = &m->code->constants[number];
  switch (c->kind) {
  case CONSTANT_GLOBAL:
    return value_number((int64_t)machine_own(m, t, c->index) + c->value);
  case CONSTANT_FUNCTION:
    return value_number((int64_t)machine_function_address(c->index) + c->value);
  default:
    return value_number(c->value);
  }
}

static struct value value_at(const struct step *s, uint32_t operand) {
  const uint32_t word = s->values[operand];
  if ((word & CODE_CONSTANT) == 0) return s->registers[word];
  return constant_value(s->m, s->t, word & ~CODE_CONSTANT);
}

static enum flow set(const struct step *s, struct value value) {
  s->registers[s->i->result] = value;
  return FLOW_NEXT;
}

static enum flow go_to(const struct step *s, uint32_t target) {
  struct frame *frame = &s->t->frames[s->t->frame_count - 1];
  frame->instruction = frame->function->first + target;
  return FLOW_WENT;
}

/* ---- numbers ---- */

static bool check_binary(const struct step *s, struct value a, struct value b) {
  struct terms *terms = &s->m->knowledge->terms;
  const enum instruction_kind kind = s->i->kind;
  const unsigned width = s->i->width;
  const bool has_signs = kind == CODE_SIGNED_DIVIDE || kind == CODE_SIGNED_REMAINDER;
  switch (kind) {
  case CODE_SIGNED_DIVIDE:
  case CODE_SIGNED_REMAINDER:
  case CODE_UNSIGNED_DIVIDE:
  case CODE_UNSIGNED_REMAINDER:
    if (!machine_check(s->m, s->t, arith_divides_by_zero(terms, b), CLI_RUNTIME,
                       "division by zero"))
      return false;
    return !has_signs || machine_check(s->m, s->t, arith_overflows(terms, kind, width, a, b),
                                       CLI_RUNTIME, "a quotient that overflows");
  case CODE_SHIFT_LEFT:
  case CODE_SHIFT_RIGHT:
  case CODE_SHIFT_RIGHT_SIGNED:
    return machine_check(s->m, s->t, arith_shifts_too_far(terms, width, b), CLI_RUNTIME,
                         "a shift by less than 0, or by as many bits as there are");
  case CODE_ADD:
  case CODE_SUBTRACT:
  case CODE_MULTIPLY:
    return !s->i->no_overflow || !s->m->overflow ||
           machine_check(s->m, s->t, arith_overflows(terms, kind, width, a, b), CLI_RUNTIME,
                         "signed overflow");
  default:
    return true;
  }
}

static enum flow binary(const struct step *s) {
  const struct value a = value_at(s, 0), b = value_at(s, 1);
  struct value result;
  if (!check_binary(s, a, b)) return FLOW_STANDS;
  arith_binary(&s->m->knowledge->terms, s->i->kind, s->i->width, a, b, &result);
  return set(s, result);
}

static enum flow floating(const struct step *s) {
  const struct value a = value_at(s, 0), b = s->i->values > 1 ? value_at(s, 1) : value_number(0);
  if (!value_known(a) || !value_known(b))
    return machine_refuse(s->m, s->t, "a floating point number that depends on inputs");
  const enum instruction_kind kind = s->i->kind;
  if (kind == CODE_FLOAT_COMPARE)
    return set(s,
               value_number(arith_float_compare(s->i->width, a.number, b.number, s->numbers[0])));
  if (kind < CODE_FLOAT_COMPARE)
    return set(s, value_number(arith_float(kind, s->i->width, a.number, b.number)));
  const int64_t result = arith_float_convert(kind, s->numbers[0], s->i->width, a.number);
  return set(s, arith_truncate(&s->m->knowledge->terms, value_number(result), s->i->width));
}

/* Two values each. */
static enum flow extended(const struct step *s) {
  enum { VALUES = 4 };
  int64_t values[VALUES], results[2] = {0, 0};
  const bool is_one =
      s->i->kind == CODE_EXTENDED_COMPARE ||
      (s->i->kind >= CODE_EXTENDED_TO_SIGNED && s->i->kind <= CODE_EXTENDED_TO_FLOAT);
  for (uint32_t n = 0; n < s->i->values && n < VALUES; n++) {
    const struct value value = value_at(s, n);
    if (!value_known(value))
      return machine_refuse(s->m, s->t, "a floating point number that depends on inputs");
    values[n] = value.number;
  }
  if (!extended_is_known())
    return machine_refuse(s->m, s->t, "long double on a machine with another one");
  extended_compute(s->i->kind, s->i->width, s->i->numbers > 0 ? s->numbers[0] : 0, values, results);
  if (is_one)
    return set(s, arith_truncate(&s->m->knowledge->terms, value_number(results[0]), s->i->width));
  s->registers[s->i->result + 1] = value_number(results[1]);
  return set(s, value_number(results[0]));
}

static enum flow select_value(const struct step *s) {
  return set(s,
             arith_select(&s->m->knowledge->terms, value_at(s, 0), value_at(s, 1), value_at(s, 2)));
}

static enum flow address(const struct step *s) {
  struct terms *terms = &s->m->knowledge->terms;
  struct value scaled, result;
  arith_binary(terms, CODE_MULTIPLY, 64, value_at(s, 1), value_number(s->numbers[0]), &scaled);
  arith_binary(terms, CODE_ADD, 64, value_at(s, 0), scaled, &result);
  return set(s, result);
}

/* ---- memory ---- */

static enum flow allocate(const struct step *s) {
  int64_t count;
  if (!machine_resolve(s->m, s->t, value_at(s, 0), &count)) return FLOW_STANDS;
  const uint64_t size = (uint64_t)count * s->numbers[0];
  const uint32_t region = s->t->handle + 1;
  if (count < 0 || count > UINT32_MAX)
    return machine_fail(s->m, s->t, CLI_MEMORY, "a local array of %lld elements", (long long)count);
  const struct object *o = memory_make(&s->m->memory, region, OBJECT_STACK, size, s->numbers[1],
                                       false, (uint64_t)s->numbers[2] << 32);
  if (o == NULL) return machine_stop(s->m, UNF_MEMORY);
  if (s->m->races_watched && s->m->now.started > 1 && size > 0)
    machine_forget_accesses(s->m, o->address, size);
  return set(s, value_number((int64_t)o->address));
}

/* A thread whose function ends without a result has one that nobody looks at: clang loads it, and
 * returns it. */
static bool is_no_result(const struct step *s) {
  struct value value;
  const struct value at = value_at(s, 0);
  return s->t->frame_count == 1 && s->i[1].kind == CODE_RETURN && value_known(at) &&
         memory_load(&s->m->memory, &s->m->knowledge->terms, (uint64_t)at.number, s->i->width,
                     &value) == ACCESS_UNWRITTEN;
}

static enum flow load(const struct step *s) {
  struct aim aim;
  struct value value;
  if (is_no_result(s)) return set(s, value_number(0));
  if (!machine_aim(s->m, s->t, value_at(s, 0), s->i->width, false, &aim)) return FLOW_STANDS;
  const uint64_t at = (uint64_t)aim.address.number;
  if (value_known(aim.address) && racing_stands(s->m, s->t, at, s->i->width))
    return racing_access(s->m, s->t, s->i, at, &s->registers[s->i->result]);
  if (!machine_read_at(s->m, s->t, &aim, s->i->width, &value)) return FLOW_STANDS;
  return set(s, value);
}

static enum flow load_part(const struct step *s) {
  const struct value at = value_at(s, 0);
  if (value_known(at) &&
      !memory_settle(&s->m->memory, (uint64_t)at.number, bytes_of(s->i->width), s->numbers[0] != 0))
    return machine_stop(s->m, UNF_MEMORY);
  return load(s);
}

static enum flow store(const struct step *s) {
  struct aim aim;
  struct value value = value_at(s, 0);
  if (!machine_aim(s->m, s->t, value_at(s, 1), s->i->width, true, &aim)) return FLOW_STANDS;
  const uint64_t at = (uint64_t)aim.address.number;
  if (value_known(aim.address) && racing_stands(s->m, s->t, at, s->i->width))
    return racing_access(s->m, s->t, s->i, at, &value);
  return machine_write_at(s->m, s->t, &aim, s->i->width, value) ? FLOW_NEXT : FLOW_STANDS;
}

static enum flow atomic(const struct step *s) {
  struct value values[3] = {{0, TERM_NONE}};
  for (uint32_t n = 0; n < s->i->values && n < 3; n++)
    values[n] = value_at(s, n);
  return machine_atomic(s->m, s->t, s->i, values, s->registers + s->i->result);
}

/* ---- control ---- */

static enum flow move(const struct step *s) {
  enum { AT_ONCE = 64 };
  struct value values[AT_ONCE];
  if (s->i->values > AT_ONCE)
    return machine_refuse(s->m, s->t, "a structure of more than 64 parts as a value");
  for (uint32_t n = 0; n < s->i->values; n++)
    values[n] = value_at(s, n);
  for (uint32_t n = 0; n < s->i->values; n++)
    s->registers[s->numbers[n]] = values[n];
  return FLOW_NEXT;
}

static enum flow test(const struct step *s) {
  const int truth = machine_test(s->m, s->t, value_at(s, 0));
  return truth < 0 ? FLOW_STANDS : go_to(s, s->numbers[truth == 1 ? 0 : 1]);
}

/* Each case is an outcome, and one more is that it is none of them. */
static enum flow switch_on(const struct step *s) {
  struct machine *m = s->m;
  struct terms *terms = &m->knowledge->terms;
  const struct value value = value_at(s, 0);
  if (value_known(value)) {
    uint32_t n = 1;
    while (n < s->i->values && value_at(s, n).number != value.number)
      n++;
    return go_to(s, s->numbers[n < s->i->values ? n : 0]);
  }
  int64_t n = 0;
  if (machine_decided(m, s->t, &n)) return go_to(s, s->numbers[n]);
  struct value none = value_number(1);
  m->outcomes.count = 0;
  for (uint32_t i = 1; i < s->i->values; i++) {
    const struct value is = arith_compare(terms, COMPARE_EQUAL, 64, value, value_at(s, i));
    machine_list(m, value_term(terms, is), i);
    none = arith_and(terms, none, arith_not(terms, is));
  }
  machine_list(m, value_term(terms, none), 0);
  return machine_decide(m, s->t, &n) ? go_to(s, s->numbers[n]) : FLOW_STANDS;
}

bool machine_enter(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { CALLS_MAX = 100000 };
  const struct function *f = &m->code->functions[a->function];
  if (!f->defined)
    machine_refuse(m, t, "a call of %s", f->name);
  else if (a->count < f->parameters || (a->count > f->parameters && !f->variadic))
    machine_fail(m, t, CLI_MEMORY, "a call of %s with other arguments", f->name);
  else if (t->frame_count >= CALLS_MAX)
    machine_fail(m, t, CLI_CRASH, "a recursion of more than %d calls", CALLS_MAX);
  else if (machine_call(m, t, a->function, a->values, a->count, a->instruction->result, a->results))
    return true;
  else
    machine_stop(m, UNF_MEMORY);
  return false;
}

static enum flow call(const struct step *s) {
  enum { ARGUMENTS_MAX = 256 };
  struct value arguments[ARGUMENTS_MAX];
  int64_t at;
  if (!machine_resolve(s->m, s->t, value_at(s, 0), &at)) return FLOW_STANDS;
  const uint32_t function = machine_function_at(s->m, (uint64_t)at);
  if (function == UINT32_MAX)
    return machine_fail(s->m, s->t, CLI_MEMORY, "a call of an address that is no function");
  s->m->weaker_orders |= s->i->weaker; /* a function in place of an atomic instruction */
  const uint32_t count = s->i->values - 1;
  if (count > ARGUMENTS_MAX) return machine_refuse(s->m, s->t, "a call with %u arguments", count);
  for (uint32_t n = 0; n < count; n++)
    arguments[n] = value_at(s, n + 1);
  const struct arguments a = {s->i, arguments, count, s->numbers[0], function};
  if (s->m->builtins[function] != NULL) return s->m->builtins[function](s->m, s->t, &a);
  return machine_enter(s->m, s->t, &a) ? FLOW_WENT : FLOW_STANDS;
}

/* Pops a frame. The instruction behind the call is next. */
static enum flow return_from(const struct step *s) {
  enum { RESULTS_MAX = 64 };
  struct thread *t = s->t;
  struct value results[RESULTS_MAX] = {{0, TERM_NONE}};
  const struct frame frame = t->frames[t->frame_count - 1];
  if (s->i->values > RESULTS_MAX) return machine_refuse(s->m, t, "a result of more than 64 parts");
  for (uint32_t n = 0; n < s->i->values; n++)
    results[n] = value_at(s, n);
  if (t->frame_count == 1) {
    t->result = results[0];
    return sync_leave(s->m, t, t == s->m->threads[s->m->now.first]);
  }
  memory_cut(&s->m->memory, t->handle + 1, frame.depth);
  t->frame_count--;
  t->value_count = frame.registers;
  struct frame *caller = &t->frames[t->frame_count - 1];
  for (uint32_t n = 0; n < frame.results; n++)
    t->values[caller->registers + frame.result + n] = results[n];
  return FLOW_WENT; /* a call left the caller behind it */
}

enum flow machine_execute(struct machine *m, struct thread *t) {
  const struct frame *frame = &t->frames[t->frame_count - 1];
  const struct instruction *i = &m->code->instructions[frame->instruction];
  const struct step step = {
      m, t, i, code_values(m->code, i), code_numbers(m->code, i), t->values + frame->registers};
  const struct step *s = &step;
  switch ((enum instruction_kind)i->kind) {
  case CODE_COMPARE:
    return set(s, heap_compare(m, s->numbers[0], i->width, value_at(s, 0), value_at(s, 1)));
  case CODE_SELECT:
    return select_value(s);
  case CODE_TRUNCATE:
    return set(s, arith_truncate(&m->knowledge->terms, value_at(s, 0), i->width));
  case CODE_ZERO_EXTEND:
    return set(s, arith_unsigned(&m->knowledge->terms, value_at(s, 0), s->numbers[0]));
  case CODE_SIGN_EXTEND:
    return set(s, arith_signed(&m->knowledge->terms, value_at(s, 0), s->numbers[0]));
  case CODE_LOAD:
    return load(s);
  case CODE_LOAD_PART:
    return load_part(s);
  case CODE_STORE:
    return store(s);
  case CODE_ALLOCATE:
    return allocate(s);
  case CODE_ADDRESS:
    return address(s);
  case CODE_ATOMIC_LOAD:
  case CODE_ATOMIC_STORE:
  case CODE_ATOMIC_UPDATE:
  case CODE_COMPARE_EXCHANGE:
    return atomic(s);
  case CODE_MOVE:
    return move(s);
  case CODE_JUMP:
    return go_to(s, s->numbers[0]);
  case CODE_TEST:
    return test(s);
  case CODE_SWITCH:
    return switch_on(s);
  case CODE_CALL:
    return call(s);
  case CODE_RETURN:
    return return_from(s);
  case CODE_UNREACHABLE:
    return machine_fail(m, t, CLI_UNDEFINED, "a place that the program says is never reached");
  case CODE_REFUSED:
    return machine_refuse(m, t, "the instruction %s", m->code->texts[s->numbers[0]]);
  default:
    if (i->kind >= CODE_EXTENDED_ADD && i->kind <= CODE_FLOAT_TO_EXTENDED) return extended(s);
    return i->kind >= CODE_FLOAT_ADD && i->kind <= CODE_FLOAT_CONVERT ? floating(s) : binary(s);
  }
}
