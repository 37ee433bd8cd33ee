/* What C means, without inputs: the same text comes out in the interpreter and on the machine. Each
 * line of output is a name and a number. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>

extern void unfold_show(const char *name, long long number);
#define SHOW(x) unfold_show(#x, (long long)(x))

static volatile long long seven = 7, minus = -5, large = 0x123456789abcdef0;
static volatile unsigned char byte = 0xa5;
static volatile int shift_by = 13;

/* ---- integers ---- */

static void narrow(void) {
  unsigned char c = byte;
  signed char s = (signed char)byte;
  short h = (short)(large >> 3);
  unsigned u = (unsigned)large;
  SHOW(c + 1);
  SHOW(s - 1);
  SHOW((unsigned char)(c << 3));
  SHOW((short)(h * h));
  SHOW(u / 7 + u % 1000);
  SHOW((int)u / -3 + (int)u % 1000);
  SHOW(u >> shift_by);
  SHOW((int)u >> shift_by);
  SHOW((uint64_t)large / 0x12345 + (uint64_t)minus % 97);
  SHOW((uint64_t)minus / 3);
  SHOW(minus / 2 * 10 + minus % 3);
  SHOW((u < 5u) + 2 * ((int)u < 5) + 4 * (minus < seven) + 8 * ((uint64_t)minus < (uint64_t)seven));
}

static void intrinsics(void) {
  unsigned u = (unsigned)large;
  uint64_t x = (uint64_t)large;
  long long sum;
  unsigned product;
  SHOW(__builtin_popcount(u) + 100 * __builtin_popcountll(x));
  SHOW(__builtin_clz(u) + 100 * __builtin_clzll(x) + 10000 * __builtin_ctz(u) +
       1000000 * __builtin_ctzll(x << 9));
  SHOW(__builtin_bswap16((uint16_t)u));
  SHOW(__builtin_bswap32(u));
  SHOW(__builtin_bswap64(x));
  SHOW(__builtin_bitreverse32(u));
  SHOW(__builtin_bitreverse8(byte));
  SHOW(__builtin_rotateleft32(u, 5) ^ __builtin_rotateright32(u, 11));
  SHOW(__builtin_rotateleft64(x, (unsigned)shift_by));
  SHOW(__builtin_rotateleft8(byte, 3));
  SHOW(__builtin_add_overflow(large, large << 1, &sum));
  SHOW(sum);
  SHOW(__builtin_mul_overflow(u, (unsigned)seven, &product));
  SHOW(product);
  SHOW(__builtin_umulll_overflow(x, x, (unsigned long long *)&sum));
  SHOW(sum);
  SHOW(__builtin_sub_overflow((unsigned)seven, u, &product));
  SHOW(__builtin_abs((int)minus) + __builtin_llabs(minus) + __builtin_ffs((int)u));
  SHOW(__builtin_parity(u) + __builtin_expect(u != 0, 1));
  SHOW(__builtin_elementwise_max((int)u, 12) + __builtin_elementwise_min(u, 12u));
  SHOW(__builtin_elementwise_add_sat((signed char)byte, (signed char)-100));
}

/* ---- 128 bits ---- */

typedef __int128 wide;
typedef unsigned __int128 uwide;

static void show_wide(const char *name, wide x) {
  unfold_show(name, (long long)x);
  unfold_show(name, (long long)(x >> 64));
}

static uwide constant = (uwide)0x0123456789abcdef << 64 | 0xfedcba9876543210;

