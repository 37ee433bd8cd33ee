/* What GNU programs and compilers expect of glibc: characters of the locale "C", functions that
 * check the size of what they write to, and names of the program. */
#define _GNU_SOURCE
#undef __OPTIMIZE__ /* gettext() and the like are functions, too */
#include "library.h"

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <wchar.h>
#include <wctype.h>

char *program_invocation_name = "program", *program_invocation_short_name = "program";
char *__progname = "program";

/* ---- the locale ---- */

size_t __ctype_get_mb_cur_max(void) {
  return 1;
}

char *nl_langinfo(nl_item item) {
  return item == CODESET ? "ANSI_X3.4-1968" : item == RADIXCHAR ? "." : "";
}

struct lconv *localeconv(void) {
  static struct lconv c;
  static char point[] = ".", none[] = "";
  c.decimal_point = point;
  c.thousands_sep = c.grouping = c.int_curr_symbol = c.currency_symbol = none;
  c.mon_decimal_point = c.mon_thousands_sep = c.mon_grouping = none;
  c.positive_sign = c.negative_sign = none;
  return &c;
}

char *gettext(const char *text) {
  return (char *)text;
}
char *dcgettext(const char *domain, const char *text, int category) {
  (void)domain;
  (void)category;
  return (char *)text;
}
char *textdomain(const char *domain) {
  return (char *)domain;
}
char *bindtextdomain(const char *domain, const char *folder) {
  (void)domain;
  return (char *)folder;
}

size_t strxfrm(char *to, const char *from, size_t size) {
  const size_t length = strlen(from);
  if (size > length) strcpy(to, from);
  return length;
}

int mbsinit(const mbstate_t *state) {
  (void)state;
  return 1;
}
size_t mbrtowc(wchar_t *to, const char *from, size_t size, mbstate_t *state) {
  (void)state;
  if (from == NULL) return 0;
  if (size == 0) return (size_t)-2;
  if (to != NULL) *to = (unsigned char)*from;
  return *from != '\0';
}
int mbtowc(wchar_t *to, const char *from, size_t size) {
  return (int)mbrtowc(to, from, size, NULL);
}
size_t wcrtomb(char *to, wchar_t c, mbstate_t *state) {
  (void)state;
  if (to != NULL) *to = (char)c;
  return 1;
}
wint_t btowc(int c) {
  return c == EOF ? WEOF : (wint_t)c;
}
int iswprint(wint_t c) {
  return c < 128 && isprint((int)c);
}
int iswcntrl(wint_t c) {
  return c < 128 && iscntrl((int)c);
}
int iswspace(wint_t c) {
  return c < 128 && isspace((int)c);
}
int iswalnum(wint_t c) {
  return c < 128 && isalnum((int)c);
}
int wcwidth(wchar_t c) {
  return c == 0 ? 0 : c < 128 && isprint((int)c) ? 1 : -1;
}

/* ---- cancellation: who would cancel a thread is refused ---- */

static _Thread_local int cancel_state, cancel_type;

static int change(int *what, int to, int *was) {
  if (to != 0 && to != 1) return EINVAL;
  if (was != NULL) *was = *what;
  *what = to;
  return 0;
}
int pthread_setcancelstate(int state, int *was) {
  return change(&cancel_state, state, was);
}
int pthread_setcanceltype(int type, int *was) {
  return change(&cancel_type, type, was);
}
void pthread_testcancel(void) {
}

/* ---- with checks ---- */

static void check(size_t wanted, size_t room) {
  if (wanted > room) __unfold_wrong("a function of _FORTIFY_SOURCE that writes beyond its object");
}

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room) {
  check(size, room);
  return memcpy(to, from, size);
}
void *__memmove_chk(void *to, const void *from, size_t size, size_t room) {
  check(size, room);
  return memmove(to, from, size);
}
void *__memset_chk(void *to, int c, size_t size, size_t room) {
  check(size, room);
  return memset(to, c, size);
}
char *__strcpy_chk(char *to, const char *from, size_t room) {
  check(strlen(from) + 1, room);
  return strcpy(to, from);
}
char *__stpcpy_chk(char *to, const char *from, size_t room) {
  check(strlen(from) + 1, room);
  return stpcpy(to, from);
}
char *__strncpy_chk(char *to, const char *from, size_t size, size_t room) {
  check(size, room);
  return strncpy(to, from, size);
}
char *__strcat_chk(char *to, const char *from, size_t room) {
  check(strlen(to) + strlen(from) + 1, room);
  return strcat(to, from);
}
void __explicit_bzero_chk(void *to, size_t size, size_t room) {
  check(size, room);
  memset(to, 0, size);
}
void explicit_bzero(void *to, size_t size) {
  memset(to, 0, size);
}
int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format,
                    va_list list) {
  (void)flag;
  check(size, room);
  return vsnprintf(to, size, format, list);
}
int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...) {
  va_list list;
  (void)flag;
  check(size, room);
  va_start(list, format);
  const int count = vsnprintf(to, size, format, list);
  va_end(list);
  return count;
}
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
  va_list list;
  (void)flag;
  va_start(list, format);
  const int count = vsnprintf(to, room, format, list);
  va_end(list);
  check((size_t)count + 1, room);
  return count;
}
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list list) {
  (void)flag;
  return vfprintf(f, format, list);
}
int __fprintf_chk(FILE *f, int flag, const char *format, ...) {
  va_list list;
  (void)flag;
  va_start(list, format);
  const int count = vfprintf(f, format, list);
  va_end(list);
  return count;
}
int __printf_chk(int flag, const char *format, ...) {
  va_list list;
  (void)flag;
  va_start(list, format);
  const int count = vfprintf(stdout, format, list);
  va_end(list);
  return count;
}

/* ---- others ---- */

void error(int status, int number, const char *format, ...) {
  (void)number;
  (void)format;
  if (status != 0) exit(status);
}

ssize_t getrandom(void *to, size_t size, unsigned flags) {
  (void)flags;
  for (size_t i = 0; i < size; i++)
    ((unsigned char *)to)[i] = (unsigned char)rand();
  return (ssize_t)size;
}

int sysinfo(struct sysinfo *to) {
  memset(to, 0, sizeof *to);
  to->totalram = to->freeram = UINT64_C(1) << 30;
  to->mem_unit = 1;
  return 0;
}
