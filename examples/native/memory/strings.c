/*
 * Strings and bytes, on behalf of code whose accesses are seen.
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#define NEXT_TABLE(X)                                                                              \
  X(memcpy)                                                                                        \
  X(mempcpy)                                                                                       \
  X(memmove)                                                                                       \
  X(memset)                                                                                        \
  X(memcmp)                                                                                        \
  X(memchr)                                                                                        \
  X(memrchr)                                                                                       \
  X(rawmemchr)                                                                                     \
  X(memmem)                                                                                        \
  X(memccpy)                                                                                       \
  X(bcopy)                                                                                         \
  X(bzero)                                                                                         \
  X(explicit_bzero)                                                                                \
  X(bcmp)                                                                                          \
  X(swab)                                                                                          \
  X(strlen)                                                                                        \
  X(strnlen)                                                                                       \
  X(strcpy)                                                                                        \
  X(stpcpy)                                                                                        \
  X(strncpy)                                                                                       \
  X(stpncpy)                                                                                       \
  X(strcat)                                                                                        \
  X(strncat)                                                                                       \
  X(strcmp)                                                                                        \
  X(strncmp)                                                                                       \
  X(strcasecmp)                                                                                    \
  X(strncasecmp)                                                                                   \
  X(strcoll)                                                                                       \
  X(strxfrm)                                                                                       \
  X(strchr)                                                                                        \
  X(strchrnul)                                                                                     \
  X(strrchr)                                                                                       \
  X(strstr)                                                                                        \
  X(strcasestr)                                                                                    \
  X(strspn)                                                                                        \
  X(strcspn)                                                                                       \
  X(strpbrk)                                                                                       \
  X(strtok_r)                                                                                      \
  X(strsep)                                                                                        \
  X(strdup)                                                                                        \
  X(strndup)                                                                                       \
  X(wmemcpy)                                                                                       \
  X(wmemmove)                                                                                      \
  X(wmemset)                                                                                       \
  X(wcslen)
#include "next.h"

INTERPOSE void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(memcpy)(to, from, size);
}

INTERPOSE void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(mempcpy)(to, from, size);
}

INTERPOSE void *memmove(void *to, const void *from, size_t size) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(memmove)(to, from, size);
}

INTERPOSE void *memset(void *to, int byte, size_t size) {
  if (WATCHED) WRITES(to, size);
  return NEXT(memset)(to, byte, size);
}

INTERPOSE int memcmp(const void *a, const void *b, size_t size) {
  if (WATCHED) COMPARES(a, size, b, size);
  return NEXT(memcmp)(a, b, size);
}

INTERPOSE void *memchr(const void *in, int byte, size_t size) {
  const char *at = NEXT(memchr)(in, byte, size);
  if (WATCHED) READS(in, at == NULL ? size : (size_t)(at - (const char *)in) + 1);
  return NEXT(memchr)(in, byte, size);
}

INTERPOSE size_t strlen(const char *text) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, '\0');
  return NEXT(strlen)(text);
}

INTERPOSE size_t strnlen(const char *text, size_t most) {
  if (WATCHED) READS_TEXT(text, most, '\0');
  return NEXT(strnlen)(text, most);
}

INTERPOSE char *strcpy(char *restrict to, const char *restrict from) {
  if (WATCHED) WRITES(to, READS_TEXT(from, SIZE_MAX, '\0'));
  return NEXT(strcpy)(to, from);
}

INTERPOSE char *stpcpy(char *restrict to, const char *restrict from) {
  if (WATCHED) WRITES(to, READS_TEXT(from, SIZE_MAX, '\0'));
  return NEXT(stpcpy)(to, from);
}

INTERPOSE char *strncpy(char *restrict to, const char *restrict from, size_t size) {
  if (WATCHED) READS_TEXT(from, size, '\0'), WRITES(to, size);
  return NEXT(strncpy)(to, from, size);
}

INTERPOSE char *strcat(char *restrict to, const char *restrict from) {
  size_t before = NEXT(strlen)(to), size = NEXT(strlen)(from) + 1;
  if (WATCHED) COMPARES(to, before + 1, from, size), WRITES(to + before, size);
  return NEXT(strcat)(to, from);
}

INTERPOSE char *strncat(char *restrict to, const char *restrict from, size_t most) {
  size_t before = NEXT(strlen)(to), length = NEXT(strnlen)(from, most);
  if (WATCHED)
    COMPARES(to, before + 1, from, SMALLER(length + 1, most)), WRITES(to + before, length + 1);
  return NEXT(strncat)(to, from, most);
}

/* How many bytes of both a comparison looks at. */
static size_t compared(const char *a, const char *b, size_t most) {
  size_t size = 0;
  while (size < most && a[size] == b[size] && a[size] != '\0')
    size++;
  return SMALLER(size + 1, most);
}

