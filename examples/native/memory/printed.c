/*
 * The families of printf and scanf, on behalf of code whose accesses are seen.
 */
#include "format.h"

#include <stdlib.h>

#define CHECKED(name, ...) INTERPOSE int name(__VA_ARGS__)

CHECKED(__vfprintf_chk, FILE *stream, int flag, const char *format, va_list values);
CHECKED(__vdprintf_chk, int file, int flag, const char *format, va_list values);
CHECKED(__vsprintf_chk, char *to, int flag, size_t room, const char *format, va_list values);
CHECKED(__vsnprintf_chk, char *to, size_t size, int flag, size_t room, const char *format,
        va_list values);
CHECKED(__vasprintf_chk, char **to, int flag, const char *format, va_list values);
CHECKED(__vprintf_chk, int flag, const char *format, va_list values);

/* The header's vfscanf() and vsscanf() are one of these pairs, by their names. */
CHECKED(__isoc99_vfscanf, FILE *stream, const char *format, va_list values);
CHECKED(__isoc99_vsscanf, const char *text, const char *format, va_list values);
CHECKED(__isoc23_vfscanf, FILE *stream, const char *format, va_list values);
CHECKED(__isoc23_vsscanf, const char *text, const char *format, va_list values);

#define NEXT_TABLE(X)                                                                              \
  X(vfprintf)                                                                                      \
  X(vdprintf)                                                                                      \
  X(vsprintf)                                                                                      \
  X(vsnprintf)                                                                                     \
  X(vasprintf)                                                                                     \
  X(__vfprintf_chk)                                                                                \
  X(__vdprintf_chk)                                                                                \
  X(__vsprintf_chk)                                                                                \
  X(__vsnprintf_chk)                                                                               \
  X(__vasprintf_chk)                                                                               \
  X(vfscanf)                                                                                       \
  X(vsscanf)                                                                                       \
  X(__isoc99_vfscanf)                                                                              \
  X(__isoc99_vsscanf)                                                                              \
  X(__isoc23_vfscanf)                                                                              \
  X(__isoc23_vsscanf)
#include "next.h"

/* Where it goes to, and what the compiler knows of that (_FORTIFY_SOURCE). */
enum output_kind { TO_STREAM, TO_FILE, TO_TEXT, TO_PART, TO_BLOCK };
struct output {
  enum output_kind kind;
  bool checked;
  int flag;
  FILE *stream;
  int file;
  char *text, **block;
  size_t size, room;
};

static int perform(const struct output *o, const char *format, va_list values) {
  switch (o->kind) {
  case TO_STREAM:
    return o->checked ? NEXT(__vfprintf_chk)(o->stream, o->flag, format, values)
                      : NEXT(vfprintf)(o->stream, format, values);
  case TO_FILE:
    return o->checked ? NEXT(__vdprintf_chk)(o->file, o->flag, format, values)
                      : NEXT(vdprintf)(o->file, format, values);
  case TO_TEXT:
    return o->checked ? NEXT(__vsprintf_chk)(o->text, o->flag, o->room, format, values)
                      : NEXT(vsprintf)(o->text, format, values);
  case TO_PART:
    return o->checked ? NEXT(__vsnprintf_chk)(o->text, o->size, o->flag, o->room, format, values)
                      : NEXT(vsnprintf)(o->text, o->size, format, values);
  default:
    return o->checked ? NEXT(__vasprintf_chk)(o->block, o->flag, format, values)
                      : NEXT(vasprintf)(o->block, format, values);
  }
}

/* How much of a text is about to be written, at most. */
static size_t size_of(const struct output *o, const struct format *f, const char *format,
                      va_list values) {
  if (o->kind == TO_PART) return o->size;
  if (o->kind != TO_TEXT || f->writings > 0) return 0;
  va_list again;
  va_copy(again, values);
  const int size = NEXT(vsnprintf)(NULL, 0, format, again);
  va_end(again);
  return size < 0 ? 0 : (size_t)size + 1;
}

