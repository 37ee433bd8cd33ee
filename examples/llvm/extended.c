/* Extended floating point numbers are computed with those of the machine, so that results are the
 * ones that a program gets there. */
#include "extended.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "arith.h"

enum { DIGITS = 64, DIGIT_BYTES = 8, OTHER_BYTES = 2 };

bool extended_is_known(void) {
  return LDBL_MANT_DIG == DIGITS && sizeof(long double) >= DIGIT_BYTES + OTHER_BYTES;
}

long double extended_number(const int64_t parts[2]) {
  const int16_t other = (int16_t)parts[1];
  union {
    long double number;
    char bytes[sizeof(long double) + DIGIT_BYTES + OTHER_BYTES];
  } all = {.number = 0};
  memcpy(all.bytes, &parts[0], DIGIT_BYTES);
  memcpy(all.bytes + DIGIT_BYTES, &other, OTHER_BYTES);
  return all.number;
}

void extended_parts(long double number, int64_t parts[2]) {
  int16_t other;
  union {
    long double number;
    char bytes[sizeof(long double) + DIGIT_BYTES + OTHER_BYTES];
  } all = {.number = number};
  memcpy(&parts[0], all.bytes, DIGIT_BYTES);
  memcpy(&other, all.bytes + DIGIT_BYTES, OTHER_BYTES);
  parts[1] = other;
}

static long double computed(enum instruction_kind kind, long double x, long double y) {
  switch (kind) {
  case CODE_EXTENDED_ADD:
    return x + y;
  case CODE_EXTENDED_SUBTRACT:
    return x - y;
  case CODE_EXTENDED_MULTIPLY:
    return x * y;
  case CODE_EXTENDED_DIVIDE:
    return x / y;
  case CODE_EXTENDED_REMAINDER:
    return fmodl(x, y);
  default:
    return -x;
  }
}

/* What does not fit is some number, as in C it has no meaning. */
static int64_t to_integer(long double x, bool is_signed) {
  const long double limit = 9223372036854775808.0L;
  if (x != x) return 0;
  if (!is_signed && x >= limit && x < 2 * limit) return (int64_t)(uint64_t)x;
  return x >= -limit && x < limit ? (int64_t)x : INT64_MIN;
}

static bool compare(long double x, long double y, uint32_t set) {
  const unsigned is = x < y ? 1 : x == y ? 2 : x > y ? 4 : 8;
  return (set & is) != 0;
}

void extended_compute(enum instruction_kind kind, unsigned width, uint32_t set,
                      const int64_t *values, int64_t *results) {
  const uint64_t without_sign =
      width == 64 ? (uint64_t)values[0] : (uint64_t)values[0] & ((UINT64_C(1) << width) - 1);
  switch (kind) {
  case CODE_EXTENDED_COMPARE:
    results[0] = compare(extended_number(values), extended_number(values + 2), set);
    break;
  case CODE_EXTENDED_TO_SIGNED:
  case CODE_EXTENDED_TO_UNSIGNED:
    results[0] = to_integer(extended_number(values), kind == CODE_EXTENDED_TO_SIGNED);
    break;
  case CODE_EXTENDED_TO_FLOAT:
    results[0] = arith_of_double(width, width == 32 ? (double)(float)extended_number(values)
                                                    : (double)extended_number(values));
    break;
  case CODE_SIGNED_TO_EXTENDED:
    extended_parts((long double)(width == 1 ? -values[0] : values[0]), results);
    break;
  case CODE_UNSIGNED_TO_EXTENDED:
    extended_parts((long double)without_sign, results);
    break;
  case CODE_FLOAT_TO_EXTENDED:
    extended_parts(arith_to_double(width, values[0]), results);
    break;
  case CODE_EXTENDED_NEGATE:
    extended_parts(-extended_number(values), results);
    break;
  default:
    extended_parts(computed(kind, extended_number(values), extended_number(values + 2)), results);
    break;
  }
}