INTERPOSE int strcmp(const char *a, const char *b) {
  if (WATCHED) {
    size_t size = compared(a, b, SIZE_MAX);
    COMPARES(a, size, b, size);
  }
  return NEXT(strcmp)(a, b);
}

INTERPOSE int strncmp(const char *a, const char *b, size_t most) {
  if (WATCHED) {
    size_t size = compared(a, b, most);
    COMPARES(a, size, b, size);
  }
  return NEXT(strncmp)(a, b, most);
}

INTERPOSE char *strchr(const char *text, int byte) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, (char)byte);
  return NEXT(strchr)(text, byte);
}

INTERPOSE char *strrchr(const char *text, int byte) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, '\0');
  return NEXT(strrchr)(text, byte);
}

INTERPOSE char *strstr(const char *text, const char *wanted) {
  const char *at = NEXT(strstr)(text, wanted);
  size_t size = NEXT(strlen)(wanted);
  if (WATCHED)
    COMPARES(wanted, size + 1, text,
             at == NULL ? NEXT(strlen)(text) + 1 : (size_t)(at - text) + size);
  return NEXT(strstr)(text, wanted);
}

INTERPOSE char *strdup(const char *text) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, '\0');
  return NEXT(strdup)(text);
}

INTERPOSE char *strndup(const char *text, size_t most) {
  if (WATCHED) READS_TEXT(text, most, '\0');
  return NEXT(strndup)(text, most);
}

INTERPOSE void *memrchr(const void *in, int byte, size_t size) {
  const char *at = NEXT(memrchr)(in, byte, size);
  const size_t first = at == NULL ? 0 : (size_t)(at - (const char *)in);
  if (WATCHED) READS((const char *)in + first, size - first);
  return NEXT(memrchr)(in, byte, size);
}

INTERPOSE void *rawmemchr(const void *in, int byte) {
  const char *at = NEXT(rawmemchr)(in, byte);
  if (WATCHED) READS(in, (size_t)(at - (const char *)in) + 1);
  return NEXT(rawmemchr)(in, byte);
}

INTERPOSE void *memmem(const void *in, size_t size, const void *wanted, size_t length) {
  if (WATCHED) COMPARES(in, size, wanted, length);
  return NEXT(memmem)(in, size, wanted, length);
}

INTERPOSE void *memccpy(void *restrict to, const void *restrict from, int byte, size_t most) {
  const char *at = NEXT(memchr)(from, byte, most);
  const size_t size = at == NULL ? most : (size_t)(at - (const char *)from) + 1;
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(memccpy)(to, from, byte, most);
}

INTERPOSE void bcopy(const void *from, void *to, size_t size) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  NEXT(bcopy)(from, to, size);
}

INTERPOSE void bzero(void *to, size_t size) {
  if (WATCHED) WRITES(to, size);
  NEXT(bzero)(to, size);
}

INTERPOSE void explicit_bzero(void *to, size_t size) {
  if (WATCHED) WRITES(to, size);
  NEXT(explicit_bzero)(to, size);
}

INTERPOSE int bcmp(const void *a, const void *b, size_t size) {
  if (WATCHED) COMPARES(a, size, b, size);
  return NEXT(bcmp)(a, b, size);
}

INTERPOSE void swab(const void *restrict from, void *restrict to, ssize_t size) {
  if (WATCHED && size > 0) READS(from, (size_t)size), WRITES(to, (size_t)size);
  NEXT(swab)(from, to, size);
}

INTERPOSE char *stpncpy(char *restrict to, const char *restrict from, size_t size) {
  if (WATCHED) READS_TEXT(from, size, '\0'), WRITES(to, size);
  return NEXT(stpncpy)(to, from, size);
}

/* How many bytes of both a comparison looks at that takes small and capital letters for one. */
static size_t compared_roughly(const char *a, const char *b, size_t most) {
  size_t size = 0;
  while (size < most && a[size] != '\0' && NEXT(strncasecmp)(a + size, b + size, 1) == 0)
    size++;
  return SMALLER(size + 1, most);
}

INTERPOSE int strcasecmp(const char *a, const char *b) {
  if (WATCHED) {
    size_t size = compared_roughly(a, b, SIZE_MAX);
    COMPARES(a, size, b, size);
  }
  return NEXT(strcasecmp)(a, b);
}