static int print(const struct output *o, const char *name, const char *format, va_list values,
                 uint64_t place) {
  struct format f;
  if (!unfold_watching || !unfold_counts(place)) return perform(o, format, values);
  format_begin(&f, format, __builtin_alloca(format_size(format)));
  if (o->kind == TO_STREAM) format_reads(&f, stream_life(o->stream), sizeof(void *), false);
  format_printed(&f, format, values);
  format_before(&f, name, place);
  const size_t most = size_of(o, &f, format, values);
  if (most > 0) unfold_coming(o->text, most, place);
  if (o->kind == TO_BLOCK) unfold_coming(o->block, sizeof *o->block, place);
  const int count = perform(o, format, values);
  format_after(&f, count, place);
  if (count < 0) return count;
  const size_t size = (size_t)count + 1;
  if (o->kind == TO_TEXT) unfold_touched(o->text, size, true, place);
  if (o->kind == TO_PART) unfold_touched(o->text, SMALLER(size, o->size), true, place);
  if (o->kind == TO_BLOCK) unfold_touched(o->block, sizeof *o->block, true, place);
  return count;
}

/* Both forms of a function: X(name, its own arguments, struct output). */
#define PRINTED(name, arguments, ...)                                                              \
  INTERPOSE int name(PRINTED_##arguments, const char *format, ...) {                               \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    const int count = print(&(struct output){__VA_ARGS__}, #name, format, values, CALLER);         \
    va_end(values);                                                                                \
    return count;                                                                                  \
  }                                                                                                \
  INTERPOSE int v##name(PRINTED_##arguments, const char *format, va_list values) {                 \
    return print(&(struct output){__VA_ARGS__}, #name, format, values, CALLER);                    \
  }
#define PRINTED_stream FILE *stream
#define PRINTED_file   int file
#define PRINTED_text   char *text
#define PRINTED_part   char *text, size_t size
#define PRINTED_block  char **block
PRINTED(fprintf, stream, TO_STREAM, .stream = stream)
PRINTED(dprintf, file, TO_FILE, .file = file)
PRINTED(sprintf, text, TO_TEXT, .text = text)
PRINTED(snprintf, part, TO_PART, .text = text, .size = size)
PRINTED(asprintf, block, TO_BLOCK, .block = block)

/* Those that are checked have names that begin with two underscores. */
#define PRINTED_CHECKED(name, arguments, ...)                                                      \
  CHECKED(__##name##_chk, CHECKED_##arguments, const char *format, ...);                           \
  int __##name##_chk(CHECKED_##arguments, const char *format, ...) {                               \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    const struct output output = {.checked = true, .flag = flag, __VA_ARGS__};                     \
    const int count = print(&output, #name, format, values, CALLER);                               \
    va_end(values);                                                                                \
    return count;                                                                                  \
  }                                                                                                \
  int __v##name##_chk(CHECKED_##arguments, const char *format, va_list values) {                   \
    const struct output output = {.checked = true, .flag = flag, __VA_ARGS__};                     \
    return print(&output, #name, format, values, CALLER);                                          \
  }
#define CHECKED_stream FILE *stream, int flag
#define CHECKED_file   int file, int flag
#define CHECKED_text   char *text, int flag, size_t room
#define CHECKED_part   char *text, size_t size, int flag, size_t room
#define CHECKED_block  char **block, int flag
PRINTED_CHECKED(fprintf, stream, .kind = TO_STREAM, .stream = stream)
PRINTED_CHECKED(dprintf, file, .kind = TO_FILE, .file = file)
PRINTED_CHECKED(sprintf, text, .kind = TO_TEXT, .text = text, .room = room)
PRINTED_CHECKED(snprintf, part, .kind = TO_PART, .text = text, .size = size, .room = room)
PRINTED_CHECKED(asprintf, block, .kind = TO_BLOCK, .block = block)

INTERPOSE int printf(const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int count = print(&(struct output){.stream = stdout}, "printf", format, values, CALLER);
  va_end(values);
  return count;
}

INTERPOSE int vprintf(const char *format, va_list values) {
  return print(&(struct output){.stream = stdout}, "printf", format, values, CALLER);
}

CHECKED(__printf_chk, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const struct output output = {.checked = true, .flag = flag, .stream = stdout};
  const int count = print(&output, "printf", format, values, CALLER);
  va_end(values);
  return count;
}

int __vprintf_chk(int flag, const char *format, va_list values) {
  const struct output output = {.checked = true, .flag = flag, .stream = stdout};
  return print(&output, "printf", format, values, CALLER);
}

/* ---- scanf ---- */

/* Whose rules: glibc has a name of each function for each of them, those of C23 since 2.38. */
enum rules { OF_C89, OF_C99, OF_C23 };

/* From a stream or a text. */
struct input {
  FILE *stream;
  const char *text;
  enum rules rules;
};

static int take(const struct input *in, const char *format, va_list values) {
  switch (in->rules) {
  case OF_C89:
    return in->text == NULL ? NEXT(vfscanf)(in->stream, format, values)
                            : NEXT(vsscanf)(in->text, format, values);
  case OF_C99:
    return in->text == NULL ? NEXT(__isoc99_vfscanf)(in->stream, format, values)
                            : NEXT(__isoc99_vsscanf)(in->text, format, values);
  default:
    return in->text == NULL ? NEXT(__isoc23_vfscanf)(in->stream, format, values)
                            : NEXT(__isoc23_vsscanf)(in->text, format, values);
  }
}

static int scan(const struct input *in, const char *format, va_list values, uint64_t place) {
  struct format f;
  if (!unfold_watching || !unfold_counts(place)) return take(in, format, values);
  format_begin(&f, format, __builtin_alloca(format_size(format)));
  f.older = in->rules == OF_C89;
  if (in->text == NULL)
    format_reads(&f, stream_life(in->stream), sizeof(void *), false);
  else
    format_reads(&f, in->text, SIZE_MAX, true);
  format_scanned(&f, format, values);
  format_before(&f, "scanf", place);
  const int count = take(in, format, values);
  format_after(&f, count, place);
  return count;
}

/* Under which name it is exported, which is another one than that of the header. */
#define SCANNED(name, arguments, ...)                                                              \
  INTERPOSE int scanned_##name(arguments const char *format, ...) __asm__(#name);                  \
  int scanned_##name(arguments const char *format, ...) {                                          \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    const int count = scan(&(struct input){__VA_ARGS__}, format, values, CALLER);                  \
    va_end(values);                                                                                \
    return count;                                                                                  \
  }
