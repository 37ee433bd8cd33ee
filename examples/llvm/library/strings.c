/* Strings, bytes and classes of characters. */
#define _GNU_SOURCE
#include "library.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

void *memchr(const void *bytes, int wanted, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    if (at[i] == (unsigned char)wanted) return (void *)(at + i);
  return NULL;
}

void *memrchr(const void *bytes, int wanted, size_t size) {
  const unsigned char *at = bytes;
  while (size-- > 0)
    if (at[size] == (unsigned char)wanted) return (void *)(at + size);
  return NULL;
}

int memcmp(const void *one, const void *other, size_t size) {
  const unsigned char *a = one, *b = other;
  for (size_t i = 0; i < size; i++)
    if (a[i] != b[i]) return a[i] - b[i];
  return 0;
}

int bcmp(const void *one, const void *other, size_t size) {
  return memcmp(one, other, size);
}

void bzero(void *to, size_t size) {
  memset(to, 0, size);
}

void *mempcpy(void *to, const void *from, size_t size) {
  return (char *)memcpy(to, from, size) + size;
}

void *memccpy(void *restrict to, const void *restrict from, int last, size_t size) {
  const char *end = memchr(from, last, size);
  if (end == NULL) {
    memcpy(to, from, size);
    return NULL;
  }
  return mempcpy(to, from, (size_t)(end - (const char *)from) + 1);
}

void *rawmemchr(const void *bytes, int wanted) {
  return memchr(bytes, wanted, SIZE_MAX);
}

void *memmem(const void *in, size_t size, const void *wanted, size_t length) {
  for (size_t i = 0; length <= size && i <= size - length; i++)
    if (memcmp((const char *)in + i, wanted, length) == 0) return (char *)in + i;
  return NULL;
}

/* The number of the lowest bit that is 1, from 1 on; 0: none is. */
int ffsll(long long x) {
  for (int i = 0; i < 64; i++)
    if ((x >> i & 1) != 0) return i + 1;
  return 0;
}
int ffsl(long x) {
  return ffsll(x);
}
int ffs(int x) {
  return ffsll(x);
}

/* ---- strings ---- */

size_t strnlen(const char *text, size_t most) {
  size_t count = 0;
  while (count < most && text[count] != '\0')
    count++;
  return count;
}

size_t strlen(const char *text) {
  return strnlen(text, SIZE_MAX);
}

int strncmp(const char *one, const char *other, size_t most) {
  for (size_t i = 0; i < most; i++) {
    const unsigned char a = (unsigned char)one[i], b = (unsigned char)other[i];
    if (a != b) return a - b;
    if (a == '\0') break;
  }
  return 0;
}

int strcmp(const char *one, const char *other) {
  return strncmp(one, other, SIZE_MAX);
}

int strcoll(const char *one, const char *other) {
  return strcmp(one, other);
}

int strncasecmp(const char *one, const char *other, size_t most) {
  for (size_t i = 0; i < most; i++) {
    const int a = tolower((unsigned char)one[i]), b = tolower((unsigned char)other[i]);
    if (a != b) return a - b;
    if (a == '\0') break;
  }
  return 0;
}

int strcasecmp(const char *one, const char *other) {
  return strncasecmp(one, other, SIZE_MAX);
}

char *stpncpy(char *to, const char *from, size_t size) {
  size_t i = 0;
  for (; i < size && from[i] != '\0'; i++)
    to[i] = from[i];
  char *end = to + i;
  for (; i < size; i++)
    to[i] = '\0';
  return end;
}

char *strncpy(char *to, const char *from, size_t size) {
  stpncpy(to, from, size);
  return to;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from++) != '\0')
    to++;
  return to;
}

char *strcpy(char *to, const char *from) {
  stpcpy(to, from);
  return to;
}

char *strcat(char *to, const char *from) {
  strcpy(to + strlen(to), from);
  return to;
}

char *strncat(char *to, const char *from, size_t most) {
  char *end = to + strlen(to);
  const size_t size = strnlen(from, most);
  memcpy(end, from, size);
  end[size] = '\0';
  return to;
}

char *strchrnul(const char *text, int wanted) {
  while (*text != '\0' && *text != (char)wanted)
    text++;
  return (char *)text;
}

char *strchr(const char *text, int wanted) {
  char *at = strchrnul(text, wanted);
  return *at == (char)wanted ? at : NULL;
}

char *strrchr(const char *text, int wanted) {
  return memrchr(text, wanted, strlen(text) + 1);
}

char *index(const char *text, int wanted) {
  return strchr(text, wanted);
}

char *rindex(const char *text, int wanted) {
  return strrchr(text, wanted);
}

char *strstr(const char *text, const char *wanted) {
  const size_t length = strlen(wanted);
  for (;; text++) {
    if (strncmp(text, wanted, length) == 0) return (char *)text;
    if (*text == '\0') return NULL;
  }
}

