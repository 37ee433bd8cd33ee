/* libFuzzer's entry. */
#include <stdio.h>
#include <stdlib.h>

#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *wrong = fuzz_target(bytes, size);
  if (wrong != NULL) {
    fprintf(stderr, "%s\n", wrong);
    abort();
  }
  return 0;
}
