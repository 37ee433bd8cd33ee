/* Streams of open files (descriptors.c), without buffers. */
#define _GNU_SOURCE
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* ---- streams ---- */

enum { NOTHING = -2, FIRST = 3 };

/* Programs look into what glibc has there, which finds no bytes in the buffer, so that functions
 * are called; and at the flags that it reached its end, or failed. */
struct stream {
  struct _IO_FILE known;
  int file, back;           /* back: a character that was given back, or NOTHING */
  int depth;                /* of flockfile() */
  struct in_memory *memory; /* NULL: a file */
};

/* What is written stands there, where the program finds it when it is flushed or closed. */
struct in_memory {
  char **to;
  size_t *to_size;
  char *bytes;
  size_t size, room;
};
enum { AT_END = 0x10, FAILED = 0x20 };
static struct stream standard[FIRST] = {
    {.file = 0, .back = NOTHING}, {.file = 1, .back = NOTHING}, {.file = 2, .back = NOTHING}};
struct _IO_FILE *stdin = (void *)&standard[0], *stdout = (void *)&standard[1],
                *stderr = (void *)&standard[2];

static struct stream *stream_of(FILE *f) {
  return (struct stream *)f;
}

FILE *fdopen(int number, const char *mode) {
  (void)mode;
  struct stream *s = __unfold_allocate(sizeof *s);
  *s = (struct stream){.file = number, .back = NOTHING};
  return (FILE *)s;
}

static int flags_of(const char *mode) {
  const bool both = strchr(mode, '+') != NULL;
  const int more = (strchr(mode, 'x') != NULL ? O_EXCL : 0) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
  if (mode[0] == 'r') return (both ? O_RDWR : O_RDONLY) | more;
  return (both ? O_RDWR : O_WRONLY) | O_CREAT | (mode[0] == 'a' ? O_APPEND : O_TRUNC) | more;
}

FILE *fopen(const char *path, const char *mode) {
  const int number = open(path, flags_of(mode), 0666);
  return number >= 0 ? fdopen(number, mode) : NULL;
}

FILE *freopen(const char *path, const char *mode, FILE *f) {
  struct stream *s = stream_of(f);
  const int number = path != NULL ? open(path, flags_of(mode), 0666) : s->file;
  if (path != NULL) close(s->file);
  if (number < 0) return NULL;
  const int file = path != NULL && s < standard + FIRST && s >= standard
                       ? dup2(number, (int)(s - standard))
                       : number;
  if (file != number) close(number);
  *s = (struct stream){.file = file, .back = NOTHING};
  return f;
}

FILE *freopen64(const char *path, const char *mode, FILE *f) {
  return freopen(path, mode, f);
}

FILE *tmpfile(void) {
  char path[] = "/tmp/XXXXXX";
  const int number = mkstemp(path);
  return number >= 0 ? fdopen(number, "w+") : NULL;
}

FILE *fopen64(const char *path, const char *mode) {
  return fopen(path, mode);
}

FILE *open_memstream(char **to, size_t *size) {
  FILE *f = fdopen(-1, "w");
  struct in_memory *memory = __unfold_allocate(sizeof *memory);
  *memory = (struct in_memory){.to = to, .to_size = size, .bytes = calloc(1, 1), .room = 1};
  stream_of(f)->memory = memory;
  return f;
}

/* There is always a 0 behind it. */
static void append(struct in_memory *m, const char *from, size_t size) {
  if (m->size + size + 1 > m->room) {
    m->room = 2 * (m->size + size) + 1;
    m->bytes = realloc(m->bytes, m->room);
  }
  memcpy(m->bytes + m->size, from, size);
  m->size += size;
  m->bytes[m->size] = '\0';
}

static void publish(struct stream *s) {
  if (s->memory == NULL) return;
  *s->memory->to = s->memory->bytes;
  *s->memory->to_size = s->memory->size;
}

int fclose(FILE *f) {
  struct stream *s = stream_of(f);
  publish(s);
  const int result = s->memory != NULL ? 0 : close(s->file);
  free(s->memory);
  if (s < standard || s >= standard + FIRST) free(s);
  return result;
}

int fileno(FILE *f) {
  return stream_of(f)->file;
}

void flockfile(FILE *f) {
  struct stream *s = stream_of(f);
  if (!__unfold_holds(s)) __unfold_lock(s);
  s->depth++;
}

int ftrylockfile(FILE *f) {
  struct stream *s = stream_of(f);
  if (!__unfold_holds(s) && __unfold_trylock(s) != 0) return -1;
  s->depth++;
  return 0;
}

void funlockfile(FILE *f) {
  struct stream *s = stream_of(f);
  if (--s->depth == 0) __unfold_unlock(s);
}