#define SCANNED_LIST(name, arguments, ...)                                                         \
  INTERPOSE int scanned_##name(arguments const char *format, va_list values) __asm__(#name);       \
  int scanned_##name(arguments const char *format, va_list values) {                               \
    return scan(&(struct input){__VA_ARGS__}, format, values, CALLER);                             \
  }
#define NO_ARGUMENT
#define FROM_STREAM FILE *stream,
#define FROM_TEXT   const char *text,
SCANNED(scanf, NO_ARGUMENT, .stream = stdin, .rules = OF_C89)
SCANNED(fscanf, FROM_STREAM, .stream = stream, .rules = OF_C89)
SCANNED(sscanf, FROM_TEXT, .text = text, .rules = OF_C89)
SCANNED(__isoc99_scanf, NO_ARGUMENT, .stream = stdin, .rules = OF_C99)
SCANNED(__isoc99_fscanf, FROM_STREAM, .stream = stream, .rules = OF_C99)
SCANNED(__isoc99_sscanf, FROM_TEXT, .text = text, .rules = OF_C99)
SCANNED(__isoc23_scanf, NO_ARGUMENT, .stream = stdin, .rules = OF_C23)
SCANNED(__isoc23_fscanf, FROM_STREAM, .stream = stream, .rules = OF_C23)
SCANNED(__isoc23_sscanf, FROM_TEXT, .text = text, .rules = OF_C23)
SCANNED_LIST(vscanf, NO_ARGUMENT, .stream = stdin, .rules = OF_C89)
SCANNED_LIST(vfscanf, FROM_STREAM, .stream = stream, .rules = OF_C89)
SCANNED_LIST(vsscanf, FROM_TEXT, .text = text, .rules = OF_C89)
SCANNED_LIST(__isoc99_vscanf, NO_ARGUMENT, .stream = stdin, .rules = OF_C99)
SCANNED_LIST(__isoc99_vfscanf, FROM_STREAM, .stream = stream, .rules = OF_C99)
SCANNED_LIST(__isoc99_vsscanf, FROM_TEXT, .text = text, .rules = OF_C99)
SCANNED_LIST(__isoc23_vscanf, NO_ARGUMENT, .stream = stdin, .rules = OF_C23)
SCANNED_LIST(__isoc23_vfscanf, FROM_STREAM, .stream = stream, .rules = OF_C23)
SCANNED_LIST(__isoc23_vsscanf, FROM_TEXT, .text = text, .rules = OF_C23)
