/* The environment, which is empty at the beginning. As with glibc, functions that change it come
 * one after the other, and those that read it take no lock. */
#define _GNU_SOURCE
#include "library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *none[1];
char **environ = none;
extern char **__environ __attribute__((alias("environ")));
static char **own; /* the list, where it is one of this file */
static size_t room;

/* Where the variable of a name stands, which has so many characters; else the end of the list. */
static char **find(const char *name, size_t length) {
  char **at = environ;
  while (at != NULL && *at != NULL && (strncmp(*at, name, length) != 0 || (*at)[length] != '='))
    at++;
  return at;
}

char *getenv(const char *name) {
  const size_t length = strlen(name);
  char **at = find(name, length);
  return at != NULL && *at != NULL ? *at + length + 1 : NULL;
}

char *secure_getenv(const char *name) {
  return getenv(name);
}

/* A list with room for one more, which is there from now on. */
static void make_room(void) {
  size_t count = 0;
  while (environ != NULL && environ[count] != NULL)
    count++;
  if (environ == own && count + 2 <= room) return;
  room = 2 * count + 8;
  char **list = __unfold_allocate(room * sizeof *list);
  memcpy(list, environ, count * sizeof *list);
  list[count] = NULL;
  environ = own = list;
}

/* A text NAME=VALUE becomes a part of the environment. */
static void put(char *text, size_t length) {
  char **at = find(text, length);
  if (at == NULL || *at == NULL) {
    make_room();
    at = find(text, length);
    at[1] = NULL;
  }
  *at = text;
}

static void take(const char *name, size_t length) {
  char **at = find(name, length);
  for (; at != NULL && *at != NULL; at = find(name, length))
    for (; *at != NULL; at++)
      at[0] = at[1];
}

static int is_name(const char *name) {
  if (name != NULL && *name != '\0' && strchr(name, '=') == NULL) return 1;
  errno = EINVAL;
  return 0;
}

int setenv(const char *name, const char *value, int replaces) {
  if (!is_name(name)) return -1;
  const size_t length = strlen(name), size = strlen(value) + 1;
  __unfold_lock(&environ);
  char **at = find(name, length);
  if (replaces || at == NULL || *at == NULL) {
    char *text = __unfold_allocate(length + 1 + size);
    memcpy(text, name, length);
    text[length] = '=';
    memcpy(text + length + 1, value, size);
    put(text, length);
  }
  __unfold_unlock(&environ);
  return 0;
}

int unsetenv(const char *name) {
  if (!is_name(name)) return -1;
  __unfold_lock(&environ);
  take(name, strlen(name));
  __unfold_unlock(&environ);
  return 0;
}

/* The text itself, which the program may change. */
int putenv(char *text) {
  const char *end = strchr(text, '=');
  __unfold_lock(&environ);
  if (end != NULL)
    put(text, (size_t)(end - text));
  else
    take(text, strlen(text));
  __unfold_unlock(&environ);
  return 0;
}

int clearenv(void) {
  __unfold_lock(&environ);
  environ = own = NULL;
  room = 0;
  __unfold_unlock(&environ);
  return 0;
}
