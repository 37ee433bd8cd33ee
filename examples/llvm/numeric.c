/* Functions of <math.h>, with numbers that do not depend on inputs: those of the C library. */
#include "numeric.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "builtin.h"
#include "machine.h"

static const struct {
  const char *name;
  double (*of_one)(double);
  double (*of_two)(double, double);
} functions[] = {{"sqrt", sqrt, NULL},
                 {"floor", floor, NULL},
                 {"ceil", ceil, NULL},
                 {"trunc", trunc, NULL},
                 {"round", round, NULL},
                 {"rint", rint, NULL},
                 {"nearbyint", nearbyint, NULL},
                 {"fabs", fabs, NULL},
                 {"sin", sin, NULL},
                 {"cos", cos, NULL},
                 {"tan", tan, NULL},
                 {"asin", asin, NULL},
                 {"acos", acos, NULL},
                 {"atan", atan, NULL},
                 {"exp", exp, NULL},
                 {"exp2", exp2, NULL},
                 {"log", log, NULL},
                 {"log2", log2, NULL},
                 {"log10", log10, NULL},
                 {"cbrt", cbrt, NULL},
                 {"pow", NULL, pow},
                 {"fmod", NULL, fmod},
                 {"atan2", NULL, atan2},
                 {"hypot", NULL, hypot},
                 {"fmin", NULL, fmin},
                 {"fmax", NULL, fmax},
                 {"copysign", NULL, copysign},
                 {"minnum", NULL, fmin},
                 {"maxnum", NULL, fmax}};

/* "sqrt", and "llvm.sqrt.f64". */
static bool is_named(const char *name, const char *function) {
  static const char begin[] = "llvm.", end[] = ".f64";
  const size_t length = strlen(function);
  if (strncmp(name, begin, strlen(begin)) != 0) return strcmp(name, function) == 0;
  name += strlen(begin);
  return strncmp(name, function, length) == 0 && strcmp(name + length, end) == 0;
}

static double number_of(struct value value) {
  double number;
  memcpy(&number, &value.number, sizeof number);
  return number;
}

static enum flow compute(struct machine *m, struct thread *t, const struct arguments *a) {
  const char *name = m->code->functions[a->function].name;
  size_t i = 0;
  while (!is_named(name, functions[i].name))
    i++;
  const bool two = functions[i].of_two != NULL;
  if (a->count < (two ? 2 : 1) || !value_known(a->values[0]) || (two && !value_known(a->values[1])))
    return machine_refuse(m, t, "%s of a number that depends on inputs", name);
  const double x = number_of(a->values[0]);
  const double result =
      two ? functions[i].of_two(x, number_of(a->values[1])) : functions[i].of_one(x);
  int64_t bits;
  memcpy(&bits, &result, sizeof bits);
  return machine_number(t, a, bits);
}

builtin numeric_find(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (is_named(name, functions[i].name)) return compute;
  return NULL;
}
