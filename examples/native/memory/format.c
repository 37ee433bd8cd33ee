/* Formats, as far as they say what is read and written. One whose arguments have numbers (%1$s) is
 * not understood: the function is named as one whose accesses are not seen. */
#include "format.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "../preload/imports.h"

enum length { LENGTH_NONE, LENGTH_CHAR, LENGTH_SHORT, LENGTH_LONG, LENGTH_BIG };
enum { WIDE = sizeof(wchar_t) };

/* One conversion: what stands between % and its letter. */
struct conversion {
  bool starred, allocates, numbered;
  int width, precision; /* -1: none */
  enum length length;
  char letter; /* '\0': there is no further one */
};

void format_reads(struct format *f, const void *address, size_t size, bool text) {
  if (address == NULL || size == 0) return;
  if (f->readings == READINGS_MOST)
    f->whole = false;
  else
    f->reading[f->readings++] = (struct reading){address, size, text, '\0'};
}

static void writes(struct format *f, struct writing writing) {
  if (writing.address == NULL) return;
  if (f->writings == WRITINGS_MOST)
    f->whole = false;
  else
    f->writing[f->writings++] = writing;
}

static int number(const char **at) {
  int value = 0;
  if (**at < '0' || **at > '9') return -1;
  for (; **at >= '0' && **at <= '9'; ++*at)
    value = value < INT_MAX / 16 ? 10 * value + (**at - '0') : value;
  return value;
}

static enum length length_of(const char **at) {
  enum length length = LENGTH_NONE;
  for (;; ++*at) {
    switch (**at) {
    case 'h':
      length = length == LENGTH_SHORT ? LENGTH_CHAR : LENGTH_SHORT;
      break;
    case 'l':
      length = length == LENGTH_LONG ? LENGTH_BIG : LENGTH_LONG;
      break;
    case 'q':
    case 'L':
      length = LENGTH_BIG;
      break;
    case 'j':
    case 'z':
    case 'Z':
    case 't':
      length = LENGTH_LONG;
      break;
    default:
      return length;
    }
  }
}

/* The size of an integer of that length. */
static size_t size_of(enum length length) {
  switch (length) {
  case LENGTH_CHAR:
    return 1;
  case LENGTH_SHORT:
    return sizeof(short);
  case LENGTH_NONE:
    return sizeof(int);
  default:
    return sizeof(long);
  }
}

static void pass_integer(enum length length, va_list *values) {
  if (size_of(length) == sizeof(long))
    (void)va_arg(*values, long);
  else
    (void)va_arg(*values, int);
}

/* ---- printf ---- */

static struct conversion next_printed(const char **at, va_list *values) {
  struct conversion c = {.width = -1, .precision = -1};
  *at = strchr(*at, '%');
  if (*at == NULL) return c;
  ++*at;
  *at += strspn(*at, "-+ #0'I");
  if (**at == '*') {
    ++*at;
    c.numbered = number(at) >= 0;
    if (!c.numbered) c.width = va_arg(*values, int);
  } else {
    c.width = number(at);
    c.numbered = **at == '$';
  }
  if (**at == '.') {
    ++*at;
    c.precision = **at == '*' ? 0 : number(at);
    if (**at == '*') {
      ++*at;
      c.precision = va_arg(*values, int);
      c.numbered |= number(at) >= 0;
    } else if (c.precision < 0) {
      c.precision = 0;
    }
  }
  c.length = length_of(at);
  c.letter = **at;
  if (c.letter != '\0') ++*at;
  return c;
}

static void read_text(struct format *f, const struct conversion *c, const void *text) {
  const size_t most = c->precision < 0 ? SIZE_MAX : (size_t)c->precision;
  if (text == NULL) return;
  if (c->letter == 's' && c->length != LENGTH_LONG) {
    format_reads(f, text, most, true);
    return;
  }
  const size_t length = wcsnlen(text, most);
  format_reads(f, text, (length < most ? length + 1 : length) * WIDE, false);
}

