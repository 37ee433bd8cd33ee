/* Values out of texts (the scanf family), positions of streams, and wide characters: the same comes
 * out in unfold-sym and on the machine (same.py). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

extern void unfold_show(const char *name, long long number);
#define SHOW(x) unfold_show(#x, (long long)(x))

static long long hash(const char *text) {
  unsigned long long all = 1469598103934665603u;
  for (; *text != '\0'; text++)
    all = (all ^ (unsigned char)*text) * 1099511628211u;
  return (long long)all;
}

static int a, b, n;
static long l;
static short h;
static signed char c;
static unsigned u;
static char s[20], t[20];
static double d;
static float f;

/* The header's names may be those of C23. */
int sscanf_of_c99(const char *text, const char *format, ...) __asm__("__isoc99_sscanf");
int sscanf_of_c89(const char *text, const char *format, ...) __asm__("sscanf");

static void prefixes(void) {
  const char *texts[] = {"0b101x", "0B1", "0b", "0b2", "-0b11", "0x", "b1", "0x1f", "0x0b1"};
  const char *formats[] = {"%i%n", "%3i%n", "%2i%n", "%x%n", "%3x%n"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
    for (unsigned k = 0; k < sizeof formats / sizeof *formats; k++) {
      n = a = -7;
      SHOW(sscanf(texts[i], formats[k], &a, &n));
      SHOW(100 * a + n);
      SHOW(sscanf_of_c99(texts[i], formats[k], &a, &n));
      SHOW(100 * a + n);
      SHOW(sscanf_of_c89(texts[i], formats[k], &a, &n));
      SHOW(100 * a + n);
    }
#if __GLIBC_PREREQ(2, 38)
  SHOW(sscanf("0b101 11 0B2 -1", "%b %b %b%*b", &a, &b, &u));
  SHOW(100 * a + 10 * b + u);
#endif
}

static void integers(void) {
  void *p;
  SHOW(sscanf("12 -34x", "%d%d%c", &a, &b, t));
  SHOW(a);
  SHOW(b);
  SHOW(t[0]);
  SHOW(sscanf("0x1f 017 9", "%i %i %i", &a, &b, &n));
  SHOW(a);
  SHOW(b);
  SHOW(n);
  SHOW(sscanf("ff 0xAb 777", "%x %lx %ho", &u, &l, &h));
  SHOW(u);
  SHOW(l);
  SHOW(h);
  SHOW(sscanf("99999999999999999999 300 4294967297", "%ld %hhd %d", &l, &c, &a));
  SHOW(l);
  SHOW(c);
  SHOW(a);
  SHOW(sscanf("-99999999999999999999 -1", "%ld %u", &l, &u));
  SHOW(l);
  SHOW(u);
  SHOW(sscanf("", "%d", &a));
  SHOW(sscanf("   ", "%d", &a));
  SHOW(sscanf("x", "%d", &a));
  SHOW(sscanf("+", "%d", &a));
  SHOW(sscanf("-x", "%d", &a));
  SHOW(sscanf("0xg", "%i%n", &a, &n));
  SHOW(a);
  SHOW(n);
  SHOW(sscanf("0x", "%x%n", &u, &n));
  SHOW(n);
  SHOW(sscanf("10%", "%d%%%n", &a, &n));
  SHOW(n);
  SHOW(sscanf("10 $", "%d%%", &a));
  SHOW(sscanf("1,2", "%d,%d", &a, &b));
  SHOW(sscanf("1;2", "%d,%d", &a, &b));
  SHOW(sscanf("1", "%d,%d", &a, &b));
  SHOW(sscanf("12345", "%2d%3d", &a, &b));
  SHOW(a);
  SHOW(b);
  SHOW(sscanf("5 6", "%*d %d", &a));
  SHOW(a);
  SHOW(sscanf("5", "%*d%d", &a));
  SHOW(sscanf("0x10", "%p", &p));
  SHOW(p);
  SHOW(sscanf("-0", "%i", &a));
  SHOW(sscanf("08", "%i%n", &a, &n));
  SHOW(n);
  SHOW(sscanf("1 2 3", "%d%n%d%hhn", &a, &n, &b, &c));
  SHOW(n);
  SHOW(c);
}

static void words(void) {
  SHOW(sscanf("hello world", "%3s%s%n", s, t, &n));
  SHOW(hash(s));
  SHOW(hash(t));
  SHOW(n);
  SHOW(sscanf("key = value ; x", "%[a-z] = %[^; ]%*c%c", s, t, &c));
  SHOW(hash(s));
  SHOW(hash(t));
  SHOW(c);
  SHOW(sscanf("]-a", "%[]a-]", s));
  SHOW(hash(s));
  SHOW(sscanf("abc", "%[^a]", s));
  SHOW(sscanf("abc", "%2c", s));
  SHOW(s[1]);
  SHOW(sscanf("a", "%2c", s));
}

static void fractions(void) {
  SHOW(sscanf("1.5e2 -.25 3.", "%lf %f %lf", &d, &f, &d));
  SHOW(d * 100);
  SHOW(f * 100);
  SHOW(sscanf("1e", "%lf%n", &d, &n));
  SHOW(n);
  SHOW(d);
  SHOW(sscanf(".", "%lf", &d));
  SHOW(sscanf("12.5.6", "%lf%lf", &d, &d));
  SHOW(d * 100);
}

static void streams(void) {
  fpos_t at;
  FILE *w = fopen("numbers", "w");
  fputs("7 eight\n9.5", w);
  fclose(w);
  w = fopen("numbers", "r");
  SHOW(fscanf(w, "%d", &a));
  SHOW(a);
  SHOW(fscanf(w, "%d", &a));
  SHOW(fscanf(w, "%s", t));
  SHOW(hash(t));
  SHOW(fgetc(w));
  SHOW(fscanf(w, "%lf", &d));
  SHOW(d * 10);
  SHOW(feof(w));
  SHOW(fscanf(w, "%d", &a));
  rewind(w);
  SHOW(feof(w));
  SHOW(fgetc(w));
  SHOW(fgetpos(w, &at));
  SHOW(fgetc(w));
  SHOW(fgetc(w));
  SHOW(fsetpos(w, &at));
  SHOW(fgetc(w));
  SHOW(fclose(w) + remove("numbers"));
}

static void wide(void) {
  wchar_t x[8];
  SHOW(mbstowcs(x, "abc", 8));
  SHOW(x[2] + x[3]);
  SHOW(wcslen(x));
  SHOW(wcscmp(x, L"abd"));
  SHOW(wcstombs(s, L"xyz", 20));
  SHOW(hash(s));
  SHOW(wctomb(s, L'q'));
  SHOW(s[0]);
  SHOW(mblen("z", 1));
  SHOW(wcschr(x, L'b') - x);
  SHOW(wcscpy(x, L"hi") == x);
  SHOW(wcscat(x, L"!")[2]);
}

int main(void) {
  prefixes();
  integers();
  words();
  fractions();
  streams();
  wide();
}