char *strcasestr(const char *text, const char *wanted) {
  const size_t length = strlen(wanted);
  for (;; text++) {
    if (strncasecmp(text, wanted, length) == 0) return (char *)text;
    if (*text == '\0') return NULL;
  }
}

size_t strspn(const char *text, const char *set) {
  size_t count = 0;
  while (text[count] != '\0' && strchr(set, text[count]) != NULL)
    count++;
  return count;
}

size_t strcspn(const char *text, const char *set) {
  size_t count = 0;
  while (text[count] != '\0' && strchr(set, text[count]) == NULL)
    count++;
  return count;
}

char *strpbrk(const char *text, const char *set) {
  text += strcspn(text, set);
  return *text != '\0' ? (char *)text : NULL;
}

char *strtok_r(char *text, const char *set, char **rest) {
  if (text == NULL) text = *rest;
  text += strspn(text, set);
  char *end = text + strcspn(text, set);
  *rest = end; /* programs look at what is left */
  if (end == text) return NULL;
  if (*end == '\0') return text;
  *end = '\0';
  *rest = end + 1;
  return text;
}

char *strtok(char *text, const char *set) {
  static char *rest;
  return strtok_r(text, set, &rest);
}

char *strsep(char **text, const char *set) {
  char *begin = *text;
  if (begin == NULL) return NULL;
  char *end = begin + strcspn(begin, set);
  *text = NULL;
  if (*end == '\0') return begin;
  *end = '\0';
  *text = end + 1;
  return begin;
}

char *strndup(const char *text, size_t most) {
  const size_t size = strnlen(text, most);
  char *copy = malloc(size + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

char *strdup(const char *text) {
  return strndup(text, SIZE_MAX);
}

char *__strdup(const char *text) {
  return strdup(text);
}

/* ---- classes of characters, as in the locale "C" ---- */

int isdigit(int c) {
  return (unsigned)c - '0' < 10;
}
int islower(int c) {
  return (unsigned)c - 'a' < 26;
}
int isupper(int c) {
  return (unsigned)c - 'A' < 26;
}
int isalpha(int c) {
  return ((unsigned)c | 32) - 'a' < 26;
}
int isalnum(int c) {
  return isalpha(c) | isdigit(c);
}
int isspace(int c) {
  return (c == ' ') | ((unsigned)c - '\t' < 5);
}
int isblank(int c) {
  return (c == ' ') | (c == '\t');
}
int isprint(int c) {
  return (unsigned)c - ' ' < 95;
}
int isgraph(int c) {
  return (unsigned)c - '!' < 94;
}
int iscntrl(int c) {
  return ((unsigned)c < ' ') | (c == 127);
}
int ispunct(int c) {
  return isgraph(c) & !isalnum(c);
}
int isxdigit(int c) {
  return isdigit(c) | (((unsigned)c | 32) - 'a' < 6);
}
int isascii(int c) {
  return (unsigned)c < 128;
}
int toascii(int c) {
  return c & 127;
}
int tolower(int c) {
  return isupper(c) ? c + 32 : c;
}
int toupper(int c) {
  return islower(c) ? c - 32 : c;
}

/* The tables that the macros of <ctype.h> look into: made by each thread when it first asks. */
enum { LEAST = -128, CHARACTERS = 384 };

const unsigned short **__ctype_b_loc(void) {
  static _Thread_local unsigned short classes[CHARACTERS];
  static _Thread_local const unsigned short *table;
  for (int c = 0; table == NULL && c < 128; c++)
    classes[c - LEAST] =
        (unsigned short)((isupper(c) ? _ISupper : 0) | (islower(c) ? _ISlower : 0) |
                         (isalpha(c) ? _ISalpha : 0) | (isdigit(c) ? _ISdigit : 0) |
                         (isxdigit(c) ? _ISxdigit : 0) | (isspace(c) ? _ISspace : 0) |
                         (isprint(c) ? _ISprint : 0) | (isgraph(c) ? _ISgraph : 0) |
                         (isblank(c) ? _ISblank : 0) | (iscntrl(c) ? _IScntrl : 0) |
                         (ispunct(c) ? _ISpunct : 0) | (isalnum(c) ? _ISalnum : 0));
  table = classes - LEAST;
  return &table;
}

const int **__ctype_tolower_loc(void) {
  static _Thread_local int lower[CHARACTERS];
  static _Thread_local const int *table;
  for (int c = LEAST; table == NULL && c < CHARACTERS + LEAST; c++)
    lower[c - LEAST] = tolower(c);
  table = lower - LEAST;
  return &table;
}

const int **__ctype_toupper_loc(void) {
  static _Thread_local int upper[CHARACTERS];
  static _Thread_local const int *table;
  for (int c = LEAST; table == NULL && c < CHARACTERS + LEAST; c++)
    upper[c - LEAST] = toupper(c);
  table = upper - LEAST;
  return &table;
}
