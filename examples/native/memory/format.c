/* Formats, as far as they say what is read and written. What a conversion takes is one of the
 * arguments, or several (a width, a precision), the next ones or those with a number (%1$s); so a
 * format is read to its end before the first argument is. */
#include "format.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "../preload/imports.h"

enum length { LENGTH_NONE, LENGTH_CHAR, LENGTH_SHORT, LENGTH_LONG, LENGTH_BIG };
enum { WIDE = sizeof(wchar_t) };
/* Of one format; what each may take; what is read beside these. */
enum { CONVERSIONS_MOST = 1024, ARGUMENTS_EACH = 3, OTHERS_READ = 2 };

/* One conversion: what stands between % and its letter. Arguments are counted from 1; 0: none. */
struct conversion {
  bool starred, allocates;
  unsigned argument, precision_argument;
  int width, precision; /* -1: none */
  enum length length;
  char letter; /* '\0': there is no further one */
};

enum type { TYPE_NONE, TYPE_INT, TYPE_LONG, TYPE_POINTER, TYPE_DOUBLE, TYPE_LONG_DOUBLE };
struct argument {
  enum type type;
  int number;
  void *pointer;
};

/* As many as can be in it, at most. */
static unsigned conversions_in(const char *format) {
  unsigned count = 0;
  for (const char *at = format; (at = strchr(at, '%')) != NULL; at++)
    count += count < CONVERSIONS_MOST;
  return count;
}

size_t format_size(const char *format) {
  const size_t count = conversions_in(format);
  return count * (sizeof(struct writing) + sizeof(struct conversion) +
                  ARGUMENTS_EACH * sizeof(struct argument)) +
         (count + OTHERS_READ) * sizeof(struct reading);
}

void format_begin(struct format *f, const char *format, void *memory) {
  const size_t count = conversions_in(format);
  *f = (struct format){.whole = count < CONVERSIONS_MOST};
  f->writing = memory;
  f->argument = (struct argument *)(void *)(f->writing + count);
  f->reading = (struct reading *)(void *)(f->argument + ARGUMENTS_EACH * count);
  f->conversion = (struct conversion *)(void *)(f->reading + count + OTHERS_READ);
}

void format_reads(struct format *f, const void *address, size_t size, bool text) {
  if (address == NULL || size == 0) return;
  f->reading[f->readings++] = (struct reading){address, size, text, '\0'};
}

static void writes(struct format *f, struct writing writing) {
  if (writing.address != NULL) f->writing[f->writings++] = writing;
}

/* That an argument of that type is taken: the one with the number, or the next one (0), which is
 * counted. Which one that is; 0 if there cannot be as many. */
static unsigned take(struct format *f, unsigned number, unsigned *next, enum type type,
                     unsigned most) {
  const unsigned taken = number > 0 ? number : ++*next;
  if (taken > most) f->whole = false;
  if (taken > most) return 0;
  for (; f->arguments < taken; f->arguments++)
    f->argument[f->arguments] = (struct argument){.type = TYPE_NONE};
  struct argument *a = &f->argument[taken - 1];
  f->whole &= a->type == TYPE_NONE || a->type == type;
  a->type = type;
  return taken;
}

/* All of them, in their order. One that nothing takes is a number for the C library. False: it is
 * not known what they are. */
