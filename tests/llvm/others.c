/* More functions of the C library, without inputs: the same numbers come out in unfold-sym and on
 * the machine (same.py). */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern void unfold_show(const char *name, long long number);
#define SHOW(x) unfold_show(#x, (long long)(x))

/* A number that stands for a text. */
static long long hash(const char *text) {
  unsigned long long all = 1469598103934665603u;
  for (; text != NULL && *text != '\0'; text++)
    all = (all ^ (unsigned char)*text) * 1099511628211u;
  return (long long)all;
}
#define SHOW_TEXT(x) unfold_show(#x, hash(x))

extern char **environ;
extern int __xpg_strerror_r(int, char *, size_t); /* strerror_r() of POSIX */

static void environment(void) {
  static char text[] = "PUT=1", *list[] = {"OWN=x", "OWN=y", "TWO=2", NULL};
  clearenv();
  SHOW(getenv("ONE") == NULL);
  SHOW(setenv("ONE", "first", 0) + setenv("TWO", "", 1) + setenv("ONE", "other", 0));
  SHOW_TEXT(getenv("ONE"));
  SHOW(setenv("ONE", "longer than it was", 1));
  SHOW_TEXT(getenv("ONE"));
  SHOW(putenv(text));
  text[4] = '7';
  SHOW_TEXT(getenv("PUT"));
  SHOW(getenv("PU") == NULL && getenv("PUT=7") == NULL && *getenv("TWO") == '\0');
  for (int i = 0; i < 20; i++) {
    char name[20];
    sprintf(name, "NAME_%d", i);
    setenv(name, name + 5, 1);
  }
  SHOW_TEXT(getenv("NAME_13"));
  SHOW(unsetenv("ONE") + unsetenv("ABSENT") + putenv("PUT"));
  int count = 0;
  while (environ[count] != NULL)
    count++;
  SHOW(count);
  SHOW(getenv("ONE") == NULL && getenv("PUT") == NULL);
  errno = 0;
  SHOW(setenv("A=B", "", 1) * 100 + errno);
  SHOW(unsetenv("") * 100 + errno);
  environ = list;
  SHOW_TEXT(getenv("OWN"));
  SHOW(unsetenv("OWN"));
  SHOW(getenv("OWN") == NULL);
  SHOW(setenv("THREE", "3", 1));
  SHOW(*getenv("TWO") + *getenv("THREE"));
}

/* ---- dates ---- */

static void show_date(const struct tm *d) {
  SHOW(d->tm_year * 10000000000LL + d->tm_mon * 100000000LL + d->tm_mday * 1000000LL +
       d->tm_hour * 10000 + d->tm_min * 100 + d->tm_sec);
  SHOW(d->tm_wday + 10 * d->tm_yday + 10000 * d->tm_isdst + 100000 * d->tm_gmtoff);
}

static void dates(void) {
  static const char all[] = "%a|%A|%b|%B|%c|%C|%d|%D|%e|%F|%g|%G|%h|%H|%I|%j|%k|%l|%m|%M|%n|%p|%P|"
                            "%r|%R|%s|%S|%t|%T|%u|%U|%V|%w|%W|%x|%X|%y|%Y|%z|%Z|%%|%Ey|%Od";
  static const time_t times[] = {0,          951782399,  951782400,    1709251199,   1735689599,
                                 4102444800, -1,         -86401,       -2208988800,  1230768000,
                                 1104537600, 1262304000, 253402300799, -62135596800, 1483228800};
  char text[500];
  struct tm date;
  setenv("TZ", "UTC0", 1);
  tzset();
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    show_date(gmtime_r(&times[i], &date));
    SHOW(strftime(text, sizeof text, all, &date));
    SHOW_TEXT(text);
    show_date(localtime_r(&times[i], &date));
    SHOW(mktime(&date) + timegm(&date) * 3);
    SHOW_TEXT(asctime_r(&date, text));
  }
  for (int i = 0; i < 800; i++) {
    const time_t at = 1e9 + i * 86400LL * 17;
    strftime(text, sizeof text, "%G %V %U %W %j %u", gmtime(&at));
    if (i % 20 == 0) SHOW_TEXT(text);
  }
  date = (struct tm){.tm_year = 120, .tm_mon = 26, .tm_mday = -40, .tm_hour = 100, .tm_sec = -5};
  SHOW(mktime(&date));
  show_date(&date);
  SHOW(strftime(text, 5, "%Y", &date) + 10 * strftime(text, 4, "%Y", &date));
  SHOW_TEXT(ctime(&times[3]));
}

