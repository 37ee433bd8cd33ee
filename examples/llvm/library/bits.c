/* What instructions and intrinsics become that are no instruction of the compact form
 * (../translate_wide.c, ../translate_intrinsic.c). None of it branches on its arguments where that
 * can be avoided, so that inputs stay in terms. */
#include "library.h"

uint64_t __unfold_ctpop(uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return x * 0x0101010101010101 >> 56;
}

/* Of a number of so many bits that stands in 64. */
uint64_t __unfold_ctlz(uint64_t x, uint64_t width) {
  for (int by = 1; by < 64; by *= 2)
    x |= x >> by;
  return width - __unfold_ctpop(x);
}

uint64_t __unfold_cttz(uint64_t x, uint64_t width) {
  const uint64_t count = __unfold_ctpop(~x & (x - 1));
  return x == 0 ? width : count;
}

uint64_t __unfold_bswap(uint64_t x, uint64_t width) {
  x = (x & 0x00ff00ff00ff00ff) << 8 | (x >> 8 & 0x00ff00ff00ff00ff);
  x = (x & 0x0000ffff0000ffff) << 16 | (x >> 16 & 0x0000ffff0000ffff);
  x = x << 32 | x >> 32;
  return x >> (64 - width);
}

uint64_t __unfold_bitreverse(uint64_t x, uint64_t width) {
  x = (x & 0x5555555555555555) << 1 | (x >> 1 & 0x5555555555555555);
  x = (x & 0x3333333333333333) << 2 | (x >> 2 & 0x3333333333333333);
  x = (x & 0x0f0f0f0f0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0f);
  return __unfold_bswap(x, 64) >> (64 - width);
}

uint64_t __unfold_fshl(uint64_t a, uint64_t b, uint64_t by, uint64_t width) {
  by %= width;
  if (by == 0) return a;
  return a << by | b >> (width - by);
}

uint64_t __unfold_fshr(uint64_t a, uint64_t b, uint64_t by, uint64_t width) {
  by %= width;
  if (by == 0) return b;
  return a << (width - by) | b >> by;
}

/* ---- sums that stop at the ends; numbers without sign stand in 64 bits with zeros ---- */

static uint64_t largest(uint64_t width) {
  return ~UINT64_C(0) >> (64 - width);
}

uint64_t __unfold_uadd_sat(uint64_t a, uint64_t b, uint64_t width) {
  const uint64_t sum = a + b;
  return sum < a || sum > largest(width) ? largest(width) : sum;
}

uint64_t __unfold_usub_sat(uint64_t a, uint64_t b, uint64_t width) {
  (void)width;
  return a < b ? 0 : a - b;
}

static int64_t limit(int64_t x, int overflows, int negative, uint64_t width) {
  const int64_t high = (int64_t)(largest(width) >> 1);
  if (overflows) return negative ? -high - 1 : high;
  return x > high ? high : x < -high - 1 ? -high - 1 : x;
}

int64_t __unfold_sadd_sat(int64_t a, int64_t b, uint64_t width) {
  const int64_t sum = (int64_t)((uint64_t)a + (uint64_t)b);
  return limit(sum, ((a ^ sum) & (b ^ sum)) < 0, a < 0, width);
}

int64_t __unfold_ssub_sat(int64_t a, int64_t b, uint64_t width) {
  const int64_t rest = (int64_t)((uint64_t)a - (uint64_t)b);
  return limit(rest, ((a ^ b) & (a ^ rest)) < 0, a < 0, width);
}

/* ---- numbers of 128 bits ---- */

struct wide __unfold_add128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const uint64_t low = a + c;
  return (struct wide){low, b + d + (low < a)};
}

struct wide __unfold_sub128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  return (struct wide){a - c, b - d - (a < c)};
}

static struct wide product(uint64_t a, uint64_t b) {
  const uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
  const uint64_t first = al * bl, second = ah * bl + (first >> 32);
  const uint64_t third = al * bh + (second & 0xffffffff);
  return (struct wide){third << 32 | (first & 0xffffffff),
                       ah * bh + (second >> 32) + (third >> 32)};
}

struct wide __unfold_mul128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  struct wide low = product(a, c);
  low.high += a * d + b * c;
  return low;
}

/* The product of numbers of a width without sign, and whether it is one. */
struct wide __unfold_umul_overflow(uint64_t a, uint64_t b, uint64_t width) {
  const struct wide all = product(a, b);
  return (struct wide){all.low, (all.high != 0) | (all.low > largest(width))};
}

static struct wide shift_left(struct wide x, uint64_t by) {
  if (by == 0) return x;
  if (by >= 64) return (struct wide){0, x.low << (by - 64)};
  return (struct wide){x.low << by, x.high << by | x.low >> (64 - by)};
}

static struct wide shift_right(struct wide x, uint64_t by, uint64_t in) {
  if (by == 0) return x;
  if (by == 64) return (struct wide){x.high, in};
  if (by > 64) return (struct wide){x.high >> (by - 64) | in << (128 - by), in};
  return (struct wide){x.low >> by | x.high << (64 - by), x.high >> by | in << (64 - by)};
}

static void check_shift(uint64_t c, uint64_t d) {
  if (d != 0 || c >= 128) __unfold_wrong("a shift by less than 0, or by as many bits as there are");
}

struct wide __unfold_shl128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  check_shift(c, d);
  return shift_left((struct wide){a, b}, c);
}

struct wide __unfold_lshr128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  check_shift(c, d);
  return shift_right((struct wide){a, b}, c, 0);
}

struct wide __unfold_ashr128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  check_shift(c, d);
  return shift_right((struct wide){a, b}, c, (uint64_t)((int64_t)b >> 63));
}

static int below(struct wide a, struct wide b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* Bit by bit, from the highest on. */
static struct wide divide(struct wide a, struct wide b, struct wide *rest) {
  struct wide quotient = {0, 0}, left = {0, 0};
  if ((b.low | b.high) == 0) __unfold_wrong("division by zero");
  if ((a.high | b.high) == 0) {
    *rest = (struct wide){a.low % b.low, 0};
    return (struct wide){a.low / b.low, 0};
  }
  for (int i = 127; i >= 0; i--) {
    left = shift_left(left, 1);
    left.low |= shift_right(a, (uint64_t)i, 0).low & 1;
    quotient = shift_left(quotient, 1);
    if (below(left, b)) continue;
    left = __unfold_sub128(left.low, left.high, b.low, b.high);
    quotient.low |= 1;
  }
  *rest = left;
  return quotient;
}

struct wide __unfold_udiv128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  struct wide rest;
  return divide((struct wide){a, b}, (struct wide){c, d}, &rest);
}

struct wide __unfold_urem128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  struct wide rest;
  divide((struct wide){a, b}, (struct wide){c, d}, &rest);
  return rest;
}

static struct wide negate_if(struct wide x, int negative) {
  return negative ? __unfold_sub128(0, 0, x.low, x.high) : x;
}

struct wide __unfold_sdiv128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const int one = (int64_t)b < 0, other = (int64_t)d < 0;
  if (b == UINT64_C(1) << 63 && a == 0 && (c & d) == ~UINT64_C(0))
    __unfold_wrong("a quotient that overflows");
  struct wide rest;
  return negate_if(
      divide(negate_if((struct wide){a, b}, one), negate_if((struct wide){c, d}, other), &rest),
      one != other);
}

struct wide __unfold_srem128(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const int one = (int64_t)b < 0;
  struct wide rest;
  divide(negate_if((struct wide){a, b}, one), negate_if((struct wide){c, d}, (int64_t)d < 0),
         &rest);
  return negate_if(rest, one);
}