static bool fetch(struct format *f, va_list values) {
  va_list rest;
  if (!f->whole) return false;
  va_copy(rest, values);
  for (unsigned i = 0; i < f->arguments; i++) {
    struct argument *a = &f->argument[i];
    switch (a->type) {
    case TYPE_LONG:
      (void)va_arg(rest, long);
      break;
    case TYPE_POINTER:
      a->pointer = va_arg(rest, void *);
      break;
    case TYPE_DOUBLE:
      (void)va_arg(rest, double);
      break;
    case TYPE_LONG_DOUBLE:
      (void)va_arg(rest, long double);
      break;
    default:
      a->number = va_arg(rest, int);
      break;
    }
  }
  va_end(rest);
  return true;
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

/* The number of an argument (3$), which is passed; 0: there is none. */
static unsigned numbered(const char **at) {
  const char *from = *at;
  const int value = number(at);
  if (value > 0 && **at == '$') {
    ++*at;
    return (unsigned)value;
  }
  *at = from;
  return 0;
}

/* ---- printf ---- */

static enum type integer_of(enum length length) {
  return size_of(length) == sizeof(long) ? TYPE_LONG : TYPE_INT;
}

/* What a conversion takes; TYPE_NONE: nothing, or nobody knows. */
static enum type printed_type(const struct conversion *c) {
  if (strchr("sSnp", c->letter) != NULL) return TYPE_POINTER;
  if (strchr("eEfFgGaA", c->letter) != NULL)
    return c->length == LENGTH_BIG ? TYPE_LONG_DOUBLE : TYPE_DOUBLE;
  if (strchr("cC", c->letter) != NULL) return TYPE_INT;
  return strchr("dioubBxX", c->letter) != NULL ? integer_of(c->length) : TYPE_NONE;
}

static struct conversion next_printed(const char **at, struct format *f, unsigned *next,
                                      unsigned most) {
  struct conversion c = {.width = -1, .precision = -1};
  *at = strchr(*at, '%');
  if (*at == NULL) return c;
  ++*at;
  const unsigned own = numbered(at);
  *at += strspn(*at, "-+ #0'I");
  if (**at == '*') {
    ++*at;
    take(f, numbered(at), next, TYPE_INT, most);
  } else {
    number(at);
  }
  if (**at == '.') {
    ++*at;
    if (**at == '*') {
      ++*at;
      c.precision_argument = take(f, numbered(at), next, TYPE_INT, most);
    } else {
      c.precision = number(at);
      if (c.precision < 0) c.precision = 0;
    }
  }
  c.length = length_of(at);
  c.letter = **at;
  if (c.letter == '\0') return c;
  ++*at;
  const enum type type = printed_type(&c);
  if (type != TYPE_NONE)
    c.argument = take(f, own, next, type, most);
  else
    f->whole &= c.letter == '%' || c.letter == 'm';
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
  const unsigned most = ARGUMENTS_EACH * conversions_in(format);
  unsigned next = 0;
  format_reads(f, format, SIZE_MAX, true);
  for (const char *at = format; f->whole;) {
    const struct conversion c = next_printed(&at, f, &next, most);
    if (c.letter == '\0') break;
    if (f->whole) f->conversion[f->conversions++] = c;
  }
  if (!fetch(f, values)) return;
  for (unsigned i = 0; i < f->conversions; i++) {
    struct conversion *c = &f->conversion[i];
    if (c->argument == 0) continue;
    void *pointer = f->argument[c->argument - 1].pointer;
    if (c->precision_argument > 0) c->precision = f->argument[c->precision_argument - 1].number;
    if (c->letter == 's' || c->letter == 'S')
      read_text(f, c, pointer);
    else if (c->letter == 'n')
      writes(f, (struct writing){.address = pointer, .size = size_of(c->length)});
  }
}

/* ---- scanf ---- */

static struct conversion next_scanned(const char **at, struct format *f, unsigned *next,
                                      unsigned most) {
  struct conversion c = {.width = -1};
  *at = strchr(*at, '%');
  if (*at == NULL) return c;
  ++*at;
  const unsigned own = numbered(at);
  c.starred = **at == '*';
  *at += c.starred;
  *at += strspn(*at, "'I");
  c.width = number(at);
  c.allocates = **at == 'm';
  *at += c.allocates;
  c.length = length_of(at);
  c.letter = **at;
  if (c.letter == '\0') return c;
  ++*at;
  /* By the older rules that is a text of a new block, and no number. */
  if (c.letter == 'a' && f->older && strchr("sS[", **at) != NULL) f->whole = false;
  if (c.letter != '%' && !c.starred) c.argument = take(f, own, next, TYPE_POINTER, most);
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
  else if (strchr("dioubxXn", c->letter) != NULL)
    w.size = size_of(c->length);
  w.counts = c->letter != 'n';
  return w;
}

void format_scanned(struct format *f, const char *format, va_list values) {
  const unsigned most = ARGUMENTS_EACH * conversions_in(format);
  unsigned next = 0, counted = 0;
  format_reads(f, format, SIZE_MAX, true);
  for (const char *at = format; f->whole;) {
    const struct conversion c = next_scanned(&at, f, &next, most);
    if (c.letter == '\0') break;
    if (f->whole && c.argument > 0) f->conversion[f->conversions++] = c;
  }
  if (!fetch(f, values)) return;
  for (unsigned i = 0; i < f->conversions; i++) {
    const struct conversion *c = &f->conversion[i];
    struct writing w = written_for(c, f->argument[c->argument - 1].pointer);
    f->whole &= w.size > 0 || w.of_text > 0;
    if (!f->whole) break;
    w.after = counted;
    counted += w.counts;
    writes(f, w);
  }
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
