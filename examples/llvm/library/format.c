/* Texts with values in them: the printf family. What goes to the standard output is dropped;
 * it is formatted where somebody looks at how long it is. */
#define _GNU_SOURCE
#include "descriptors.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

struct sink {
  char *to;
  size_t size, count; /* of `to`, and of all bytes so far */
  bool exact;         /* not: a number that depends on inputs is not looked at */
};

static void put(struct sink *s, char c) {
  if (s->count < s->size) s->to[s->count] = c;
  s->count++;
}

static void fill(struct sink *s, char c, int count) {
  while (count-- > 0)
    put(s, c);
}

struct format {
  bool left, plus, space, alternate, zeros;
  int width, precision;    /* precision -1: none */
  char length, conversion; /* lengths: those of C, H for hh, L for ll */
};

static int number_or_star(const char **at, va_list *list) {
  int number = 0;
  if (**at == '*') {
    ++*at;
    return va_arg(*list, int);
  }
  for (; isdigit((unsigned char)**at); ++*at)
    number = 10 * number + (**at - '0');
  return number;
}

static const char *read_format(const char *at, struct format *f, va_list *list) {
  *f = (struct format){.precision = -1};
  for (;; at++) {
    if (*at == '-')
      f->left = true;
    else if (*at == '+')
      f->plus = true;
    else if (*at == ' ')
      f->space = true;
    else if (*at == '#')
      f->alternate = true;
    else if (*at == '0')
      f->zeros = true;
    else
      break;
  }
  f->width = number_or_star(&at, list);
  if (f->width < 0) {
    f->left = true;
    f->width = -f->width;
  }
  if (*at == '.') {
    at++;
    f->precision = number_or_star(&at, list);
    if (f->precision < 0) f->precision = -1;
  }
  while (*at == 'h' || *at == 'l' || *at == 'z' || *at == 'j' || *at == 't' || *at == 'L' ||
         *at == 'q') {
    f->length = *at == 'h' && f->length == 'h' ? 'H' : *at;
    at++;
  }
  f->conversion = *at;
  return *at != '\0' ? at + 1 : at;
}

static void put_padded(struct sink *s, const struct format *f, const char *text, int size) {
  if (!f->left) fill(s, ' ', f->width - size);
  for (int i = 0; i < size; i++)
    put(s, text[i]);
  if (f->left) fill(s, ' ', f->width - size);
}

static void put_number(struct sink *s, const struct format *f, unsigned long long value,
                       bool negative) {
  char digits[72], before[4];
  int count = 0, size = 0;
  const unsigned base = f->conversion == 'o'                                  ? 8
                        : (f->conversion | 32) == 'x' || f->conversion == 'p' ? 16
                                                                              : 10;
  const char ten = f->conversion == 'X' ? 'A' : 'a';
  const bool is_zero = value == 0;
  for (; value != 0; value /= base) {
    const unsigned digit = (unsigned)(value % base);
    digits[count++] = (char)(digit < 10 ? '0' + digit : ten + digit - 10);
  }
  if (negative) before[size++] = '-';
  if (!negative && f->plus) before[size++] = '+';
  if (!negative && !f->plus && f->space) before[size++] = ' ';
  if (base == 16 && (f->conversion == 'p' || (f->alternate && !is_zero))) {
    before[size++] = '0';
    before[size++] = f->conversion == 'X' ? 'X' : 'x';
  }
  int zeros = (f->precision >= 0 ? f->precision : 1) - count;
  if (base == 8 && f->alternate && zeros <= 0 && (count == 0 || digits[count - 1] != '0'))
    zeros = 1;
  if (zeros < 0) zeros = 0;
  if (f->zeros && !f->left && f->precision < 0 && f->width > size + count + zeros)
    zeros = f->width - size - count;
  const int padding = f->width - size - zeros - count;
  if (!f->left) fill(s, ' ', padding);
  for (int i = 0; i < size; i++)
    put(s, before[i]);
  fill(s, '0', zeros);
  while (count > 0)
    put(s, digits[--count]);
  if (f->left) fill(s, ' ', padding);
}

static void put_text(struct sink *s, const struct format *f, const char *text) {
  int size = 0;
  if (text == NULL) text = "(null)";
  while ((f->precision < 0 || size < f->precision) && text[size] != '\0')
    size++;
  put_padded(s, f, text, size);
}

enum { FORMAT_SIZE = 40 };

/* Flags and conversion, as the machine's own printf() gets them. */
static void give_format(char format[FORMAT_SIZE], const struct format *f) {
  int at = 0;
  format[at++] = '%';
  if (f->left) format[at++] = '-';
  if (f->plus) format[at++] = '+';
  if (f->space) format[at++] = ' ';
  if (f->alternate) format[at++] = '#';
  if (f->zeros) format[at++] = '0';
  format[at++] = f->conversion;
  format[at] = '\0';
}

static void put_double(struct sink *s, const struct format *f, double value) {
  char format[FORMAT_SIZE], text[512];
  if (!s->exact && __unfold_depends(__unfold_bits(value))) return;
  give_format(format, f);
  const int size = __unfold_format_double(text, sizeof text, format, f->width, f->precision, value);
  for (int i = 0; i < size; i++)
    put(s, text[i]);
}

