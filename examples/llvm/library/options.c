/* Options of a command line: getopt and its kind. Words that are no options are moved behind those
 * that are, unless the text of options begins with a plus. */
#define _GNU_SOURCE
#include "library.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *optarg;
int optind = 1, opterr = 1, optopt = '?';
static int at; /* in a word of several options */

static bool is_option(const char *word) {
  return word[0] == '-' && word[1] != '\0';
}

/* Moves words [first, last) behind those up to `end`. */
static void rotate(char **words, int from, int middle, int end) {
  while (from < middle && middle < end) {
    char *word = words[middle];
    memmove(words + from + 1, words + from, (size_t)(middle - from) * sizeof *words);
    words[from++] = word;
    middle++;
  }
}

/* Words that are no options stand before the one that follows the option at hand. */
static int skipped;

/* The word behind the option; NULL: there is none. */
static char *take_word(int count, char **words) {
  if (optind + skipped >= count) return NULL;
  rotate(words, optind, optind + skipped, optind + skipped + 1);
  return words[optind++];
}

/* Goes to the next option. False: there is none. */
static bool next_word(int count, char **words, bool stays) {
  const int begin = optind;
  while (optind < count && !is_option(words[optind]) && !stays)
    optind++;
  if (optind == count || !is_option(words[optind])) {
    optind = begin;
    return false;
  }
  const bool ends = strcmp(words[optind], "--") == 0;
  rotate(words, begin, optind, optind + 1);
  skipped = optind - begin;
  optind = begin;
  if (ends) optind++;
  return !ends;
}

static const struct option *find_long(const char *name, size_t length, const struct option *options,
                                      int *index) {
  const struct option *found = NULL;
  bool several = false;
  for (int i = 0; options != NULL && options[i].name != NULL; i++) {
    if (strncmp(options[i].name, name, length) != 0) continue;
    const bool exact = strlen(options[i].name) == length;
    several |= found != NULL && !exact;
    found = &options[i];
    *index = i;
    if (exact) return found;
  }
  return several ? NULL : found; /* several begin so */
}

static int read_long(int count, char **words, const char *name, const struct option *options,
                     int *index) {
  int found_at = 0;
  const size_t length = strcspn(name, "=");
  const struct option *o = find_long(name, length, options, &found_at);
  optind++;
  optarg = name[length] == '=' ? (char *)name + length + 1 : NULL;
  if (o == NULL || (o->has_arg == no_argument && optarg != NULL)) return '?';
  if (o->has_arg == required_argument && optarg == NULL) {
    optarg = take_word(count, words);
    if (optarg == NULL) return '?';
  }
  if (index != NULL) *index = found_at;
  if (o->flag == NULL) return o->val;
  *o->flag = o->val;
  return 0;
}

static int read_short(int count, char **words, const char *letters) {
  const char *word = words[optind];
  const char letter = word[at++];
  const char *o = letter != ':' ? strchr(letters, letter) : NULL;
  const bool last = word[at] == '\0';
  const int begin = at;
  optarg = NULL;
  if (last || (o != NULL && o[1] == ':')) {
    optind++;
    at = 0;
  }
  if (o == NULL) {
    optopt = letter;
    return '?';
  }
  if (o[1] != ':') return letter;
  if (!last)
    optarg = (char *)word + begin;
  else if (o[2] != ':' && (optarg = take_word(count, words)) == NULL) {
    optopt = letter;
    return letters[0] == ':' ? ':' : '?';
  }
  return letter;
}

int getopt_long(int count, char *const *given, const char *letters, const struct option *options,
                int *index) {
  char **words = (char **)given;
  const bool stays = letters[0] == '+';
  if (optind == 0) optind = 1;
  if (at == 0) {
    if (!next_word(count, words, stays)) return -1;
    if (words[optind][1] == '-') return read_long(count, words, words[optind] + 2, options, index);
    at = 1;
  }
  return read_short(count, words, letters + stays);
}

int getopt(int count, char *const *words, const char *letters) {
  return getopt_long(count, words, letters, NULL, NULL);
}

/* name[=value] of a list with commas. */
int getsubopt(char **options, char *const *names, char **value) {
  char *word = *options, *end = strchr(word, ',');
  if (end != NULL) *end = '\0';
  *options = end != NULL ? end + 1 : word + strlen(word);
  char *equal = strchr(word, '=');
  const size_t length = equal != NULL ? (size_t)(equal - word) : strlen(word);
  *value = equal != NULL ? equal + 1 : NULL;
  for (int i = 0; names[i] != NULL; i++)
    if (strncmp(names[i], word, length) == 0 && names[i][length] == '\0') return i;
  *value = word;
  return -1;
}
