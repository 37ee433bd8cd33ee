/* Values out of texts: the scanf family, of streams and strings. What does not fit is left to be
 * read, as far as one character can be given back. */
#define _GNU_SOURCE
#include "library.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_SIZE = 400, CHARACTERS = 256 };

/* Where characters come from: a stream, or a string. */
struct source {
  FILE *stream;
  const char *text;
  bool binary; /* by the rules of C23, to which "0b101" is a number */
  int count;   /* of characters that were read */
};

struct conversion {
  bool dropped;      /* with a '*' */
  unsigned width;    /* at most so many characters */
  char length, kind; /* lengths: those of C, H for hh */
};

/* What a conversion comes to. */
enum outcome { FOUND, UNLIKE, ENDED };

static int next(struct source *s) {
  int c = EOF;
  if (s->stream != NULL)
    c = fgetc_unlocked(s->stream);
  else if (*s->text != '\0')
    c = (unsigned char)*s->text++;
  if (c != EOF) s->count++;
  return c;
}

static void give_back(struct source *s, int c) {
  if (c == EOF) return;
  s->count--;
  if (s->stream != NULL)
    ungetc(c, s->stream);
  else
    s->text--;
}

/* Whether there is something behind. */
static bool skip_blanks(struct source *s) {
  int c = next(s);
  while (c != EOF && isspace(c))
    c = next(s);
  give_back(s, c);
  return c != EOF;
}

static const char *read_conversion(const char *at, struct conversion *f) {
  *f = (struct conversion){.width = 0};
  if (*at == '*') f->dropped = *at++ == '*';
  for (; isdigit((unsigned char)*at); at++)
    f->width = 10 * f->width + (unsigned)(*at - '0');
  while (*at != '\0' && strchr("hlzjtLq", *at) != NULL) {
    f->length = *at == 'h' && f->length == 'h' ? 'H' : *at;
    at++;
  }
  f->kind = *at;
  if (f->width == 0) f->width = f->kind == 'c' ? 1 : UINT32_MAX;
  return *at != '\0' ? at + 1 : at;
}

static void store(const struct conversion *f, va_list *list, long long value) {
  if (f->length == 'H')
    *va_arg(*list, char *) = (char)value;
  else if (f->length == 'h')
    *va_arg(*list, short *) = (short)value;
  else if (f->length == 0 && f->kind != 'p')
    *va_arg(*list, int *) = (int)value;
  else
    *va_arg(*list, long long *) = value;
}

/* ---- numbers ---- */

/* The characters of a number, as far as they are some. */
struct number {
  char text[NUMBER_SIZE];
  unsigned size, left; /* left: how many more may be read */
  int c;               /* the next one */
};

static void begin_number(struct source *s, const struct conversion *f, struct number *n) {
  *n = (struct number){.left = f->width, .c = next(s)};
}

static bool has_more(const struct number *n) {
  return n->left > 0 && n->c != EOF;
}

static void go_on(struct source *s, struct number *n, bool keep) {
  if (n->size == NUMBER_SIZE - 1) __unfold_unsupported("scanf of so long a number");
  if (keep) n->text[n->size++] = (char)n->c;
  n->left--;
  n->c = n->left > 0 ? next(s) : EOF;
}

static void read_sign(struct source *s, struct number *n) {
  if (has_more(n) && (n->c == '-' || n->c == '+')) go_on(s, n, true);
}

/* 0: what it begins with tells. */
static int base_of(char kind) {
  switch (kind) {
  case 'i':
    return 0;
  case 'b':
    return 2;
  case 'o':
    return 8;
  case 'd':
  case 'u':
    return 10;
  default:
    return 16;
  }
}

static bool is_digit_of(int c, int base) {
  return base == 16 ? isxdigit(c) : c >= '0' && c < '0' + base;
}

/* The base of a number whose 0 was read and is part of a prefix; 0: it is not. */
static int base_by_prefix(const struct source *s, const struct number *n, int base) {
  if ((base == 0 || base == 16) && has_more(n) && (n->c | 32) == 'x') return 16;
  if (s->binary && (base == 0 || base == 2) && has_more(n) && (n->c | 32) == 'b') return 2;
  return 0;
}

