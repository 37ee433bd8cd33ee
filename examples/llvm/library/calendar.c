/* Dates. The time zone is UTC; a program that asks for another one is refused. */
#define _GNU_SOURCE
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR, YEAR_0 = 1900, ERA_YEARS = 400 };
enum { ERA_DAYS = 146097, DAYS_TO_1970 = 719468, WEEK = 7, THURSDAY = 4 };

char *tzname[2] = {"UTC", "UTC"};
long timezone;
int daylight;

void tzset(void) {
  const char *zone = getenv("TZ");
  if (zone == NULL || *zone == '\0') return;
  if (strcmp(zone, "UTC") != 0 && strcmp(zone, "UTC0") != 0)
    __unfold_unsupported("functions of time in a time zone");
}

static int is_leap(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % ERA_YEARS == 0);
}

/* The days from the beginning of 1970 to that of a month of a year; months are from 0 on. */
static int64_t days_to(int64_t year, int64_t month) {
  year += month / 12;
  month %= 12;
  if (month < 0) {
    month += 12;
    year--;
  }
  /* years that begin in March have the day that not all of them have at their end */
  const int64_t from_march = (month + 10) % 12, march_year = month < 2 ? year - 1 : year;
  const int64_t era = (march_year >= 0 ? march_year : march_year - ERA_YEARS + 1) / ERA_YEARS;
  const int64_t of_era = march_year - era * ERA_YEARS;
  return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + (153 * from_march + 2) / 5 -
         DAYS_TO_1970;
}

static struct tm *split(int64_t time, struct tm *to, const char *zone) {
  int64_t days = time / DAY, rest = time % DAY;
  if (rest < 0) {
    rest += DAY;
    days--;
  }
  int64_t year = 1970 + days / 366;
  while (days < days_to(year, 0))
    year--;
  while (days >= days_to(year + 1, 0))
    year++;
  int month = 11;
  while (days < days_to(year, month))
    month--;
  *to = (struct tm){.tm_sec = (int)(rest % MINUTE),
                    .tm_min = (int)(rest / MINUTE % 60),
                    .tm_hour = (int)(rest / HOUR),
                    .tm_mday = (int)(days - days_to(year, month)) + 1,
                    .tm_mon = month,
                    .tm_year = (int)(year - YEAR_0),
                    .tm_wday = (int)(((days + THURSDAY) % WEEK + WEEK) % WEEK),
                    .tm_yday = (int)(days - days_to(year, 0)),
                    .tm_zone = zone};
  return to;
}

struct tm *gmtime_r(const time_t *restrict time, struct tm *restrict to) {
  return split(*time, to, "GMT");
}

struct tm *localtime_r(const time_t *restrict time, struct tm *restrict to) {
  tzset();
  return split(*time, to, "UTC");
}

static struct tm shared;

struct tm *gmtime(const time_t *time) {
  return gmtime_r(time, &shared);
}

struct tm *localtime(const time_t *time) {
  return localtime_r(time, &shared);
}

static time_t join(struct tm *of, const char *zone) {
  const int64_t days = days_to((int64_t)of->tm_year + YEAR_0, of->tm_mon) + of->tm_mday - 1;
  const time_t time =
      days * DAY + (int64_t)of->tm_hour * HOUR + (int64_t)of->tm_min * MINUTE + of->tm_sec;
  split(time, of, zone);
  return time;
}

time_t timegm(struct tm *of) {
  return join(of, "GMT");
}

time_t mktime(struct tm *of) {
  tzset();
  return join(of, "UTC");
}

/* ---- as texts ---- */

static const char *const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

static const char *name_of(const char *const *names, int count, int number) {
  return number >= 0 && number < count ? names[number] : "?";
}

/* The week of ISO 8601, and the year that it is in. */
static int iso_week(const struct tm *of, int *year) {
  const int monday = (of->tm_wday + 6) % WEEK;
  int week = (of->tm_yday - monday + 10) / WEEK;
  *year = of->tm_year + YEAR_0;
  if (week < 1) {
    --*year;
    const int before = of->tm_yday + 365 + is_leap(*year);
    return (before - monday + 10) / WEEK;
  }
  if (week == 53 && (of->tm_yday - monday + 3) >= 365 + is_leap(*year)) {
    ++*year;
    week = 1;
  }
  return week;
}

/* What a conversion stands for that is made of others; NULL: it is not. */
static const char *made_of(char conversion) {
  switch (conversion) {
  case 'c':
    return "%a %b %e %H:%M:%S %Y";
  case 'D':
  case 'x':
    return "%m/%d/%y";
  case 'F':
    return "%Y-%m-%d";
  case 'r':
    return "%I:%M:%S %p";
  case 'R':
    return "%H:%M";
  case 'T':
  case 'X':
    return "%H:%M:%S";
  case 'n':
    return "\n";
  case 't':
    return "\t";
  default:
    return NULL;
  }
}

enum { FIELD = 64 };

