/* unfold-sites [--moves] FILE ...: says where modules read and write memory in one step, and with
 * --moves where they access it otherwise. `unfold` runs it as a process of its own (--serve;
 * --count FILE ... for the numbers alone), so that neither the disassembler nor its memory is in
 * the program under test. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "sweep.h"

/* A file that was made so that reading it takes for ever. */
enum { SECONDS_MOST = 60 };

static const char *const names[] = {
#define NAME(name, text) text,
    SITE_KIND_TABLE(NAME)
#undef NAME
};

static void print(const char *path, const struct found_sites *found) {
  const struct site_table *t = &found->table;
  if (t->readable == 0) {
    printf("%s: cannot be read\n", path);
    return;
  }
  printf("%s: %u functions, %u not decoded; %u sites, %u left; %u outside of functions", path,
         t->ranges, t->ranges_left, t->sites, t->left + t->moves_left, t->outside);
  if (t->unknown > 0) printf("; %u pieces not known, from %" PRIx64, t->unknown, t->unknown_at);
  putchar('\n');
  for (uint32_t i = 0; i < t->sites; i++)
    printf("%" PRIx64 " %u %s %u\n", found->sites[i].offset, found->sites[i].length,
           names[found->sites[i].kind], found->sites[i].size * 8u);
}

static void search(const char *path, bool moves, struct found_sites *found) {
  struct image image;
  *found = (struct found_sites){.table.magic = SITES_MAGIC};
  if (image_open(&image, path)) {
    found->table.readable = sweep(&image, moves, found);
    image_close(&image);
  }
  if (found->table.readable == 0) found->table = (struct site_table){.magic = SITES_MAGIC};
}

/* The head of a table for each file. */
static void count(char **paths) {
  for (; *paths != NULL; paths++) {
    struct found_sites found;
    alarm(SECONDS_MOST);
    search(*paths, false, &found);
    alarm(0);
    free(found.sites);
    fwrite(&found.table, sizeof found.table, 1, stdout);
    if (fflush(stdout) != 0) break;
  }
}

/* Answers with a table for each path, until there are no more questions. */
static void serve(bool moves) {
  char *path = NULL;
  size_t room = 0;
  while (getdelim(&path, &room, '\0', stdin) > 0) {
    struct found_sites found;
    alarm(SECONDS_MOST);
    search(path, moves, &found);
    alarm(0);
    fwrite(&found.table, sizeof found.table, 1, stdout);
    fwrite(found.sites, sizeof *found.sites, found.table.sites, stdout);
    free(found.sites);
    if (fflush(stdout) != 0) break;
  }
  free(path);
}

int main(int argc, char **argv) {
  const bool moves = argc > 1 && strcmp(argv[1], "--moves") == 0;
  const int first = moves ? 2 : 1;
  if (argc == first + 1 && strcmp(argv[first], "--serve") == 0) {
    serve(moves);
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "--count") == 0) {
    count(argv + 2);
    return 0;
  }
  for (int i = first; i < argc; i++) {
    struct found_sites found;
    search(argv[i], moves, &found);
    print(argv[i], &found);
    free(found.sites);
  }
  return 0;
}
