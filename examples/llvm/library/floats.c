/* What instructions and intrinsics on floating point numbers become that are no instruction of the
 * compact form (../translate_extended.c, ../translate_intrinsic.c), and functions of <math.h> that
 * write to where an argument points. */
#include "library.h"

#include <math.h>

/* ---- classes, as the bits of LLVM's llvm.is.fpclass ---- */

enum class {
  SIGNALLING = 1,
  QUIET = 2,
  INFINITE = 4, /* these with a minus, and from the other end on without */
  NORMAL = 8,
  SUBNORMAL = 16,
  ZERO = 32,
  LAST = 0x200
};

static uint64_t with_sign(enum class is, bool negative) {
  enum { FROM_INFINITE = LAST / INFINITE };
  if (negative) return is;
  uint64_t other = FROM_INFINITE; /* of what is infinite, and half of that for each one behind */
  for (unsigned at = INFINITE; at < is; at *= 2)
    other /= 2;
  return other * INFINITE;
}

uint64_t __unfold_class(uint64_t bits, uint64_t width, uint64_t classes) {
  const unsigned digits = width == 32 ? 23 : 52;
  const uint64_t ones = width == 32 ? 0xff : 0x7ff;
  const uint64_t exponent = bits >> digits & ones, fraction = bits & ((UINT64_C(1) << digits) - 1);
  const bool negative = bits >> (width - 1) != 0, quiet = fraction >> (digits - 1) != 0;
  if (exponent == ones && fraction != 0) return (classes & (quiet ? QUIET : SIGNALLING)) != 0;
  const enum class is = exponent == ones ? INFINITE
                        : exponent != 0  ? NORMAL
                        : fraction != 0  ? SUBNORMAL
                                         : ZERO;
  return (classes & with_sign(is, negative)) != 0;
}

/* Digits with an exponent and without their first one are no number to the machine. */
uint64_t __unfold_class_of_extended(uint64_t digits, uint64_t other, uint64_t classes) {
  enum { ONES = 0x7fff };
  const uint64_t exponent = other & ONES, fraction = digits << 1;
  const bool negative = (other >> 15 & 1) != 0, first = digits >> 63 != 0;
  if (exponent != 0 && !first) return (classes & SIGNALLING) != 0;
  if (exponent == ONES && fraction != 0)
    return (classes & (fraction >> 63 != 0 ? QUIET : SIGNALLING)) != 0;
  const enum class is = exponent == ONES ? INFINITE
                        : exponent != 0  ? NORMAL
                        : digits != 0    ? SUBNORMAL
                                         : ZERO;
  return (classes & with_sign(is, negative)) != 0;
}

/* ---- integers of 128 bits ---- */

static const long double two_to_64 = 18446744073709551616.0L;

static struct wide negative_of(struct wide x) {
  return (struct wide){-x.low, ~x.high + (x.low == 0)};
}

struct wide __unfold_extended_to_unsigned128(long double x) {
  const uint64_t high = (uint64_t)(x / two_to_64);
  return (struct wide){(uint64_t)(x - (long double)high * two_to_64), high};
}

struct wide __unfold_extended_to_signed128(long double x) {
  const struct wide size = __unfold_extended_to_unsigned128(x < 0 ? -x : x);
  return x < 0 ? negative_of(size) : size;
}

long double __unfold_unsigned128_to_extended(uint64_t low, uint64_t high) {
  return (long double)high * two_to_64 + (long double)low;
}

/* The first 64 bits, of which the last says whether one behind is set, too: so it is rounded once.
 */
static uint64_t first_bits(struct wide x, double *scale) {
  bool behind = false;
  for (*scale = 1; x.high != 0; *scale *= 2) {
    behind |= (x.low & 1) != 0;
    x.low = x.low >> 1 | x.high << 63;
    x.high >>= 1;
  }
  return x.low | behind;
}

double __unfold_unsigned128_to_double(uint64_t low, uint64_t high) {
  double scale;
  const uint64_t bits = first_bits((struct wide){low, high}, &scale);
  return (double)bits * scale;
}

float __unfold_unsigned128_to_float(uint64_t low, uint64_t high) {
  double scale;
  const uint64_t bits = first_bits((struct wide){low, high}, &scale);
  return (float)((double)(float)bits * scale);
}

static struct wide size_of(uint64_t low, uint64_t high) {
  const struct wide x = {low, high};
  return (int64_t)high < 0 ? negative_of(x) : x;
}

long double __unfold_signed128_to_extended(uint64_t low, uint64_t high) {
  const struct wide size = size_of(low, high);
  const long double x = __unfold_unsigned128_to_extended(size.low, size.high);
  return (int64_t)high < 0 ? -x : x;
}

double __unfold_signed128_to_double(uint64_t low, uint64_t high) {
  const struct wide size = size_of(low, high);
  const double x = __unfold_unsigned128_to_double(size.low, size.high);
  return (int64_t)high < 0 ? -x : x;
}

float __unfold_signed128_to_float(uint64_t low, uint64_t high) {
  const struct wide size = size_of(low, high);
  const float x = __unfold_unsigned128_to_float(size.low, size.high);
  return (int64_t)high < 0 ? -x : x;
}

/* ---- <math.h> ---- */

double frexp(double x, int *exponent) {
  *exponent = __unfold_exponent(x);
  return __unfold_fraction(x);
}
float frexpf(float x, int *exponent) {
  *exponent = __unfold_exponentf(x);
  return __unfold_fractionf(x);
}
long double frexpl(long double x, int *exponent) {
  *exponent = __unfold_exponentl(x);
  return __unfold_fractionl(x);
}

double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(isinf(x) ? 0 : x - *whole, x);
}
float modff(float x, float *whole) {
  *whole = truncf(x);
  return copysignf(isinf(x) ? 0 : x - *whole, x);
}
long double modfl(long double x, long double *whole) {
  *whole = truncl(x);
  return copysignl(isinf(x) ? 0 : x - *whole, x);
}