static enum outcome scan_integer(struct source *s, const struct conversion *f, va_list *list) {
  struct number n;
  int base = base_of(f->kind);
  begin_number(s, f, &n);
  read_sign(s, &n);
  const unsigned before = n.size;
  if (has_more(&n) && n.c == '0') {
    go_on(s, &n, true);
    const int by_prefix = base_by_prefix(s, &n, base);
    if (by_prefix != 0) go_on(s, &n, false);
    if (base == 0) base = by_prefix != 0 ? by_prefix : 8;
  }
  if (base == 0) base = 10;
  while (has_more(&n) && is_digit_of(n.c, base))
    go_on(s, &n, true);
  if (n.left > 0) give_back(s, n.c);
  if (n.size == before) return UNLIKE;
  const bool has_sign = f->kind == 'd' || f->kind == 'i';
  const long long value =
      has_sign ? strtoll(n.text, NULL, base) : (long long)strtoull(n.text, NULL, base);
  if (!f->dropped) store(f, list, value);
  return FOUND;
}

static unsigned read_digits(struct source *s, struct number *n) {
  unsigned count = 0;
  for (; has_more(n) && isdigit(n->c); count++)
    go_on(s, n, true);
  return count;
}

static enum outcome scan_double(struct source *s, const struct conversion *f, va_list *list) {
  struct number n;
  begin_number(s, f, &n);
  read_sign(s, &n);
  if (has_more(&n) && isalpha(n.c)) __unfold_unsupported("scanf of an infinite number");
  unsigned digits = read_digits(s, &n);
  if (digits == 1 && has_more(&n) && (n.c | 32) == 'x')
    __unfold_unsupported("scanf of a hexadecimal floating point number");
  if (has_more(&n) && n.c == '.') {
    go_on(s, &n, true);
    digits += read_digits(s, &n);
  }
  if (digits > 0 && has_more(&n) && (n.c | 32) == 'e') {
    go_on(s, &n, true);
    read_sign(s, &n);
    read_digits(s, &n);
  }
  if (n.left > 0) give_back(s, n.c);
  if (digits == 0) return UNLIKE;
  if (f->dropped) return FOUND;
  if (f->length == 'L')
    *va_arg(*list, long double *) = strtold(n.text, NULL);
  else if (f->length == 'l')
    *va_arg(*list, double *) = strtod(n.text, NULL);
  else
    *va_arg(*list, float *) = strtof(n.text, NULL);
  return FOUND;
}

/* ---- characters ---- */

/* The set between brackets; what is behind it. */
static const char *read_set(const char *at, bool set[CHARACTERS]) {
  const bool others = *at == '^';
  if (others) at++;
  for (int c = 0; c < CHARACTERS; c++)
    set[c] = others;
  const char *first = at;
  for (; *at != '\0' && (*at != ']' || at == first); at++) {
    const bool range = at[1] == '-' && at[2] != ']' && at[2] != '\0';
    const unsigned char last = (unsigned char)(range ? at[2] : *at);
    for (int c = (unsigned char)*at; c <= last; c++)
      set[c] = !others;
    if (range) at += 2;
  }
  return *at != '\0' ? at + 1 : at;
}

static enum outcome scan_characters(struct source *s, const struct conversion *f,
                                    const bool set[CHARACTERS], va_list *list) {
  if (f->length == 'l') __unfold_unsupported("scanf of wide characters");
  char *to = f->dropped ? NULL : va_arg(*list, char *);
  unsigned count = 0;
  for (; count < f->width; count++) {
    const int c = next(s);
    const bool fits = c != EOF && (f->kind == 'c' || (f->kind == 's' ? !isspace(c) : set[c]));
    if (!fits) give_back(s, c);
    if (!fits && count == 0) return c == EOF ? ENDED : UNLIKE;
    if (!fits) break;
    if (to != NULL) to[count] = (char)c;
  }
  if (to != NULL && f->kind != 'c') to[count] = '\0';
  return FOUND; /* of a %c with a width, too: as glibc has it, fewer will do */
}

/* ---- formats ---- */