INTERPOSE int strncasecmp(const char *a, const char *b, size_t most) {
  if (WATCHED) {
    size_t size = compared_roughly(a, b, most);
    COMPARES(a, size, b, size);
  }
  return NEXT(strncasecmp)(a, b, most);
}

INTERPOSE int strcoll(const char *a, const char *b) {
  if (WATCHED) COMPARES(a, NEXT(strlen)(a) + 1, b, NEXT(strlen)(b) + 1);
  return NEXT(strcoll)(a, b);
}

INTERPOSE size_t strxfrm(char *restrict to, const char *restrict from, size_t size) {
  if (WATCHED) READS_TEXT(from, SIZE_MAX, '\0'), COMING(to, size);
  const size_t length = NEXT(strxfrm)(to, from, size);
  if (WATCHED) WRITES(to, SMALLER(length + 1, size));
  return length;
}

INTERPOSE char *strchrnul(const char *text, int byte) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, (char)byte);
  return NEXT(strchrnul)(text, byte);
}

INTERPOSE char *strcasestr(const char *text, const char *wanted) {
  if (WATCHED) COMPARES(wanted, NEXT(strlen)(wanted) + 1, text, NEXT(strlen)(text) + 1);
  return NEXT(strcasestr)(text, wanted);
}

INTERPOSE size_t strspn(const char *text, const char *set) {
  if (WATCHED) COMPARES(set, NEXT(strlen)(set) + 1, text, NEXT(strspn)(text, set) + 1);
  return NEXT(strspn)(text, set);
}

INTERPOSE size_t strcspn(const char *text, const char *set) {
  if (WATCHED) COMPARES(set, NEXT(strlen)(set) + 1, text, NEXT(strcspn)(text, set) + 1);
  return NEXT(strcspn)(text, set);
}

INTERPOSE char *strpbrk(const char *text, const char *set) {
  if (WATCHED) COMPARES(set, NEXT(strlen)(set) + 1, text, NEXT(strcspn)(text, set) + 1);
  return NEXT(strpbrk)(text, set);
}

/* The next part of a text that is cut into parts, and where the last one ended. */
static char *cut(char *text, const char *set, char **where, uint64_t place) {
  if (!unfold_watching || !unfold_counts(place)) return NEXT(strtok_r)(text, set, where);
  if (text == NULL) unfold_touched(where, sizeof *where, false, place);
  char *from = text != NULL ? text : *where;
  if (from != NULL) {
    const size_t before = NEXT(strspn)(from, set), size = NEXT(strcspn)(from + before, set);
    unfold_read(set, NEXT(strlen)(set) + 1, from, before + size + 1, place);
    if (from[before + size] != '\0') unfold_touched(from + before + size, 1, true, place);
  }
  unfold_touched(where, sizeof *where, true, place);
  return NEXT(strtok_r)(from, set, where);
}

INTERPOSE char *strtok_r(char *restrict text, const char *restrict set, char **restrict where) {
  return cut(text, set, where, CALLER);
}
OLDER_NAME(__strtok_r, strtok_r);

/* One for all threads. */
static char *strtok_state;

INTERPOSE char *strtok(char *restrict text, const char *restrict set) {
  return cut(text, set, &strtok_state, CALLER);
}

INTERPOSE char *strsep(char **restrict where, const char *restrict set) {
  if (!WATCHED) return NEXT(strsep)(where, set);
  READS(where, sizeof *where);
  char *from = *where;
  if (from != NULL) {
    const size_t size = NEXT(strcspn)(from, set);
    COMPARES(set, NEXT(strlen)(set) + 1, from, size + 1);
    if (from[size] != '\0') WRITES(from + size, 1);
    WRITES(where, sizeof *where);
  }
  return NEXT(strsep)(where, set);
}

INTERPOSE wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count) {
  if (WATCHED) READS(from, count * sizeof *to), WRITES(to, count * sizeof *to);
  return NEXT(wmemcpy)(to, from, count);
}

INTERPOSE wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count) {
  if (WATCHED) READS(from, count * sizeof *to), WRITES(to, count * sizeof *to);
  return NEXT(wmemmove)(to, from, count);
}

INTERPOSE wchar_t *wmemset(wchar_t *to, wchar_t one, size_t count) {
  if (WATCHED) WRITES(to, count * sizeof *to);
  return NEXT(wmemset)(to, one, count);
}

INTERPOSE size_t wcslen(const wchar_t *text) {
  const size_t length = NEXT(wcslen)(text);
  if (WATCHED) READS(text, (length + 1) * sizeof *text);
  return NEXT(wcslen)(text);
}
