/*
 * Streams, on behalf of code whose accesses are seen: the memory that comes or goes, and whether
 * the stream is still there. What is in it is kept apart by its lock, but for functions that do not
 * take it.
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#undef fread_unlocked
#undef fwrite_unlocked

INTERPOSE size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *stream);
INTERPOSE char *__fgets_chk(char *to, size_t room, int size, FILE *stream);
INTERPOSE ssize_t __getdelim(char **line, size_t *size, int last, FILE *stream);

#define NEXT_TABLE(X)                                                                              \
  X(fread)                                                                                         \
  X(__fread_chk)                                                                                   \
  X(fread_unlocked)                                                                                \
  X(fwrite)                                                                                        \
  X(fwrite_unlocked)                                                                               \
  X(fgets)                                                                                         \
  X(__fgets_chk)                                                                                   \
  X(fgets_unlocked)                                                                                \
  X(fputs)                                                                                         \
  X(fputs_unlocked)                                                                                \
  X(puts)                                                                                          \
  X(getdelim)                                                                                      \
  X(fopen)                                                                                         \
  X(fclose)                                                                                        \
  X(fflush)                                                                                        \
  X(fflush_unlocked)                                                                               \
  X(fputc)                                                                                         \
  X(fputc_unlocked)                                                                                \
  X(fgetc)                                                                                         \
  X(fgetc_unlocked)                                                                                \
  X(ungetc)                                                                                        \
  X(fseek)                                                                                         \
  X(fseeko)                                                                                        \
  X(ftell)                                                                                         \
  X(ftello)                                                                                        \
  X(rewind)                                                                                        \
  X(feof)                                                                                          \
  X(ferror)                                                                                        \
  X(clearerr)                                                                                      \
  X(fileno)                                                                                        \
  X(perror)
#include "next.h"

/* Without its lock (`alone`) all of the stream counts as written. */
static void use(const FILE *stream, bool alone, uint64_t place) {
  unfold_touched(stream_life(stream), sizeof(void *), alone, place);
}

/* Two accesses that read: the stream, and memory or a text. */
static void use_and_read(const FILE *stream, const void *memory, size_t size, bool text,
                         uint64_t place) {
  struct reading readings[] = {{stream_life(stream), sizeof(void *), false, '\0'},
                               {memory, size, text, '\0'}};
  unfold_reads(readings, 2, place);
}

#define TAKES(name, alone, ...)                                                                    \
  if (!WATCHED) return NEXT(name)(__VA_ARGS__);                                                    \
  use(stream, alone, CALLER);                                                                      \
  COMING(to, size *count);                                                                         \
  const size_t got = NEXT(name)(__VA_ARGS__);                                                      \
  WRITES(to, got *size);                                                                           \
  return got

INTERPOSE size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream) {
  TAKES(fread, false, to, size, count, stream);
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *stream) {
  TAKES(__fread_chk, false, to, room, size, count, stream);
}

INTERPOSE size_t fread_unlocked(void *restrict to, size_t size, size_t count,
                                FILE *restrict stream) {
  TAKES(fread_unlocked, true, to, size, count, stream);
}

#define TAKES_LINE(name, alone, ...)                                                               \
  if (!WATCHED) return NEXT(name)(__VA_ARGS__);                                                    \
  use(stream, alone, CALLER);                                                                      \
  COMING(to, size > 0 ? (size_t)size : 0);                                                         \
  char *const line = NEXT(name)(__VA_ARGS__);                                                      \
  if (line != NULL) WRITES(to, strlen(line) + 1);                                                  \
  return line

INTERPOSE char *fgets(char *restrict to, int size, FILE *restrict stream) {
  TAKES_LINE(fgets, false, to, size, stream);
}

char *__fgets_chk(char *to, size_t room, int size, FILE *stream) {
  TAKES_LINE(__fgets_chk, false, to, room, size, stream);
}

INTERPOSE char *fgets_unlocked(char *restrict to, int size, FILE *restrict stream) {
  TAKES_LINE(fgets_unlocked, true, to, size, stream);
}

/* The block for a line may be another one afterwards. */
static ssize_t take_line(char **line, size_t *size, int last, FILE *stream, uint64_t place) {
  if (!unfold_watching || !unfold_counts(place)) return NEXT(getdelim)(line, size, last, stream);
  struct reading readings[] = {{stream_life(stream), sizeof(void *), false, '\0'},
                               {line, sizeof *line, false, '\0'},
                               {size, sizeof *size, false, '\0'}};
  unfold_reads(readings, 3, place);
  const char *const before = *line;
  const size_t room = *size;
  unfold_coming(line, sizeof *line, place);
  unfold_coming(size, sizeof *size, place);
  if (before != NULL) unfold_coming(before, room, place);
  const ssize_t got = NEXT(getdelim)(line, size, last, stream);
  if (*line != before) unfold_touched(line, sizeof *line, true, place);
  if (*size != room) unfold_touched(size, sizeof *size, true, place);
  if (got >= 0) unfold_touched(*line, (size_t)got + 1, true, place);
  return got;
}

INTERPOSE ssize_t getdelim(char **restrict line, size_t *restrict size, int last,
                           FILE *restrict stream) {
  return take_line(line, size, last, stream, CALLER);
}