/* Each function has the stream for itself, unless the thread is known to be the only one. */
static bool enter(FILE *f) {
  const bool shared = !__unfold_alone();
  if (shared) flockfile(f);
  return shared;
}

static void leave(FILE *f, bool entered) {
  if (entered) funlockfile(f);
}

static void set_flag(struct stream *s, int flag) {
  s->known._flags |= flag;
}

/* Reads until there are so many bytes, or there is an end, behind which nothing is looked for. */
static size_t read_all(struct stream *s, char *to, size_t size) {
  size_t done = 0;
  if (size > 0 && s->back != NOTHING) {
    to[done++] = (char)s->back;
    s->back = NOTHING;
  }
  while (done < size && (s->known._flags & AT_END) == 0) {
    const ssize_t got = read(s->file, to + done, size - done);
    if (got == 0) set_flag(s, AT_END);
    if (got < 0) set_flag(s, FAILED);
    if (got < 0) break;
    done += (size_t)got;
  }
  return done;
}

int fgetc_unlocked(FILE *f) {
  char c = 0;
  return read_all(stream_of(f), &c, 1) == 1 ? (unsigned char)c : EOF;
}

int fgetc(FILE *f) {
  const bool entered = enter(f);
  const int c = fgetc_unlocked(f);
  leave(f, entered);
  return c;
}
int getc(FILE *f) {
  return fgetc(f);
}
int getc_unlocked(FILE *f) {
  return fgetc_unlocked(f);
}
int _IO_getc(FILE *f) {
  return fgetc(f);
}
int getchar(void) {
  return fgetc(stdin);
}
int getchar_unlocked(void) {
  return fgetc_unlocked(stdin);
}

int ungetc(int c, FILE *f) {
  if (c == EOF) return EOF;
  const bool entered = enter(f);
  stream_of(f)->back = (unsigned char)c;
  stream_of(f)->known._flags &= ~AT_END;
  leave(f, entered);
  return (unsigned char)c;
}

char *fgets_unlocked(char *to, int size, FILE *f) {
  int count = 0;
  if (size <= 0) return NULL;
  while (count < size - 1) {
    const int c = fgetc_unlocked(f);
    if (c == EOF) break;
    to[count++] = (char)c;
    if (c == '\n') break;
  }
  if (count == 0 && size > 1) return NULL;
  to[count] = '\0';
  return to;
}

char *fgets(char *to, int size, FILE *f) {
  const bool entered = enter(f);
  char *line = fgets_unlocked(to, size, f);
  leave(f, entered);
  return line;
}

size_t fread_unlocked(void *to, size_t size, size_t count, FILE *f) {
  const size_t all = (size_t)__unfold_known((int64_t)(size * count));
  return all == 0 ? 0 : read_all(stream_of(f), to, all) / size;
}

size_t fread(void *to, size_t size, size_t count, FILE *f) {
  const bool entered = enter(f);
  const size_t done = fread_unlocked(to, size, count, f);
  leave(f, entered);
  return done;
}

ssize_t getdelim(char **line, size_t *size, int end, FILE *f) {
  size_t count = 0;
  int c = 0;
  const bool entered = enter(f);
  while (c != end && (c = fgetc_unlocked(f)) != EOF) {
    if (*line == NULL || count + 2 > *size) {
      *size = *line == NULL || *size < 60 ? 120 : 2 * *size;
      *line = realloc(*line, *size);
    }
    (*line)[count++] = (char)c;
  }
  leave(f, entered);
  if (count == 0) return -1;
  (*line)[count] = '\0';
  return (ssize_t)count;
}

ssize_t __getdelim(char **line, size_t *size, int end, FILE *f) {
  return getdelim(line, size, end, f);
}

ssize_t getline(char **line, size_t *size, FILE *f) {
  return getdelim(line, size, '\n', f);
}

int feof_unlocked(FILE *f) {
  return (stream_of(f)->known._flags & AT_END) != 0;
}
int ferror_unlocked(FILE *f) {
  return (stream_of(f)->known._flags & FAILED) != 0;
}
void clearerr_unlocked(FILE *f) {
  stream_of(f)->known._flags &= ~(AT_END | FAILED);
}

int feof(FILE *f) {
  const bool entered = enter(f);
  const int is = feof_unlocked(f);
  leave(f, entered);
  return is;
}

int ferror(FILE *f) {
  const bool entered = enter(f);
  const int is = ferror_unlocked(f);
  leave(f, entered);
  return is;
}

void clearerr(FILE *f) {
  const bool entered = enter(f);
  clearerr_unlocked(f);
  leave(f, entered);
}

