/* Functions of <math.h>, with numbers that do not depend on inputs: those of the C library. Each is
 * there for double, float (with an f behind its name) and long double (with an l). */
#include "numeric.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "builtin.h"
#include "extended.h"
#include "machine.h"

union number {
  double d;
  float f;
  long double e;
  int64_t i;
};
typedef void computes(const union number *x, union number *result);

/* The two things that frexp() finds. */
static double __unfold_fraction(double x) {
  int exponent;
  return frexp(x, &exponent);
}
static float __unfold_fractionf(float x) {
  int exponent;
  return frexpf(x, &exponent);
}
static long double __unfold_fractionl(long double x) {
  int exponent;
  return frexpl(x, &exponent);
}
static int __unfold_exponent(double x) {
  int exponent = 0;
  (void)frexp(x, &exponent);
  return exponent;
}
static int __unfold_exponentf(float x) {
  int exponent = 0;
  (void)frexpf(x, &exponent);
  return exponent;
}
static int __unfold_exponentl(long double x) {
  int exponent = 0;
  (void)frexpl(x, &exponent);
  return exponent;
}

/* By what they get: so many floating point numbers, or one and an integer of a type; the last ones
 * come to an integer. */
#define FUNCTIONS(ONE, TWO, THREE, SCALED, TO_INTEGER)                                             \
  ONE(sqrt)                                                                                        \
  ONE(cbrt)                                                                                        \
  ONE(floor)                                                                                       \
  ONE(ceil)                                                                                        \
  ONE(trunc)                                                                                       \
  ONE(round)                                                                                       \
  ONE(rint)                                                                                        \
  ONE(nearbyint)                                                                                   \
  ONE(fabs)                                                                                        \
  ONE(sin)                                                                                         \
  ONE(cos)                                                                                         \
  ONE(tan)                                                                                         \
  ONE(asin)                                                                                        \
  ONE(acos)                                                                                        \
  ONE(atan)                                                                                        \
  ONE(sinh)                                                                                        \
  ONE(cosh)                                                                                        \
  ONE(tanh)                                                                                        \
  ONE(asinh)                                                                                       \
  ONE(acosh)                                                                                       \
  ONE(atanh)                                                                                       \
  ONE(exp)                                                                                         \
  ONE(exp2)                                                                                        \
  ONE(expm1)                                                                                       \
  ONE(log)                                                                                         \
  ONE(log2)                                                                                        \
  ONE(log10)                                                                                       \
  ONE(log1p)                                                                                       \
  ONE(logb)                                                                                        \
  ONE(erf)                                                                                         \
  ONE(erfc)                                                                                        \
  ONE(tgamma)                                                                                      \
  ONE(lgamma)                                                                                      \
  ONE(__unfold_fraction)                                                                           \
  TWO(pow)                                                                                         \
  TWO(fmod)                                                                                        \
  TWO(remainder)                                                                                   \
  TWO(atan2)                                                                                       \
  TWO(hypot)                                                                                       \
  TWO(fmin)                                                                                        \
  TWO(fmax)                                                                                        \
  TWO(fdim)                                                                                        \
  TWO(copysign)                                                                                    \
  TWO(nextafter)                                                                                   \
  THREE(fma)                                                                                       \
  SCALED(ldexp, int)                                                                               \
  SCALED(scalbn, int)                                                                              \
  SCALED(scalbln, long)                                                                            \
  TO_INTEGER(lrint)                                                                                \
  TO_INTEGER(llrint)                                                                               \
  TO_INTEGER(lround)                                                                               \
  TO_INTEGER(llround)                                                                              \
  TO_INTEGER(ilogb)                                                                                \
  TO_INTEGER(__unfold_exponent)

#define OF_TYPES(name, to_d, to_f, to_e, with_d, with_f, with_e)                                   \
  static void name##_of_d(const union number *x, union number *result) {                           \
    result->to_d = name with_d;                                                                    \
  }                                                                                                \
  static void name##_of_f(const union number *x, union number *result) {                           \
    result->to_f = name##f with_f;                                                                 \
  }                                                                                                \
  static void name##_of_e(const union number *x, union number *result) {                           \
    result->to_e = name##l with_e;                                                                 \
  }
#define MAKE_ONE(name) OF_TYPES(name, d, f, e, (x->d), (x->f), (x->e))
#define MAKE_TWO(name) OF_TYPES(name, d, f, e, (x->d, x[1].d), (x->f, x[1].f), (x->e, x[1].e))
#define MAKE_THREE(name)                                                                           \
  OF_TYPES(name, d, f, e, (x->d, x[1].d, x[2].d), (x->f, x[1].f, x[2].f), (x->e, x[1].e, x[2].e))
#define MAKE_SCALED(name, type)                                                                    \
  OF_TYPES(name, d, f, e, (x->d, (type)x[1].i), (x->f, (type)x[1].i), (x->e, (type)x[1].i))
#define MAKE_TO_INTEGER(name) OF_TYPES(name, i, i, i, (x->d), (x->f), (x->e))
FUNCTIONS(MAKE_ONE, MAKE_TWO, MAKE_THREE, MAKE_SCALED, MAKE_TO_INTEGER)

