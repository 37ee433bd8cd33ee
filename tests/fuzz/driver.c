/* driver ROUNDS SEED-FILE...: each seed, its prefixes, and ROUNDS random mutations of them; no
 * fuzzer needed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

#define ROOM 4096

static uint64_t state = 1;

static uint32_t draw(uint32_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % below);
}

static size_t mutate(uint8_t *bytes, size_t size) {
  for (uint32_t n = 1 + draw(3); n > 0; n--) {
    size_t at = size == 0 ? 0 : draw((uint32_t)size);
    const char *word = fuzz_words[draw(fuzz_word_count)];
    size_t length = strlen(word), cut = size - at < 6 ? size - at : draw(6);
    switch (draw(4)) {
    case 0:
      if (size > 0) bytes[at] ^= (uint8_t)(1u << draw(8));
      break;
    case 1:
      memmove(bytes + at, bytes + at + cut, size - at - cut);
      size -= cut;
      break;
    case 2:
      if (size + length > ROOM) break;
      memmove(bytes + at + length, bytes + at, size - at);
      memcpy(bytes + at, word, length);
      size += length;
      break;
    default:
      if (size - at >= length) memcpy(bytes + at, word, length);
    }
  }
  return size;
}

static int try_one(const uint8_t *bytes, size_t size, const char *name) {
  const char *wrong = fuzz_target(bytes, size);
  if (wrong == NULL) return 0;
  printf("%s: %s, with the %zu bytes:\n", name, wrong, size);
  fwrite(bytes, 1, size, stdout);
  putchar('\n');
  return 1;
}

int main(int argc, char **argv) {
  int wrong = 0;
  unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  for (int i = 2; i < argc && wrong == 0; i++) {
    uint8_t seed[ROOM], bytes[ROOM];
    FILE *file = fopen(argv[i], "rb");
    if (file == NULL) {
      perror(argv[i]);
      return 2;
    }
    size_t size = fread(seed, 1, ROOM, file);
    fclose(file);
    for (size_t prefix = 0; prefix <= size && wrong == 0; prefix++)
      wrong = try_one(seed, prefix, argv[i]);
    for (unsigned long r = 0; r < rounds && wrong == 0; r++) {
      memcpy(bytes, seed, size);
      wrong = try_one(bytes, mutate(bytes, size), argv[i]);
    }
  }
  if (wrong == 0) printf("%d seeds, %lu mutations of each\n", argc - 2, rounds);
  return wrong;
}