static enum outcome convert(struct source *s, const struct conversion *f, const char **at,
                            va_list *list) {
  bool set[CHARACTERS];
  if (f->kind == '[') *at = read_set(*at, set);
  if (f->kind == 'n') {
    if (!f->dropped) store(f, list, s->count);
    return FOUND;
  }
  const bool blanks = f->kind != 'c' && f->kind != '[';
  if (blanks && !skip_blanks(s)) return ENDED;
  if (!blanks || f->kind == 's') return scan_characters(s, f, set, list);
  if (f->kind == '%') {
    const int c = next(s);
    if (c != '%') give_back(s, c);
    return c == '%' ? FOUND : UNLIKE;
  }
  if (strchr("fFeEgGaA", f->kind) != NULL) return scan_double(s, f, list);
  return scan_integer(s, f, list);
}

static int scan(struct source *s, const char *at, va_list *list) {
  struct conversion f;
  int found = 0;
  enum outcome outcome = FOUND;
  while (*at != '\0' && outcome == FOUND) {
    if (isspace((unsigned char)*at)) {
      skip_blanks(s);
      at++;
      continue;
    }
    if (*at != '%') {
      const int c = next(s);
      if (c != (unsigned char)*at++) {
        give_back(s, c);
        outcome = c == EOF ? ENDED : UNLIKE;
      }
      continue;
    }
    at = read_conversion(at + 1, &f);
    const bool known =
        strchr("diuxXopcs[nfFeEgGaA%", f.kind) != NULL || (s->binary && f.kind == 'b');
    if (f.kind == '\0' || !known) __unfold_unsupported("scanf with such a format");
    outcome = convert(s, &f, &at, list);
    if (outcome == FOUND && !f.dropped && f.kind != 'n' && f.kind != '%') found++;
  }
  return outcome == ENDED && found == 0 ? EOF : found;
}

static int scan_text(const char *text, const char *format, va_list list, bool binary) {
  struct source s = {.text = text, .binary = binary};
  va_list copy;
  va_copy(copy, list);
  const int found = scan(&s, format, &copy);
  va_end(copy);
  return found;
}

static int scan_stream(FILE *stream, const char *format, va_list list, bool binary) {
  struct source s = {.stream = stream, .binary = binary};
  va_list copy;
  va_copy(copy, list);
  const bool shared = !__unfold_alone();
  if (shared) flockfile(stream);
  const int found = scan(&s, format, &copy);
  if (shared) funlockfile(stream);
  va_end(copy);
  return found;
}

/* A function and the one with a list under a name of glibc, which has one for the rules of C89, of
 * C99 and since 2.38 of C23. <stdio.h> makes any of them of the plain name, so that the functions
 * are not defined by that. */
#define SCANNED(name, parameter, how, from, binary)                                                \
  int name##_(parameter const char *format, ...) __asm__(#name);                                   \
  int name##_(parameter const char *format, ...) {                                                 \
    va_list list;                                                                                  \
    va_start(list, format);                                                                        \
    const int found = how(from, format, list, binary);                                             \
    va_end(list);                                                                                  \
    return found;                                                                                  \
  }
#define SCANNED_LIST(name, parameter, how, from, binary)                                           \
  int name##_(parameter const char *format, va_list list) __asm__(#name);                          \
  int name##_(parameter const char *format, va_list list) {                                        \
    return how(from, format, list, binary);                                                        \
  }
#define NOTHING
#define A_STREAM FILE *stream,
#define A_TEXT   const char *text,
#define ALL_SCANNED(prefix, binary)                                                                \
  SCANNED(prefix##scanf, NOTHING, scan_stream, stdin, binary)                                      \
  SCANNED(prefix##fscanf, A_STREAM, scan_stream, stream, binary)                                   \
  SCANNED(prefix##sscanf, A_TEXT, scan_text, text, binary)                                         \
  SCANNED_LIST(prefix##vscanf, NOTHING, scan_stream, stdin, binary)                                \
  SCANNED_LIST(prefix##vfscanf, A_STREAM, scan_stream, stream, binary)                             \
  SCANNED_LIST(prefix##vsscanf, A_TEXT, scan_text, text, binary)
ALL_SCANNED(, false)
ALL_SCANNED(__isoc99_, false)
ALL_SCANNED(__isoc23_, true)