enum type { DOUBLE, FLOAT, EXTENDED, TYPES };

static const struct row {
  const char *name;
  computes *of[TYPES];
  uint8_t floats, integers;
  bool to_integer;
} rows[] = {
#define ROW(name, floats, integers, to_integer)                                                    \
  {#name, {name##_of_d, name##_of_f, name##_of_e}, floats, integers, to_integer},
#define ROW_ONE(name)          ROW(name, 1, 0, false)
#define ROW_TWO(name)          ROW(name, 2, 0, false)
#define ROW_THREE(name)        ROW(name, 3, 0, false)
#define ROW_SCALED(name, type) ROW(name, 1, 1, false)
#define ROW_TO_INTEGER(name)   ROW(name, 1, 0, true)
    FUNCTIONS(ROW_ONE, ROW_TWO, ROW_THREE, ROW_SCALED, ROW_TO_INTEGER)
    /* as LLVM calls them */
    {"minnum", {fmin_of_d, fmin_of_f, fmin_of_e}, 2, 0, false},
    {"maxnum", {fmax_of_d, fmax_of_f, fmax_of_e}, 2, 0, false}};

/* ---- names ---- */

/* What stands behind the name of an intrinsic: a type for each of these, as .f64 or .i64.f80. */
static bool is_type(const char *name, enum type *type) {
  static const char *const floats[] = {[DOUBLE] = ".f64", [FLOAT] = ".f32", [EXTENDED] = ".f80"};
  enum { SIZE = 4 };
  bool found = false;
  for (; strlen(name) >= SIZE; name += SIZE) {
    if (strncmp(name, ".i", 2) == 0) continue;
    found = false;
    for (enum type t = DOUBLE; !found && t < TYPES; t++) {
      found = strncmp(name, floats[t], SIZE) == 0;
      if (found) *type = t;
    }
    if (!found) return false;
  }
  return found && *name == '\0';
}

/* "sqrt", "sqrtf", "sqrtl", "llvm.sqrt.f64"; NULL: it is none of them. */
static const struct row *find(const char *name, enum type *type) {
  static const char begin[] = "llvm.", *const ends[] = {
                                           [DOUBLE] = "", [FLOAT] = "f", [EXTENDED] = "l"};
  const bool intrinsic = strncmp(name, begin, strlen(begin)) == 0;
  if (intrinsic) name += strlen(begin);
  for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
    const size_t length = strlen(row->name);
    if (strncmp(name, row->name, length) != 0) continue;
    if (intrinsic && is_type(name + length, type)) return row;
    for (*type = DOUBLE; !intrinsic && *type < TYPES; ++*type)
      if (strcmp(name + length, ends[*type]) == 0) return row;
  }
  return NULL;
}

/* ---- calls ---- */

/* Registers as a number of a type. */
static union number number_of(const struct value *values, enum type type) {
  union number number;
  const int64_t parts[2] = {values[0].number, type == EXTENDED ? values[1].number : 0};
  if (type == EXTENDED)
    number.e = extended_number(parts);
  else if (type == FLOAT)
    number.f = (float)arith_to_double(32, parts[0]);
  else
    number.d = arith_to_double(64, parts[0]);
  return number;
}

static enum flow come_to(struct thread *t, const struct arguments *a, union number result,
                         enum type type) {
  int64_t parts[2];
  if (type == FLOAT) return machine_number(t, a, arith_of_double(32, (double)result.f));
  if (type == DOUBLE) return machine_number(t, a, arith_of_double(64, result.d));
  extended_parts(result.e, parts);
  struct value *to = t->values + machine_frame(t)->registers + a->instruction->result;
  for (uint32_t i = 0; i < a->results && i < 2; i++)
    to[i] = value_number(parts[i]);
  return FLOW_NEXT;
}

static enum flow compute(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { MOST = 3 };
  const char *name = m->code->functions[a->function].name;
  enum type type = DOUBLE;
  const struct row *row = find(name, &type);
  const uint32_t parts = type == EXTENDED ? 2 : 1;
  const uint32_t count = row->floats * parts + row->integers;
  union number x[MOST], result;
  if (a->count < count)
    return machine_fail(m, t, CLI_MEMORY, "a call of %s with too few arguments", name);
  for (uint32_t i = 0; i < count; i++)
    if (!value_known(a->values[i]))
      return machine_refuse(m, t, "%s of a number that depends on inputs", name);
  if (type == EXTENDED && !extended_is_known())
    return machine_refuse(m, t, "long double on a machine with another one");
  for (uint32_t i = 0; i < row->floats; i++)
    x[i] = number_of(a->values + i * parts, type);
  if (row->integers > 0) x[row->floats].i = a->values[row->floats * parts].number;
  row->of[type](x, &result);
  return row->to_integer ? machine_number(t, a, result.i) : come_to(t, a, result, type);
}

builtin numeric_find(const char *name) {
  enum type type;
  return find(name, &type) != NULL ? compute : NULL;
}