int fseek(FILE *f, long offset, int whence) {
  const bool entered = enter(f);
  struct stream *s = stream_of(f);
  if (s->memory != NULL) __unfold_unsupported("fseek in a stream of memory");
  if (whence == SEEK_CUR && s->back != NOTHING) offset--;
  s->back = NOTHING;
  s->known._flags &= ~AT_END;
  const off_t at = lseek(s->file, offset, whence);
  leave(f, entered);
  return at < 0 ? -1 : 0;
}

long ftell(FILE *f) {
  const bool entered = enter(f);
  const struct stream *s = stream_of(f);
  const off_t at = s->memory != NULL ? (off_t)s->memory->size : lseek(s->file, 0, SEEK_CUR);
  const long result = at < 0 ? -1 : at - (stream_of(f)->back != NOTHING);
  leave(f, entered);
  return result;
}

void rewind(FILE *f) {
  fseek(f, 0, SEEK_SET);
  clearerr(f);
}

int fgetpos(FILE *restrict f, fpos_t *restrict to) {
  const long at = ftell(f);
  *to = (fpos_t){.__pos = at};
  return at < 0 ? -1 : 0;
}

int fsetpos(FILE *f, const fpos_t *at) {
  return fseek(f, at->__pos, SEEK_SET);
}

/* ---- what is written ---- */

size_t fwrite_unlocked(const void *from, size_t size, size_t count, FILE *f) {
  if (size == 0) return 0;
  if (stream_of(f)->memory != NULL) {
    append(stream_of(f)->memory, from, size * count);
    return count;
  }
  if (write(stream_of(f)->file, from, size * count) >= 0) return count;
  set_flag(stream_of(f), FAILED);
  return 0;
}

/* What is dropped comes in no order. */
size_t fwrite(const void *from, size_t size, size_t count, FILE *f) {
  const bool entered = !__env_drops(stream_of(f)->file) && enter(f);
  const size_t done = fwrite_unlocked(from, size, count, f);
  leave(f, entered);
  return done;
}

int fputs(const char *text, FILE *f) {
  const size_t size = strlen(text);
  return size > 0 && fwrite(text, size, 1, f) == 0 ? EOF : 1;
}

int puts(const char *text) {
  return fputs(text, stdout) < 0 || fputc('\n', stdout) < 0 ? EOF : (int)strlen(text) + 1;
}

int fputc(int c, FILE *f) {
  const char byte = (char)c;
  return fwrite(&byte, 1, 1, f) == 0 ? EOF : (unsigned char)c;
}

int putc(int c, FILE *f) {
  return fputc(c, f);
}
int _IO_putc(int c, FILE *f) {
  return fputc(c, f);
}

int putchar(int c) {
  return fputc(c, stdout);
}

int fflush(FILE *f) {
  if (f == NULL) return 0; /* a stream of memory has to be flushed by its name */
  const bool entered = stream_of(f)->memory != NULL && enter(f);
  publish(stream_of(f));
  leave(f, entered);
  return 0;
}

void perror(const char *text) {
  (void)text;
}

int setvbuf(FILE *f, char *buffer, int mode, size_t size) {
  (void)f;
  (void)buffer;
  (void)mode;
  (void)size;
  return 0;
}

void setbuf(FILE *f, char *buffer) {
  (void)f;
  (void)buffer;
}

/* ---- other names ---- */

int __overflow(FILE *f, int c) {
  return fputc(c, f);
}
int __uflow(FILE *f) {
  return fgetc_unlocked(f);
}
int fputs_unlocked(const char *text, FILE *f) {
  return fputs(text, f);
}
int fputc_unlocked(int c, FILE *f) {
  return fputc(c, f);
}
int putc_unlocked(int c, FILE *f) {
  return fputc(c, f);
}
int putchar_unlocked(int c) {
  return fputc(c, stdout);
}
int fflush_unlocked(FILE *f) {
  return fflush(f);
}
int fseeko(FILE *f, off_t offset, int whence) {
  return fseek(f, offset, whence);
}
off_t ftello(FILE *f) {
  return ftell(f);
}
int fseeko64(FILE *f, off_t offset, int whence) {
  return fseek(f, offset, whence);
}
off_t ftello64(FILE *f) {
  return ftell(f);
}
int fileno_unlocked(FILE *f) {
  return fileno(f);
}
size_t __fpending(FILE *f) {
  (void)f;
  return 0;
}
int __freading(FILE *f) {
  (void)f;
  return 0;
}
int __fwriting(FILE *f) {
  (void)f;
  return 0;
}
void __fpurge(FILE *f) {
  (void)f;
}
int fcloseall(void) {
  return 0;
}
void setlinebuf(FILE *f) {
  (void)f;
}
void setbuffer(FILE *f, char *buffer, size_t size) {
  (void)f;
  (void)buffer;
  (void)size;
}