ssize_t __getdelim(char **line, size_t *size, int last, FILE *stream) {
  return take_line(line, size, last, stream, CALLER);
}

INTERPOSE ssize_t getline(char **restrict line, size_t *restrict size, FILE *restrict stream) {
  return take_line(line, size, '\n', stream, CALLER);
}

INTERPOSE size_t fwrite(const void *restrict from, size_t size, size_t count,
                        FILE *restrict stream) {
  if (WATCHED) use_and_read(stream, from, size * count, false, CALLER);
  return NEXT(fwrite)(from, size, count, stream);
}

INTERPOSE size_t fwrite_unlocked(const void *restrict from, size_t size, size_t count,
                                 FILE *restrict stream) {
  if (WATCHED) READS(from, size * count), use(stream, true, CALLER);
  return NEXT(fwrite_unlocked)(from, size, count, stream);
}

INTERPOSE int fputs(const char *restrict text, FILE *restrict stream) {
  if (WATCHED) use_and_read(stream, text, SIZE_MAX, true, CALLER);
  return NEXT(fputs)(text, stream);
}

INTERPOSE int fputs_unlocked(const char *restrict text, FILE *restrict stream) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, '\0'), use(stream, true, CALLER);
  return NEXT(fputs_unlocked)(text, stream);
}

INTERPOSE int puts(const char *text) {
  if (WATCHED) use_and_read(stdout, text, SIZE_MAX, true, CALLER);
  return NEXT(puts)(text);
}

INTERPOSE void perror(const char *text) {
  if (WATCHED && text != NULL) use_and_read(stderr, text, SIZE_MAX, true, CALLER);
  NEXT(perror)(text);
}

INTERPOSE FILE *fopen(const char *restrict path, const char *restrict how) {
  if (WATCHED) COMPARES(path, strlen(path) + 1, how, strlen(how) + 1);
  return NEXT(fopen)(path, how);
}
OLDER_NAME(fopen64, fopen);

INTERPOSE int fclose(FILE *stream) {
  if (WATCHED) use(stream, true, CALLER);
  return NEXT(fclose)(stream);
}

INTERPOSE int fflush(FILE *stream) {
  if (WATCHED && stream != NULL) use(stream, false, CALLER);
  return NEXT(fflush)(stream);
}

INTERPOSE int fflush_unlocked(FILE *stream) {
  if (WATCHED && stream != NULL) use(stream, true, CALLER);
  return NEXT(fflush_unlocked)(stream);
}

/* X(type, name, its other arguments with a comma behind, the same without types, alone) */
#define USES(type, name, parameters, arguments, alone)                                             \
  INTERPOSE type name(parameters FILE *stream) {                                                   \
    if (WATCHED) use(stream, alone, CALLER);                                                       \
    RETURN_##type NEXT(name)(arguments stream);                                                    \
  }
#define RETURN_int   return
#define RETURN_long  return
#define RETURN_off_t return
#define RETURN_void
#define NOTHING
#define A_BYTE   int byte,
#define THE_BYTE byte,
USES(int, fputc, A_BYTE, THE_BYTE, false)
USES(int, fputc_unlocked, A_BYTE, THE_BYTE, true)
USES(int, fgetc, NOTHING, NOTHING, false)
USES(int, fgetc_unlocked, NOTHING, NOTHING, true)
USES(int, ungetc, A_BYTE, THE_BYTE, false)
USES(long, ftell, NOTHING, NOTHING, false)
USES(off_t, ftello, NOTHING, NOTHING, false)
USES(void, rewind, NOTHING, NOTHING, false)
USES(int, feof, NOTHING, NOTHING, false)
USES(int, ferror, NOTHING, NOTHING, false)
USES(void, clearerr, NOTHING, NOTHING, false)
USES(int, fileno, NOTHING, NOTHING, false)
OLDER_NAME(putc, fputc);
OLDER_NAME(_IO_putc, fputc);
OLDER_NAME(putc_unlocked, fputc_unlocked);
OLDER_NAME(getc, fgetc);
OLDER_NAME(_IO_getc, fgetc);
OLDER_NAME(getc_unlocked, fgetc_unlocked);
OLDER_NAME(ftello64, ftello);

INTERPOSE int putchar(int byte) {
  if (WATCHED) use(stdout, false, CALLER);
  return NEXT(fputc)(byte, stdout);
}

INTERPOSE int putchar_unlocked(int byte) {
  if (WATCHED) use(stdout, true, CALLER);
  return NEXT(fputc_unlocked)(byte, stdout);
}

INTERPOSE int getchar(void) {
  if (WATCHED) use(stdin, false, CALLER);
  return NEXT(fgetc)(stdin);
}

INTERPOSE int fseek(FILE *stream, long to, int from) {
  if (WATCHED) use(stream, false, CALLER);
  return NEXT(fseek)(stream, to, from);
}

INTERPOSE int fseeko(FILE *stream, off_t to, int from) {
  if (WATCHED) use(stream, false, CALLER);
  return NEXT(fseeko)(stream, to, from);
}
OLDER_NAME(fseeko64, fseeko);