static void wides(void) {
  wide a = (wide)large * seven * large, b = (wide)minus << 70;
  show_wide("a", a);
  show_wide("a+b", a + b);
  show_wide("a-b", a - b);
  show_wide("a*b", a * b);
  show_wide("a/7", a / seven);
  show_wide("a%b", a % (b >> 65));
  show_wide("b/a", b / (a >> 60));
  show_wide("u", (uwide)b / 1000003 + (uwide)b % 1000003);
  show_wide("shift", (a >> shift_by) ^ (a << (shift_by + 64)) ^ (wide)((uwide)b >> shift_by));
  show_wide("bits", (a & b) | (~a ^ b));
  show_wide("constant", (wide)constant);
  SHOW((a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * ((uwide)a < (uwide)b) + 16 * (a != b));
  SHOW((long long)(int)a + (unsigned char)b);
  show_wide("select", seven > 3 ? a : b);
}

/* ---- vectors ---- */

typedef int four __attribute__((vector_size(16)));
typedef unsigned char bytes16 __attribute__((vector_size(16)));
typedef double two __attribute__((vector_size(16)));

static void vectors(void) {
  four a = {1, 2, 3, (int)seven}, b = {(int)minus, 20, 30, 40}, c;
  bytes16 d;
  two e = {1.5, (double)seven};
  int shuffled[4], index = (int)(seven & 3);
  c = a + b * a - (b >> 1);
  SHOW(c[0] + c[1] * 3 + c[2] * 5 + c[3] * 7);
  c = a > b;
  SHOW(c[0] + 10 * c[1]);
  memcpy(&d, &b, sizeof d);
  d += 250;
  SHOW(d[0] + d[5] * 256 + d[index] * 65536);
  c[index] = 77;
  SHOW(c[3]);
  c = __builtin_shufflevector(a, b, 0, 4, 3, 7);
  memcpy(shuffled, &c, sizeof shuffled);
  SHOW(shuffled[0] + shuffled[1] * 3 + shuffled[2] * 5 + shuffled[3] * 7);
  e = e * e + e;
  SHOW(e[0] * 4);
  SHOW(e[1] * 4);
  c = __builtin_convertvector(__builtin_shufflevector(d, d, 0, 1, 2, 3), four);
  SHOW(c[0] + c[1] + c[2] + c[3]);
  int sum = 0, most = -1000;
  for (int i = 0; i < 100; i++)
    sum += (i * (int)seven) ^ i;
  for (int i = 0; i < 64; i++)
    if ((i * 37 % 64) * (int)seven > most) most = (i * 37 % 64) * (int)seven;
  SHOW(sum);
  SHOW(most);
}

/* ---- structures ---- */

struct fields {
  unsigned a : 3, b : 7;
  int c : 5;
  unsigned long d : 40;
};
struct small {
  char c;
  int i;
};
struct mixed {
  double d;
  int i;
};
struct large {
  long items[9];
};

static struct small make_small(char c, int i) {
  struct small s;
  s.c = c;
  s.i = i;
  return s;
}

static struct mixed make_mixed(struct small s) {
  return (struct mixed){s.c / 2.0, s.i};
}

static struct large make_large(struct large l, int by) {
  for (int i = 0; i < 9; i++)
    l.items[i] += by * i;
  return l;
}

static void structures(void) {
  struct fields f;
  f.a = 5;
  f.b = 100;
  f.c = -3;
  f.d = 0x1234567890;
  f.b++;
  SHOW(f.a + f.b * 10 + f.c * 10000);
  SHOW(f.d);
  struct mixed m = make_mixed(make_small('x', 40));
  SHOW(m.d * 2);
  SHOW(m.i);
  struct large l = {{1, 2, 3}};
  l = make_large(l, 3);
  SHOW(l.items[0] + l.items[8] * 100);
  union {
    float f;
    unsigned u;
  } pun = {1.25f};
  SHOW(pun.u);
}

/* ---- control ---- */

static int computed(int n) {
  static void *const labels[] = {&&one, &&two, &&three};
  int result = 0;
again:
  goto *labels[n % 3];
one:
  return result + 1;
two:
  result += 10;
  n += 2;
  goto again;
three:
  result += 100;
  n += 2;
  goto again;
}

static jmp_buf back;

static void deep(int n) {
  if (n == 0) longjmp(back, 42);
  deep(n - 1);
}

/* Nobody looks at what setjmp() comes to; the parameter stays. */
static int without_result(int n) {
  volatile int once = 0;
  setjmp(back);
  if (once++ == 0) longjmp(back, 3);
  return n * 10 + once;
}

static void control(void) {
  volatile int tries = 0;
  SHOW(computed(0) + computed(1) * 3 + computed(2) * 5);
  int r = setjmp(back);
  tries++;
  if (r == 0) deep(5);
  SHOW(r);
  SHOW(tries);
  SHOW(without_result((int)seven));
  int n = (int)seven;
  int array[n];
  for (int i = 0; i < n; i++)
    array[i] = i * i;
  SHOW(array[n - 1] + sizeof array);
  switch (large) {
  case 1 ... 5:
    SHOW(1);
    break;
  case 0x123456789abcdef0:
    SHOW(2);
    break;
  default:
    SHOW(3);
  }
}

static char room[64];
__attribute__((noinline)) static long twice(long x) {
  return 2 * x;
}

/* With -O1, a constant that is made of an address; neither place of it comes before the other. */
__attribute__((noinline)) static long distance(int which, const char *from) {
  switch (which) {
  case 1:
    return twice(from - room + seven) - 1;
  case 7:
    return twice(from - room + seven) + 1;
  default:
    return (unsigned short)(uintptr_t)room == (unsigned short)(uintptr_t)from;
  }
}

static void addresses(void) {
  SHOW(distance(1, room + 5));
  SHOW(distance((int)seven, room + 9));
  SHOW(distance(3, room) + 10 * distance(3, room + 1));
}

int main(void) {
  addresses();
  narrow();
  intrinsics();
  wides();
  vectors();
  structures();
  control();
  return 0;
}
