/* Streams of open files (descriptors.c), without buffers. */
#define _GNU_SOURCE
#include "library.h"

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
  int file, back; /* back: a character that was given back, or NOTHING */
  int depth;      /* of flockfile() */
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

int fclose(FILE *f) {
  struct stream *s = stream_of(f);
  const int result = close(s->file);
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

void funlockfile(FILE *f) {
  struct stream *s = stream_of(f);
  if (--s->depth == 0) __unfold_unlock(s);
}

int fgetc_unlocked(FILE *f) {
  struct stream *s = stream_of(f);
  unsigned char c;
  if (s->back != NOTHING) {
    const int back = s->back;
    s->back = NOTHING;
    return back;
  }
  const ssize_t count = read(s->file, &c, 1);
  if (count == 1) return c;
  if (count == 0) s->known._flags |= AT_END;
  if (count < 0) s->known._flags |= FAILED;
  return EOF;
}

int fgetc(FILE *f) {
  return fgetc_unlocked(f);
}
int getc(FILE *f) {
  return fgetc_unlocked(f);
}
int getc_unlocked(FILE *f) {
  return fgetc_unlocked(f);
}
int _IO_getc(FILE *f) {
  return fgetc_unlocked(f);
}
int getchar(void) {
  return fgetc_unlocked(stdin);
}
int getchar_unlocked(void) {
  return fgetc_unlocked(stdin);
}

int ungetc(int c, FILE *f) {
  if (c == EOF) return EOF;
  stream_of(f)->back = (unsigned char)c;
  stream_of(f)->known._flags &= ~AT_END;
  return (unsigned char)c;
}

char *fgets(char *to, int size, FILE *f) {
  int count = 0;
  while (count < size - 1) {
    const int c = fgetc_unlocked(f);
    if (c == EOF) break;
    to[count++] = (char)c;
    if (c == '\n') break;
  }
  if (count == 0) return NULL;
  to[count] = '\0';
  return to;
}

size_t fread(void *to, size_t size, size_t count, FILE *f) {
  struct stream *s = stream_of(f);
  size_t done = 0;
  const size_t all = size * count;
  if (all == 0) return 0;
  if (s->back != NOTHING) ((char *)to)[done++] = (char)fgetc_unlocked(f);
  const ssize_t got = done < all ? read(s->file, (char *)to + done, all - done) : 0;
  if (got > 0) done += (size_t)got;
  if (got < 0) s->known._flags |= FAILED;
  if (done < all && got >= 0) s->known._flags |= AT_END;
  return done / size;
}

ssize_t getdelim(char **line, size_t *size, int end, FILE *f) {
  size_t count = 0;
  int c = 0;
  while (c != end && (c = fgetc_unlocked(f)) != EOF) {
    if (*line == NULL || count + 2 > *size) {
      *size = *line == NULL ? 120 : 2 * *size;
      *line = realloc(*line, *size);
    }
    (*line)[count++] = (char)c;
  }
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

int feof(FILE *f) {
  return (stream_of(f)->known._flags & AT_END) != 0;
}

int ferror(FILE *f) {
  return (stream_of(f)->known._flags & FAILED) != 0;
}

void clearerr(FILE *f) {
  stream_of(f)->known._flags &= ~(AT_END | FAILED);
}

int fseek(FILE *f, long offset, int whence) {
  struct stream *s = stream_of(f);
  if (whence == SEEK_CUR && s->back != NOTHING) offset--;
  s->back = NOTHING;
  s->known._flags &= ~AT_END;
  return lseek(s->file, offset, whence) < 0 ? -1 : 0;
}

long ftell(FILE *f) {
  const off_t at = lseek(stream_of(f)->file, 0, SEEK_CUR);
  return at < 0 ? -1 : at - (stream_of(f)->back != NOTHING);
}

void rewind(FILE *f) {
  fseek(f, 0, SEEK_SET);
  clearerr(f);
}

/* ---- what is written ---- */

size_t fwrite(const void *from, size_t size, size_t count, FILE *f) {
  return size == 0 || write(stream_of(f)->file, from, size * count) < 0 ? 0 : count;
}

int fputs(const char *text, FILE *f) {
  return write(stream_of(f)->file, text, strlen(text)) < 0 ? EOF : 1;
}

int puts(const char *text) {
  return fputs(text, stdout) < 0 || fputc('\n', stdout) < 0 ? EOF : (int)strlen(text) + 1;
}

int fputc(int c, FILE *f) {
  return write(stream_of(f)->file, &c, 1) < 0 ? EOF : (unsigned char)c;
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
  (void)f;
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
size_t fread_unlocked(void *to, size_t size, size_t count, FILE *f) {
  return fread(to, size, count, f);
}
size_t fwrite_unlocked(const void *from, size_t size, size_t count, FILE *f) {
  return fwrite(from, size, count, f);
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
char *fgets_unlocked(char *to, int size, FILE *f) {
  return fgets(to, size, f);
}
int fflush_unlocked(FILE *f) {
  return fflush(f);
}
int feof_unlocked(FILE *f) {
  return feof(f);
}
int ferror_unlocked(FILE *f) {
  return ferror(f);
}
void clearerr_unlocked(FILE *f) {
  clearerr(f);
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
