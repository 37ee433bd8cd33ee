/* fuzz_code FILE COUNT SEED: reads a translated program, and as many others that differ from it in
 * some bytes. Whatever they are, they are read, or refused with a place, and all that is named in
 * what was read is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

static uint64_t state;

static uint64_t draw(uint64_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (state >> 33) % below;
}

/* What the interpreter relies on, looked at once more. */
static bool is_sound(const struct code *c) {
  for (size_t n = 0; n < c->instruction_count; n++) {
    const struct instruction *i = &c->instructions[n];
    if ((size_t)i->first + i->values + i->numbers > c->word_count || i->file >= c->text_count)
      return false;
  }
  for (uint32_t f = 0; f < c->function_count; f++) {
    const struct function *function = &c->functions[f];
    for (uint32_t n = function->first; n < function->first + function->count; n++) {
      const struct instruction *i = &c->instructions[n];
      for (uint32_t v = 0; v < i->values; v++) {
        const uint32_t word = code_values(c, i)[v];
        const uint32_t limit =
            (word & CODE_CONSTANT) != 0 ? c->constant_count : function->registers;
        if ((word & ~CODE_CONSTANT) >= limit) return false;
      }
    }
  }
  return true;
}

static bool try_one(const char *bytes, size_t size) {
  struct code code;
  const char *wrong;
  size_t at;
  char *copy = malloc(size + 1);
  if (copy == NULL) return false;
  memcpy(copy, bytes, size);
  const bool read = code_read(&code, copy, size, &wrong, &at);
  const bool good = read ? is_sound(&code) : wrong != NULL && at <= size;
  code_free(&code);
  return good;
}

static void mutate(char *bytes, size_t *size) {
  const uint64_t changes = 1 + draw(4);
  for (uint64_t i = 0; i < changes; i++)
    bytes[draw(*size)] = (char)draw(256);
  if (draw(8) == 0) *size = (size_t)(1 + draw(*size));
}

int main(int argc, char **argv) {
  FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) return 2;
  static char program[1 << 22], changed[1 << 22];
  const size_t whole = fread(program, 1, sizeof program, file);
  fclose(file);
  state = strtoull(argv[3], NULL, 10);
  if (whole == 0 || !try_one(program, whole)) return 1;
  for (unsigned long n = strtoul(argv[2], NULL, 10); n > 0; n--) {
    size_t size = whole;
    memcpy(changed, program, whole);
    mutate(changed, &size);
    if (!try_one(changed, size)) {
      fprintf(stderr, "a program that is neither read nor refused, %lu before the end\n", n);
      return 1;
    }
  }
  return 0;
}
