/* Programs that read: arguments, the standard input, files. One for each word. */
#include <assert.h>
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add_number(void *text) {
  const int number = atoi(text);
  pthread_mutex_lock(&m);
  sum += number;
  pthread_mutex_unlock(&m);
  return NULL;
}

/* Of two arguments the sum. */
static void add_arguments(char **texts) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, add_number, texts[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert(sum != 17);
}

static void read_lines(void) {
  char line[8];
  int lines = 0;
  while (fgets(line, sizeof line, stdin) != NULL)
    lines++;
  assert(lines != 3);
}

static void read_characters(void) {
  int c, digits = 0;
  while ((c = getchar()) != EOF)
    digits += isdigit(c) != 0;
  assert(digits != 2);
}

static void read_file(void) {
  char bytes[4];
  const int file = open("data", O_RDONLY);
  if (file < 0) return;
  lseek(file, 1, SEEK_SET);
  const ssize_t count = read(file, bytes, sizeof bytes);
  close(file);
  assert(count != 2 || memcmp(bytes, "ok", 2) != 0);
}

/* The first word of the standard input is the name of a key. */
static void look_up(void) {
  static const char *const keys[] = {"up", "on", "no"};
  char word[3] = "";
  if (fread(word, 1, 2, stdin) != 2) return;
  for (int i = 0; i < 3; i++)
    assert(strcmp(word, keys[i]) != 0 || i != 1);
}

/* A table in a large structure: where in it a byte can be is known. */
static struct {
  long before;
  unsigned short table[256];
  char behind[100000];
} large;
static void look_into_table(void) {
  unsigned char byte;
  large.table['x'] = 7;
  if (read(0, &byte, 1) != 1) return;
  const int down = byte != 0;
  assert((&large.table[1])[byte - down] != 7 && large.behind[2 * byte] == 0);
}

static void *read_one(void *to) {
  *(int *)to = getc(stdin);
  return NULL;
}

/* Two threads share the stream; each has a byte of it. */
static void share(void) {
  int bytes[2];
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, read_one, &bytes[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert(bytes[0] != 'y' || bytes[1] != 'x');
}

int main(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  if (strcmp(word, "arguments") == 0 && argc == 4) add_arguments(argv + 2);
  if (strcmp(word, "lines") == 0) read_lines();
  if (strcmp(word, "characters") == 0) read_characters();
  if (strcmp(word, "file") == 0) read_file();
  if (strcmp(word, "keys") == 0) look_up();
  if (strcmp(word, "table") == 0) look_into_table();
  if (strcmp(word, "share") == 0) share();
  return 0;
}
