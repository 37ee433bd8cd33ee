/* Floating point numbers, above all long double, without inputs: the same numbers come out in
 * unfold-sym and on the machine (same.py). */
#define _GNU_SOURCE
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void unfold_show(const char *name, long long number);
#define SHOW(x) unfold_show(#x, (long long)(x))

static unsigned long long mix(unsigned long long all, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    all = (all ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
  return all;
}

/* All ten bytes of one; which sign and digits a NaN has is not C's to say. */
static void show(const char *name, long double x) {
  uint64_t digits;
  uint16_t other;
  if (x != x) {
    unfold_show(name, -1);
    return;
  }
  memcpy(&digits, &x, sizeof digits);
  memcpy(&other, (char *)&x + sizeof digits, sizeof other);
  unfold_show(name, (long long)digits);
  unfold_show(name, other);
}
#define SHOW_LONG(x) show(#x, (x))

static volatile long double third = 1.0L / 3, big = 1e4000L, tiny = 1e-4940L, minus = -7.5L;
static volatile double plain = 0.1;
static volatile float narrow = 0.1f;
static volatile long long number = 0x123456789abcdef;
static const long double table[] = {0.1L, LDBL_MAX, -LDBL_MIN, 0x1.fffffffffffffffep+63L, 0};

static void arithmetic(void) {
  long double zero = 0, x = third;
  SHOW_LONG(x + minus);
  SHOW_LONG(x - big);
  SHOW_LONG(x * tiny);
  SHOW_LONG(minus / x);
  SHOW_LONG(-x);
  SHOW_LONG(big * big);
  SHOW_LONG(tiny * tiny);
  SHOW_LONG(1 / (zero * minus));
  SHOW_LONG(fmodl(minus, x));
  for (int i = 0; i < 5; i++)
    SHOW_LONG(table[i] * third);
  SHOW((x < minus) + 2 * (x <= third) + 4 * (x == third) + 8 * (x != third) + 16 * (big > x));
  zero /= zero;
  SHOW((zero < x) + 2 * (zero == zero) + 4 * (zero != zero) + 8 * !(zero >= x));
  SHOW(isless(zero, x) + 2 * isunordered(zero, x) + 4 * islessgreater(minus, x));
}

static void conversions(void) {
  SHOW_LONG(plain);
  SHOW_LONG(narrow);
  SHOW_LONG((double)third);
  SHOW_LONG((float)third);
  SHOW_LONG((float)(third * 1e-44L));
  SHOW_LONG((double)big);
  SHOW_LONG(number);
  SHOW_LONG((unsigned long long)-number);
  SHOW_LONG((unsigned char)number);
  SHOW_LONG((signed char)number - 200);
  SHOW((int)minus);
  SHOW((signed char)minus);
  SHOW((long long)(minus * 1e17L));
  SHOW((unsigned long long)(1.9e19L * third * 2.9L));
  SHOW((unsigned char)(third * 600));
  SHOW((_Bool)third + 2 * (_Bool)(third - third));
  __int128 wide = (__int128)(minus * 1e30L);
  SHOW(wide >> 64);
  SHOW(wide);
  SHOW((unsigned __int128)1e38L >> 70);
  SHOW((unsigned __int128)(plain * 1e31) >> 37);
  wide = ((__int128)number << 57) + number;
  SHOW_LONG(wide);
  SHOW_LONG(-wide);
  SHOW_LONG((double)wide);
  SHOW_LONG((float)-wide);
  SHOW_LONG((double)((unsigned __int128)-1 - (number << 60)));
  /* halfway between two, and one more */
  const unsigned __int128 middle = (unsigned __int128)(number | 1) << 80 & (unsigned __int128)1
                                                                               << 80;
  SHOW_LONG((double)((middle << 47) + (middle >> 6)) + (float)((middle << 47) + (middle << 23)));
  SHOW_LONG((double)((middle << 47) + (middle >> 6) + 1));
  SHOW_LONG((float)((middle << 47) + (middle << 23) + 1));
}

/* ---- bits and memory ---- */

union bits {
  long double number;
  struct {
    uint64_t digits;
    uint16_t other;
  };
  unsigned char bytes[16];
};

struct holder {
  char before;
  long double number;
  int behind;
};

struct one {
  long double number;
};

static struct one negated(struct one x) {
  return (struct one){-x.number};
}

static struct holder moved(struct holder h, int by) {
  h.number *= by;
  h.behind -= by;
  return h;
}

static long double of_many(int a, long double b, double c, long double d, char e) {
  return a + b * c - d / e;
}

static void memory(void) {
  union bits bits = {.number = third};
  SHOW(bits.digits);
  SHOW(bits.other + 100000 * bits.bytes[7]);
  bits.other ^= 0x8001;
  SHOW_LONG(bits.number);
  long double items[4] = {1, third, minus}, copy[4];
  memcpy(copy, items, sizeof copy);
  copy[3] += copy[1];
  for (int i = 0; i < 4; i++)
    SHOW_LONG(copy[i]);
  struct holder h = moved((struct holder){'x', third, 50}, 3);
  SHOW_LONG(h.number);
  SHOW(h.before + h.behind);
  SHOW_LONG(negated((struct one){minus}).number);
  SHOW_LONG(of_many(1, third, plain, big, 'c'));
  long double *given = malloc(sizeof *given);
  *given = minus;
  SHOW_LONG(number > 0 ? *given : third);
  free(given);
  long double (*function)(long double) = third > 0 ? fabsl : sqrtl;
  SHOW_LONG(function(minus));
  complex long double z = third + minus * I;
  z = z * z - (2 + I);
  SHOW_LONG(creall(z));
  SHOW_LONG(cimagl(z));
}

static void classes(void) {
  const long double zero = third - third;
  const long double all[] = {third, -third, zero, -zero, tiny / 1e5L, 1 / zero, -1 / zero};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const long double x = all[i];
    const double d = (double)x * (x * 1e300L < 1 && x > 0 ? 1e-310 : 1);
    const float f = (float)d;
    SHOW(signbit(x) != 0);
    SHOW(isnan(x) + 2 * (isinf(x) != 0) + 4 * isfinite(x) + 8 * isnormal(x) + 16 * fpclassify(x));
    SHOW(isnan(d) + 2 * (isinf(d) != 0) + 4 * isfinite(d) + 8 * isnormal(d) + 16 * fpclassify(d));
    SHOW(isnan(f) + 2 * (isinf(f) != 0) + 4 * isfinite(f) + 8 * isnormal(f) + 16 * fpclassify(f));
    SHOW(__builtin_issubnormal(x) + 2 * __builtin_iszero(d) + 4 * __builtin_isinf_sign(x));
  }
  SHOW(isnan(zero / zero) + 2 * __builtin_issignaling(zero / zero));
  union bits bits = {.number = third};
  bits.digits &= INT64_MAX; /* no number of the machine any more */
  SHOW(isnan(bits.number) + 2 * isfinite(bits.number) + 4 * isnormal(bits.number));
}

