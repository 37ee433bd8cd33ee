/* Wide characters: strings of them, and texts of many bytes, which are of one each in the C locale.
 */
#define _GNU_SOURCE
#include "library.h"

#include <stdlib.h>
#include <wchar.h>

size_t wcsnlen(const wchar_t *text, size_t most) {
  size_t count = 0;
  while (count < most && text[count] != L'\0')
    count++;
  return count;
}

size_t wcslen(const wchar_t *text) {
  return wcsnlen(text, SIZE_MAX);
}

int wcsncmp(const wchar_t *one, const wchar_t *other, size_t most) {
  for (size_t i = 0; i < most; i++) {
    if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
    if (one[i] == L'\0') break;
  }
  return 0;
}

int wcscmp(const wchar_t *one, const wchar_t *other) {
  return wcsncmp(one, other, SIZE_MAX);
}

wchar_t *wmemset(wchar_t *to, wchar_t c, size_t count) {
  for (size_t i = 0; i < count; i++)
    to[i] = c;
  return to;
}

int wmemcmp(const wchar_t *one, const wchar_t *other, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
  return 0;
}

wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t most) {
  size_t i = 0;
  for (; i < most && from[i] != L'\0'; i++)
    to[i] = from[i];
  wmemset(to + i, L'\0', most - i);
  return to;
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from) {
  return wcsncpy(to, from, wcslen(from) + 1);
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from) {
  wcscpy(to + wcslen(to), from);
  return to;
}

wchar_t *wcschr(const wchar_t *text, wchar_t wanted) {
  for (;; text++) {
    if (*text == wanted) return (wchar_t *)text;
    if (*text == L'\0') return NULL;
  }
}

int mblen(const char *from, size_t size) {
  return mbtowc(NULL, from, size);
}

size_t mbstowcs(wchar_t *restrict to, const char *restrict from, size_t most) {
  size_t count = 0;
  for (; to == NULL || count < most; count++) {
    const int size = mbtowc(to != NULL ? to + count : NULL, from + count, 1);
    if (size < 0) return (size_t)-1;
    if (size == 0) break;
  }
  return count;
}

int wctomb(char *to, wchar_t c) {
  return to == NULL ? 0 : (int)wcrtomb(to, c, NULL);
}

size_t wcstombs(char *restrict to, const wchar_t *restrict from, size_t most) {
  size_t count = 0;
  for (; to == NULL || count < most; count++) {
    char byte;
    if (wcrtomb(&byte, from[count], NULL) == (size_t)-1) return (size_t)-1;
    if (to != NULL) to[count] = byte;
    if (from[count] == L'\0') break;
  }
  return count;
}
