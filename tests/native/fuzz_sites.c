/* The scanner on files that are cut off or changed: fuzz_sites ROUNDS FILE. It may find anything in
 * them, but what it says must lie in the file's code, and it must come to an end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../examples/native/sites/image.h"
#include "../../examples/native/sites/sweep.h"
#include "../../src/base/random.h"

enum { SIZE_MOST = 1 << 20, CHANGES_MOST = 12 };

static unsigned char original[SIZE_MOST], bytes[SIZE_MOST];
static uint64_t state = 1;

static uint64_t draw(uint64_t below) {
  return splitmix64(&state) % below;
}

static void fail(const char *what, long round) {
  fprintf(stderr, "round %ld: %s\n", round, what);
  exit(1);
}

/* Mostly in the header, where offsets and sizes are, and near the end, where the sections are. */
static size_t change(size_t size) {
  memcpy(bytes, original, size);
  if (draw(4) == 0) size = 1 + draw(size);
  for (uint64_t i = draw(CHANGES_MOST); i > 0; i--) {
    const uint64_t where = draw(3);
    size_t at = where == 0 ? draw(1024) : where == 1 ? size - 1 - draw(4096) : draw(size);
    static const unsigned char likely[] = {0, 1, 0x7f, 0x80, 0xff, 0xf0};
    if (at < size)
      bytes[at] = draw(2) == 0 ? likely[draw(sizeof likely)] : (unsigned char)draw(256);
  }
  return size;
}

static void scan(const unsigned char *from, size_t size, long round) {
  char path[64];
  int file = memfd_create("module", 0);
  if (file < 0 || write(file, from, size) != (ssize_t)size) fail("no file", round);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  struct image image;
  struct found_sites found = {.sites = NULL};
  if (image_open(&image, path)) {
    char name[16];
    uint64_t begin = 0;
    for (uint64_t at = 0; at < size; at += 1 + draw(1024))
      if (image_variable(&image, at, name, sizeof name, &begin) &&
          (begin > at || memchr(name, '\0', sizeof name) == NULL))
        fail("a variable that is elsewhere", round);
    sweep(&image, true, &found);
    uint64_t before = 0, room;
    for (uint32_t i = 0; i < found.table.sites; i++) {
      const struct site *s = &found.sites[i];
      const unsigned char *at = image_at(&image, s->offset, true, &room);
      if (at == NULL || room < s->length || memcmp(at, s->bytes, s->length) != 0)
        fail("a site that is not there", round);
      if (i > 0 && s->offset < before) fail("sites that overlap", round);
      before = s->offset + s->length;
    }
    image_close(&image);
  }
  free(found.sites);
  close(file);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  FILE *stream = fopen(argv[2], "rb");
  if (stream == NULL) return 2;
  size_t size = fread(original, 1, SIZE_MOST, stream);
  fclose(stream);
  for (size_t cut = 0; cut < size; cut += 1 + cut / 16)
    scan(original, cut + 1, (long)cut);
  for (long round = 0; round < atol(argv[1]); round++)
    scan(bytes, change(size), round);
  return 0;
}