/* ---- variable arguments ---- */

struct pair {
  int a;
  double b;
};
struct point {
  float x, y;
};
struct three {
  char a, b, c;
};
struct large {
  long items[4];
  char last;
};

static void several(const char *types, ...) {
  va_list list, copy;
  va_start(list, types);
  va_copy(copy, list);
  for (; *types != '\0'; types++)
    switch (*types) {
    case 'L':
      SHOW_LONG(va_arg(list, long double));
      break;
    case 'i':
      SHOW(va_arg(list, int));
      break;
    case 'd':
      SHOW_LONG(va_arg(list, double));
      break;
    case 'w':
      SHOW(va_arg(list, __int128) >> 3);
      break;
    case 'p': {
      const struct pair p = va_arg(list, struct pair);
      SHOW_LONG(p.a + p.b);
      break;
    }
    case 'f': {
      const struct point p = va_arg(list, struct point);
      SHOW_LONG(p.x + 10 * p.y);
      break;
    }
    case '3': {
      const struct three t = va_arg(list, struct three);
      SHOW(t.a + 100 * t.b + 10000 * t.c);
      break;
    }
    case 'b': {
      const struct large l = va_arg(list, struct large);
      SHOW(l.items[0] + 10 * l.items[3] + 100 * l.last);
      break;
    }
    default: {
      const struct holder h = va_arg(list, struct holder);
      SHOW_LONG(h.number + h.behind + h.before);
      break;
    }
    }
  SHOW(va_arg(copy, int));
  va_end(copy);
  va_end(list);
}

