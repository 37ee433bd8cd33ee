/* Floating point numbers as texts, for printf() and strtod() of the library: what does not depend
 * on inputs is done by the C library of this machine. */
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "extended.h"
#include "files.h"
#include "machine.h"
#include "sync.h"

/* A number of the program that may be an extended one. */
union shown_number {
  double plain;
  long double extended;
};

enum { TEXT_SIZE = 5200, FORMAT_SIZE = 64, WIDEST = 200, MOST_PRECISE = 100 };

/* The format of one number, from its flags and conversion. False: it is no such format. */
static bool make_format(char format[FORMAT_SIZE], const char *flags, int64_t width,
                        int64_t precision, bool extended) {
  const size_t length = strlen(flags);
  if (length < 2 || flags[0] != '%' || strspn(flags + 1, "-+ #0") != length - 2 ||
      strchr("fFeEgGaA", flags[length - 1]) == NULL || width > WIDEST || precision > MOST_PRECISE)
    return false;
  int size = snprintf(format, FORMAT_SIZE, "%.*s", (int)length - 1, flags);
  if (width > 0) size += snprintf(format + size, (size_t)(FORMAT_SIZE - size), "%d", (int)width);
  if (precision >= 0)
    size += snprintf(format + size, (size_t)(FORMAT_SIZE - size), ".%d", (int)precision);
  snprintf(format + size, (size_t)(FORMAT_SIZE - size), "%s%c", extended ? "L" : "",
           flags[length - 1]);
  return true;
}

/* The number that stands behind so many arguments. */
static bool read_argument(struct machine *m, struct thread *t, const struct arguments *a,
                          uint32_t index, bool extended, union shown_number *out) {
  int64_t parts[2] = {0, 0};
  const uint32_t count = extended ? 2 : 1;
  if (!sync_has(m, t, a, index + count)) return false;
  for (uint32_t i = 0; i < count; i++) {
    const struct value part = a->values[index + i];
    if (!value_known(part)) {
      machine_refuse(m, t, "printf of a floating point number that depends on inputs");
      return false;
    }
    parts[i] = part.number;
  }
  if (extended)
    out->extended = extended_number(parts);
  else
    out->plain = arith_to_double(64, parts[0]);
  return true;
}

static enum flow format_any(struct machine *m, struct thread *t, const struct arguments *a,
                            bool extended) {
  char flags[32], format[FORMAT_SIZE], text[TEXT_SIZE];
  int64_t to, size, width, precision;
  union shown_number number;
  if (!sync_number(m, t, a, 0, &to) || !sync_number(m, t, a, 1, &size) ||
      !files_text(m, t, a, 2, flags, sizeof flags) || !sync_number(m, t, a, 3, &width) ||
      !sync_number(m, t, a, 4, &precision) || !read_argument(m, t, a, 5, extended, &number))
    return FLOW_STANDS;
  if (!make_format(format, flags, width, precision, extended))
    return machine_refuse(m, t, "printf of a number with such a format");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int count = extended ? snprintf(text, sizeof text, format, number.extended)
                             : snprintf(text, sizeof text, format, number.plain);
#pragma GCC diagnostic pop
  if (count < 0 || count >= size || count >= (int)sizeof text)
    return machine_refuse(m, t, "printf of so long a number");
  if (!files_write_text(m, t, to, text)) return FLOW_STANDS;
  return machine_number(t, a, count);
}

static enum flow format_double(struct machine *m, struct thread *t, const struct arguments *a) {
  return format_any(m, t, a, false);
}

static enum flow format_extended(struct machine *m, struct thread *t, const struct arguments *a) {
  return format_any(m, t, a, true);
}

/* A number of so many bits, which is rounded once. */
static enum flow parse_any(struct machine *m, struct thread *t, const struct arguments *a,
                           unsigned width) {
  char text[512], *end;
  int64_t to, parts[2];
  if (!files_text(m, t, a, 0, text, sizeof text) || !sync_number(m, t, a, 1, &to))
    return FLOW_STANDS;
  if (width > 64)
    extended_parts(strtold(text, &end), parts);
  else
    parts[0] =
        arith_of_double(width, width == 32 ? (double)strtof(text, &end) : strtod(text, &end));
  if (!sync_put(m, t, (uint64_t)to, width < 64 ? width : 64, parts[0]) ||
      (width > 64 && !sync_put(m, t, (uint64_t)to + sizeof parts[0], width - 64, parts[1])))
    return FLOW_STANDS;
  return machine_number(t, a, end - text);
}

static enum flow parse_float(struct machine *m, struct thread *t, const struct arguments *a) {
  return parse_any(m, t, a, 32);
}

static enum flow parse_double(struct machine *m, struct thread *t, const struct arguments *a) {
  return parse_any(m, t, a, 64);
}

static enum flow parse_extended(struct machine *m, struct thread *t, const struct arguments *a) {
  return parse_any(m, t, a, 80);
}

const struct builtin_entry builtins_texts[] = {
    {"__unfold_format_double", format_double},   {"__unfold_format_extended", format_extended},
    {"__unfold_parse_float", parse_float},       {"__unfold_parse_double", parse_double},
    {"__unfold_parse_extended", parse_extended}, {NULL, NULL},
};