void format_printed(struct format *f, const char *format, va_list values) {
  va_list rest;
  va_copy(rest, values);
  format_reads(f, format, SIZE_MAX, true);
  for (const char *at = format;;) {
    const struct conversion c = next_printed(&at, &rest);
    if (c.letter == '\0') break;
    if (c.letter == '%' || c.letter == 'm') continue;
    if (c.letter == 's' || c.letter == 'S')
      read_text(f, &c, va_arg(rest, const void *));
    else if (c.letter == 'n')
      writes(f, (struct writing){.address = va_arg(rest, void *), .size = size_of(c.length)});
    else if (c.letter == 'p')
      (void)va_arg(rest, void *);
    else if (strchr("eEfFgGaA", c.letter) != NULL && c.length == LENGTH_BIG)
      (void)va_arg(rest, long double);
    else if (strchr("eEfFgGaA", c.letter) != NULL)
      (void)va_arg(rest, double);
    else if (strchr("diouxXcC", c.letter) != NULL && !c.numbered)
      pass_integer(c.letter == 'c' ? LENGTH_NONE : c.length, &rest);
    else
      f->whole = false;
    if (c.numbered) f->whole = false;
    if (!f->whole) break;
  }
  va_end(rest);
}

/* ---- scanf ---- */

static struct conversion next_scanned(const char **at) {
  struct conversion c = {.width = -1};
  *at = strchr(*at, '%');
  if (*at == NULL) return c;
  ++*at;
  c.starred = **at == '*';
  *at += c.starred;
  *at += strspn(*at, "'I");
  c.width = number(at);
  c.numbered = **at == '$';
  c.allocates = **at == 'm';
  *at += c.allocates;
  c.length = length_of(at);
  c.letter = **at;
  if (c.letter == '\0') return c;
  ++*at;
  if (c.letter != '[') return c;
  *at += **at == '^';
  *at += **at == ']';
  const char *end = strchr(*at, ']');
  *at = end == NULL ? *at + strlen(*at) : end + 1;
  return c;
}

/* What is written for a conversion; .size and .of_text are 0 where it is not known. */
static struct writing written_for(const struct conversion *c, void *address) {
  const bool wide = c->length == LENGTH_LONG || c->letter == 'S' || c->letter == 'C';
  struct writing w = {.address = address, .counts = true};
  if (c->allocates)
    w.size = sizeof(void *);
  else if (c->letter == 's' || c->letter == 'S' || c->letter == '[')
    w.of_text = wide ? WIDE : 1, w.most = c->width < 0 ? 0 : (size_t)c->width + 1;
  else if (c->letter == 'c' || c->letter == 'C')
    w.size = (c->width < 0 ? 1u : (size_t)c->width) * (wide ? WIDE : 1);
  else if (strchr("eEfFgGaA", c->letter) != NULL)
    w.size = c->length == LENGTH_BIG    ? sizeof(long double)
             : c->length == LENGTH_LONG ? sizeof(double)
                                        : sizeof(float);
  else if (c->letter == 'p')
    w.size = sizeof(void *);
  else if (strchr("diouxXn", c->letter) != NULL)
    w.size = size_of(c->length);
  w.counts = c->letter != 'n';
  return w;
}

void format_scanned(struct format *f, const char *format, va_list values) {
  va_list rest;
  unsigned counted = 0;
  va_copy(rest, values);
  format_reads(f, format, SIZE_MAX, true);
  for (const char *at = format;;) {
    const struct conversion c = next_scanned(&at);
    if (c.letter == '\0') break;
    if (c.letter == '%' || c.starred) continue;
    struct writing w = written_for(&c, c.numbered ? NULL : va_arg(rest, void *));
    f->whole &= !c.numbered && (w.size > 0 || w.of_text > 0);
    if (!f->whole) break;
    w.after = counted;
    counted += w.counts;
    writes(f, w);
  }
  va_end(rest);
}

void format_before(struct format *f, const char *function, uint64_t place) {
  if (!f->whole) unfold_unknown(function, place);
  unfold_reads(f->reading, f->readings, place);
  for (unsigned i = 0; i < f->writings; i++)
    unfold_coming(f->writing[i].address,
                  f->writing[i].size + f->writing[i].most * f->writing[i].of_text, place);
}

void format_after(const struct format *f, int count, uint64_t place) {
  for (unsigned i = 0; i < f->writings; i++) {
    const struct writing *w = &f->writing[i];
    if (count < 0 || w->after + w->counts > (unsigned)count) continue;
    size_t size = w->size;
    if (w->of_text == 1) size = strlen(w->address) + 1;
    if (w->of_text == WIDE) size = (wcslen(w->address) + 1) * WIDE;
    unfold_touched(w->address, size, true, place);
  }
}