static void arguments(void) {
  struct large l = {{1, 2, 3, 4}, 5};
  struct three t = {1, 2, 3};
  struct holder h = {'a', third, 7};
  several("iLiLLd", 1, third, 2, minus, big, plain);
  several("ibihb", 1, l, 2, h, l);
  several("ihwiwdw", 1, h, (__int128)99, 3, (__int128)77 << 40, plain, (__int128)-5);
  several("ipfp3i", 1, (struct pair){3, plain}, (struct point){narrow, 2}, (struct pair){4, 5}, t,
          6);
}

/* ---- texts ---- */

static void show_text(const char *name, int count, const char *text) {
  unfold_show(name, count);
  unfold_show(name, (long long)mix(1469598103934665603u, text, strlen(text)));
}

static void texts(void) {
  static char text[6000];
  char *end;
#define SHOW_FORMAT(...) show_text(#__VA_ARGS__, snprintf(text, sizeof text, __VA_ARGS__), text)
  SHOW_FORMAT("%Lf %Le %Lg %La", third, third, third, third);
  SHOW_FORMAT("%d %20.12Lf|%-20.3Le|%+Lg|%#.0Lf %s", 5, minus, minus, minus, minus, "x");
  SHOW_FORMAT("%LF %LG %LA %LE", big * 1e900L, -big, tiny, 1 / (third - third));
  SHOW_FORMAT("%.30Lf %c %d %Lf %f", third, 'x', 7, minus, plain);
  SHOW_FORMAT("%Lf", LDBL_MAX);
  SHOW_LONG(strtold("  -1.25e-300xyz", &end));
  SHOW(*end);
  SHOW_LONG(strtold("0x1.8p3", NULL));
  SHOW_LONG(strtold("1e5000", NULL));
  SHOW_LONG(strtold("nonsense", &end));
  SHOW(*end);
  SHOW_LONG(strtof("1.00000017881393432617187499999999999", NULL)); /* rounded once */
  long double read = 0;
  double other = 0;
  int n = 0;
  SHOW(sscanf("3.25 -1e100 12.5e-3", "%Lf %lf %*Lg%n", &read, &other, &n));
  SHOW_LONG(read + other);
  SHOW(n);
}

/* ---- <math.h> ---- */