/* ---- random numbers ---- */

static void random_numbers(void) {
  unsigned short words[3] = {1, 2, 3}, more[7] = {1, 2, 3, 4, 5, 6, 7}, *before;
  SHOW(drand48() * 1e15);
  srand48(42);
  for (int i = 0; i < 3; i++) {
    SHOW(drand48() * 1e15);
    SHOW(lrand48());
    SHOW(mrand48());
    SHOW(erand48(words) * 1e15);
    SHOW(nrand48(words));
    SHOW(jrand48(words));
  }
  before = seed48(words);
  SHOW(before[0] + 65536LL * before[1] + 65536LL * 65536 * before[2]);
  SHOW(lrand48());
  lcong48(more);
  SHOW(mrand48());
  SHOW(jrand48(words));
}

/* ---- texts ---- */

static void texts(void) {
  char text[100], *to = NULL;
  size_t size = 0;
  for (int i = -1; i < 70; i++)
    SHOW_TEXT(strsignal(i));
  for (int i = -2; i < 140; i++) {
    memset(text, 0, sizeof text);
    SHOW(__xpg_strerror_r(i, text, i % 3 == 0 ? 10 : sizeof text));
    SHOW_TEXT(text);
  }
  FILE *f = open_memstream(&to, &size);
  fprintf(f, "%d %s", 42, "some");
  fflush(f);
  SHOW(size);
  SHOW_TEXT(to);
  for (int i = 0; i < 300; i++)
    fputc('a' + i % 26, f);
  SHOW(ftell(f));
  fwrite("ab\0c", 1, 4, f);
  SHOW(fclose(f));
  SHOW(size);
  SHOW_TEXT(to + 200);
  SHOW(to[size - 1] + 1000 * to[size]);
  free(to);
}

/* ---- atomics of more than 8 bytes ---- */

struct pair {
  void *to;
  unsigned long tag;
};
static _Atomic struct pair top;
static _Atomic unsigned __int128 number;

static void atomics(void) {
  int item;
  struct pair was = __c11_atomic_load(&top, __ATOMIC_SEQ_CST);
  SHOW((was.to == NULL) + was.tag);
  struct pair next = {&item, was.tag + 1};
  SHOW(__c11_atomic_compare_exchange_strong(&top, &was, next, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_compare_exchange_strong(&top, &was, next, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  SHOW((was.to == &item) + 10 * was.tag);
  __c11_atomic_store(&number, (unsigned __int128)7 << 63, __ATOMIC_SEQ_CST);
  SHOW(__c11_atomic_fetch_add(&number, (unsigned __int128)1 << 63, __ATOMIC_SEQ_CST) >> 63);
  SHOW(__c11_atomic_fetch_sub(&number, 1, __ATOMIC_SEQ_CST) >> 64);
  SHOW(__c11_atomic_fetch_and(&number, ~(unsigned __int128)0 >> 3, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_or(&number, 5, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_xor(&number, 3, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_nand(&number, 3, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_exchange(&number, 9, __ATOMIC_SEQ_CST));
  SHOW(number >> 1);
}

static void largest_and_least(void) {
  static _Atomic int a = -5;
  static _Atomic unsigned char b = 200;
  SHOW(__c11_atomic_fetch_max(&a, 3, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_max(&a, -9, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_min(&a, -7, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_min(&a, 7, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_max(&b, 100, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_max(&b, 250, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_min(&b, 251, __ATOMIC_SEQ_CST));
  SHOW(__c11_atomic_fetch_min(&b, 3, __ATOMIC_SEQ_CST));
  SHOW(a + b);
}

static void others(void) {
  int was = 5;
  SHOW(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was));
  SHOW(was);
  SHOW(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &was));
  SHOW(was);
  SHOW(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &was));
  SHOW(was);
  SHOW(pthread_setcanceltype(17, &was) + pthread_setcancelstate(-1, NULL));
  pthread_testcancel();
  void *volatile p = malloc(10);
  p = realloc(p, 0); /* frees it */
  SHOW(p == NULL);
  p = realloc(NULL, 0);
  SHOW(p != NULL);
  free(p);
}

int main(void) {
  environment();
  dates();
  random_numbers();
  texts();
  atomics();
  largest_and_least();
  others();
  return 0;
}