static void put_extended(struct sink *s, const struct format *f, long double value) {
  char format[FORMAT_SIZE], text[5200];
  if (!s->exact && __unfold_depends(__unfold_digits(value))) return;
  give_format(format, f);
  const int size =
      __unfold_format_extended(text, sizeof text, format, f->width, f->precision, value);
  for (int i = 0; i < size; i++)
    put(s, text[i]);
}

static long long signed_of(long long value, char length) {
  return length == 'H'   ? (signed char)value
         : length == 'h' ? (short)value
         : length == 0   ? (int)value
                         : value;
}

static unsigned long long unsigned_of(unsigned long long value, char length) {
  return length == 'H'   ? (unsigned char)value
         : length == 'h' ? (unsigned short)value
         : length == 0   ? (unsigned)value
                         : value;
}

static void convert(struct sink *s, struct format *f, va_list *list) {
  const char c = f->conversion;
  if (c == '%') {
    put(s, '%');
  } else if (c == 'c') {
    const char text = (char)va_arg(*list, int);
    put_padded(s, f, &text, 1);
  } else if (c == 's') {
    if (f->length == 'l') __unfold_unsupported("printf of wide characters");
    put_text(s, f, va_arg(*list, const char *));
  } else if (c == 'n') {
    __unfold_unsupported("printf with %n");
  } else if (strchr("fFeEgGaA", c) != NULL && f->length == 'L') {
    put_extended(s, f, va_arg(*list, long double));
  } else if (strchr("fFeEgGaA", c) != NULL) {
    put_double(s, f, va_arg(*list, double));
  } else {
    const long long value = va_arg(*list, long long);
    if (!s->exact && __unfold_depends(value)) return;
    const long long number = signed_of(value, f->length);
    if (c == 'd' || c == 'i')
      put_number(s, f, number < 0 ? -(unsigned long long)number : (unsigned long long)number,
                 number < 0);
    else if (c == 'p' && value == 0)
      put_padded(s, f, "(nil)", 5);
    else
      put_number(s, f,
                 c == 'p' ? (unsigned long long)value
                          : unsigned_of((unsigned long long)value, f->length),
                 false);
  }
}

static int format_all(struct sink *s, const char *at, va_list *list) {
  struct format f;
  while (*at != '\0') {
    if (*at != '%') {
      put(s, *at++);
      continue;
    }
    at = read_format(at + 1, &f, list);
    if (strchr("diuxXocspfFeEgGaAn%", f.conversion) == NULL || f.conversion == '\0')
      __unfold_unsupported("printf with such a format");
    convert(s, &f, list);
  }
  return (int)s->count;
}

int vsnprintf(char *to, size_t size, const char *format, va_list list) {
  struct sink s = {.to = to, .size = size > 0 ? size - 1 : 0, .exact = true};
  va_list copy;
  va_copy(copy, list);
  const int count = format_all(&s, format, &copy);
  va_end(copy);
  if (size > 0) to[s.count < s.size ? s.count : s.size] = '\0';
  return count;
}

int snprintf(char *to, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = vsnprintf(to, size, format, list);
  va_end(list);
  return count;
}

int vsprintf(char *to, const char *format, va_list list) {
  return vsnprintf(to, SIZE_MAX, format, list);
}

int sprintf(char *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = vsnprintf(to, SIZE_MAX, format, list);
  va_end(list);
  return count;
}

int vasprintf(char **to, const char *format, va_list list) {
  const int count = vsnprintf(NULL, 0, format, list);
  *to = malloc((size_t)count + 1);
  return vsnprintf(*to, (size_t)count + 1, format, list);
}

int asprintf(char **to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = vasprintf(to, format, list);
  va_end(list);
  return count;
}

/* ---- to files ---- */

/* What goes nowhere is formatted no further than somebody looks at how long it is. No stream: to
 * the file. */
static int write_to(FILE *stream, int file, const char *format, va_list list, bool used) {
  struct sink s = {.exact = used};
  char *text = NULL;
  int count;
  va_list copy;
  va_copy(copy, list);
  if (__env_drops(file)) {
    count = format_all(&s, format, &copy);
  } else {
    count = vasprintf(&text, format, copy);
    const bool good = count <= 0 || (stream != NULL ? fwrite(text, (size_t)count, 1, stream) == 1
                                                    : write(file, text, (size_t)count) >= 0);
    if (!good) count = -1;
    free(text);
  }
  va_end(copy);
  return count;
}

int vprintf(const char *format, va_list list) {
  return write_to(stdout, fileno(stdout), format, list, __unfold_is_used());
}

int vfprintf(FILE *stream, const char *format, va_list list) {
  return write_to(stream, fileno(stream), format, list, __unfold_is_used());
}

int vdprintf(int file, const char *format, va_list list) {
  return write_to(NULL, file, format, list, __unfold_is_used());
}

int printf(const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = write_to(stdout, fileno(stdout), format, list, __unfold_is_used());
  va_end(list);
  return count;
}

int fprintf(FILE *stream, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = write_to(stream, fileno(stream), format, list, __unfold_is_used());
  va_end(list);
  return count;
}

int dprintf(int file, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = write_to(NULL, file, format, list, __unfold_is_used());
  va_end(list);
  return count;
}