static void number_to(char to[FIELD], const struct tm *of, char conversion) {
  struct tm copy;
  int year = of->tm_year + YEAR_0;
  const int hour = of->tm_hour % 12 == 0 ? 12 : of->tm_hour % 12;
  switch (conversion) {
  case 'C':
    snprintf(to, FIELD, "%d", year / 100 - (year % 100 < 0)); /* as glibc has it, without zeros */
    break;
  case 'd':
    snprintf(to, FIELD, "%02d", of->tm_mday);
    break;
  case 'e':
    snprintf(to, FIELD, "%2d", of->tm_mday);
    break;
  case 'g':
    iso_week(of, &year);
    snprintf(to, FIELD, "%02d", year % 100);
    break;
  case 'G':
    iso_week(of, &year);
    snprintf(to, FIELD, "%d", year);
    break;
  case 'H':
    snprintf(to, FIELD, "%02d", of->tm_hour);
    break;
  case 'I':
    snprintf(to, FIELD, "%02d", hour);
    break;
  case 'j':
    snprintf(to, FIELD, "%03d", of->tm_yday + 1);
    break;
  case 'k':
    snprintf(to, FIELD, "%2d", of->tm_hour);
    break;
  case 'l':
    snprintf(to, FIELD, "%2d", hour);
    break;
  case 'm':
    snprintf(to, FIELD, "%02d", of->tm_mon + 1);
    break;
  case 'M':
    snprintf(to, FIELD, "%02d", of->tm_min);
    break;
  case 's':
    copy = *of;
    snprintf(to, FIELD, "%ld", (long)mktime(&copy));
    break;
  case 'S':
    snprintf(to, FIELD, "%02d", of->tm_sec);
    break;
  case 'u':
    snprintf(to, FIELD, "%d", of->tm_wday == 0 ? WEEK : of->tm_wday);
    break;
  case 'U':
    snprintf(to, FIELD, "%02d", (of->tm_yday - of->tm_wday + WEEK) / WEEK);
    break;
  case 'V':
    snprintf(to, FIELD, "%02d", iso_week(of, &year));
    break;
  case 'w':
    snprintf(to, FIELD, "%d", of->tm_wday);
    break;
  case 'W':
    snprintf(to, FIELD, "%02d", (of->tm_yday - (of->tm_wday + 6) % WEEK + WEEK) / WEEK);
    break;
  case 'y':
    snprintf(to, FIELD, "%02d", (year % 100 + 100) % 100);
    break;
  case 'Y':
    snprintf(to, FIELD, "%d", year);
    break;
  default:
    __unfold_unsupported("strftime with such a format");
  }
}

/* The text of one conversion, perhaps in `to`. */
static const char *convert(char to[FIELD], const struct tm *of, char conversion) {
  switch (conversion) {
  case 'a':
  case 'b':
  case 'h':
    snprintf(to, FIELD, "%.3s",
             conversion == 'a' ? name_of(weekdays, WEEK, of->tm_wday)
                               : name_of(months, 12, of->tm_mon));
    return to;
  case 'A':
    return name_of(weekdays, WEEK, of->tm_wday);
  case 'B':
    return name_of(months, 12, of->tm_mon);
  case 'p':
    return of->tm_hour >= 12 ? "PM" : "AM";
  case 'P':
    return of->tm_hour >= 12 ? "pm" : "am";
  case 'z':
    return "+0000";
  case 'Z':
    return of->tm_zone != NULL ? of->tm_zone : "";
  case '%':
    return "%";
  default:
    number_to(to, of, conversion);
    return to;
  }
}

/* Whether it fits; *at is what is there by then. */
static bool append(char *to, size_t size, size_t *at, const char *text) {
  const size_t length = strlen(text);
  if (length >= size - *at) return false;
  memcpy(to + *at, text, length + 1);
  *at += length;
  return true;
}

size_t strftime(char *restrict to, size_t size, const char *restrict format,
                const struct tm *restrict of) {
  char field[FIELD];
  size_t at = 0;
  if (size == 0) return 0;
  to[0] = '\0';
  for (; *format != '\0'; format++) {
    char plain[2] = {*format, '\0'};
    const char *text = plain;
    if (*format == '%') {
      format++;
      if (*format == 'E' || *format == 'O') format++;
      const char *parts = made_of(*format);
      if (parts != NULL) {
        if (strftime(field, FIELD, parts, of) == 0) return 0;
        text = field;
      } else {
        text = convert(field, of, *format);
      }
    }
    if (!append(to, size, &at, text)) return 0;
  }
  return at;
}

char *asctime_r(const struct tm *restrict of, char *restrict to) {
  sprintf(to, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", name_of(weekdays, WEEK, of->tm_wday),
          name_of(months, 12, of->tm_mon), of->tm_mday, of->tm_hour, of->tm_min, of->tm_sec,
          of->tm_year + YEAR_0);
  return to;
}

static char shared_text[32];

char *asctime(const struct tm *of) {
  return asctime_r(of, shared_text);
}

char *ctime_r(const time_t *restrict time, char *restrict to) {
  struct tm of;
  return asctime_r(localtime_r(time, &of), to);
}

char *ctime(const time_t *time) {
  return asctime(localtime(time));
}