#define OF_ONE(name)                                                                               \
  SHOW_LONG(name##l(third));                                                                       \
  SHOW_LONG(name##l(minus * 1.3L));                                                                \
  SHOW_LONG(name(plain));                                                                          \
  SHOW_LONG(name##f(narrow * 7));
#define OF_TWO(name)                                                                               \
  SHOW_LONG(name##l(third, minus));                                                                \
  SHOW_LONG(name(plain, 2.5));                                                                     \
  SHOW_LONG(name##f(narrow, narrow * 3));

static void mathematics(void) {
  OF_ONE(sqrt)
  OF_ONE(cbrt)
  OF_ONE(floor) OF_ONE(ceil) OF_ONE(trunc) OF_ONE(round) OF_ONE(rint) OF_ONE(nearbyint) OF_ONE(fabs)
      OF_ONE(sin) OF_ONE(cos) OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) OF_ONE(atan) OF_ONE(sinh)
          OF_ONE(cosh) OF_ONE(tanh) OF_ONE(asinh) OF_ONE(acosh) OF_ONE(atanh) OF_ONE(exp)
              OF_ONE(exp2) OF_ONE(expm1) OF_ONE(log) OF_ONE(log2) OF_ONE(log10) OF_ONE(log1p)
                  OF_ONE(logb) OF_ONE(erf) OF_ONE(erfc) OF_ONE(tgamma) OF_ONE(lgamma) OF_ONE(lrint)
                      OF_ONE(llrint) OF_ONE(lround) OF_ONE(llround) OF_ONE(ilogb) OF_TWO(pow)
                          OF_TWO(fmod) OF_TWO(remainder) OF_TWO(atan2) OF_TWO(hypot) OF_TWO(fmin)
                              OF_TWO(fmax) OF_TWO(fdim) OF_TWO(copysign) OF_TWO(nextafter)
                                  SHOW_LONG(fmal(third, minus, 1.0L) + fma(plain, plain, 1) +
                                            fmaf(narrow, narrow, 1));
  SHOW_LONG(ldexpl(third, -3) + ldexp(plain, 5) + scalbnf(narrow, 2) + scalblnl(minus, 3));
  int exponent = 0;
  long double whole;
  double plain_whole;
  float narrow_whole;
  SHOW_LONG(frexpl(minus, &exponent));
  SHOW(exponent);
  SHOW_LONG(frexp(plain, &exponent) + frexpf(narrow, &exponent));
  SHOW_LONG(modfl(minus, &whole) + whole * 100);
  SHOW_LONG(modf(-plain * 55, &plain_whole) + plain_whole * 100);
  SHOW_LONG(modff(narrow * 55, &narrow_whole) + narrow_whole * 100);
  SHOW_LONG(modfl(-1 / (third - third), &whole));
}

/* ---- expressions at random ---- */

static uint64_t state = 1;

static uint64_t draw(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 20;
}

static long double drawn(void) {
  union bits bits = {.number = 0};
  switch (draw() % 6) {
  case 0:
    return (long double)(int64_t)(draw() << 24) / (long double)(draw() % 1000 + 1);
  case 1:
    return (double)draw() / 3;
  case 2:
    return (float)(int)draw();
  case 3:
    bits.digits = draw() << 30 | UINT64_C(1) << 63;
    bits.other = (uint16_t)(draw() % 0x7fff + 1 + (draw() % 2 << 15));
    return bits.number;
  case 4:
    bits.digits = draw() & INT64_MAX; /* below the normal ones */
    return bits.number;
  default:
    return table[draw() % 5];
  }
}

static void at_random(void) {
  unsigned long long all = 0;
  for (int i = 0; i < 3000; i++) {
    long double x = drawn(), y = drawn();
    int64_t number = 0;
    switch (draw() % 13) {
    case 0:
      x += y;
      break;
    case 1:
      x -= y;
      break;
    case 2:
      x *= y;
      break;
    case 3:
      x /= y;
      break;
    case 4:
      x = (double)x;
      break;
    case 5:
      x = (float)y;
      break;
    case 6:
      number = fabsl(x) < 0x1p63L ? (int64_t)x : 1;
      break;
    case 7:
      number = fabsl(x) < 0x1p31L ? (int)x : 2;
      break;
    case 8:
      number = x >= 0 && x < 0x1p64L ? (int64_t)(uint64_t)x : 3;
      break;
    case 9:
      number = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x > y) + 16 * !(x >= y) + 32 * (x != y);
      break;
    case 10:
      x = fmodl(x, y);
      break;
    case 11:
      number = fabsl(x) < 0x1p127L ? (int64_t)((__int128)x >> 31) : 4;
      break;
    default:
      x = -x + 1;
      break;
    }
    if (x == x) all = mix(all, &x, 10);
    all = mix(all, &number, sizeof number);
    if (i % 300 == 299) SHOW(all);
  }
}

int main(void) {
  arithmetic();
  conversions();
  memory();
  classes();
  arguments();
  texts();
  mathematics();
  at_random();
  return 0;
}
