/*
 * Schedules from hostile bytes. Whatever the text is, reading answers with a status and gives every
 * byte back; what is accepted, written again, is the same text. Bytes are read as they are, and
 * once more with the checksum that they need, so that a fuzzer gets behind it.
 */
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <unfold/unfold.h>

struct compared {
  const char *text;
  size_t size, at;
  bool same;
};

static bool compare(void *user, const char *text, size_t size) {
  struct compared *c = user;
  c->same = c->same && c->size - c->at >= size && memcmp(c->text + c->at, text, size) == 0;
  c->at += size;
  return c->same;
}

static const char *read_one(const char *text, size_t size) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_context *context;
  unf_unfolding *u;
  unf_schedule *schedule;
  const char *wrong = NULL;
  options.limits.bytes = 8u << 20;
  if (unf_context_new(&options, &context) != UNF_OK) return "no context";
  uint64_t alone = unf_context_bytes(context);
  if (unf_unfolding_new(context, NULL, &u) != UNF_OK) return "no unfolding";
  unf_status status = unf_schedule_read(u, text, size, &schedule);
  if (status == UNF_OK) {
    struct compared compared = {text, size, 0, true};
    status = unf_schedule_write(schedule, compare, &compared);
    if (status != UNF_OK || !compared.same || compared.at != size)
      wrong = "written again it is another text";
    unf_schedule_free(schedule);
  } else if (status != UNF_FORMAT && status != UNF_UNSUPPORTED && status != UNF_CHECKSUM &&
             status != UNF_LIMIT && status != UNF_MEMORY) {
    wrong = "an answer that reading does not give";
  } else if (unf_context_detail(context)->status != status ||
             unf_context_detail(context)->text[0] == '\0') {
    wrong = "no detail";
  }
  unf_unfolding_free(u);
  if (wrong == NULL && unf_context_bytes(context) != alone) wrong = "bytes are left";
  unf_context_free(context);
  return wrong;
}

const char *fuzz_target(const uint8_t *bytes, size_t size) {
  const char *wrong = read_one((const char *)bytes, size);
  char *text = malloc(size + 27);
  if (wrong != NULL || text == NULL) {
    free(text);
    return wrong;
  }
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  if (size > 0) memcpy(text, bytes, size);
  memcpy(text + size, "checksum ", 9);
  for (unsigned i = 0; i < 16; i++)
    text[size + 9 + i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
  text[size + 25] = '\n';
  wrong = read_one(text, size + 26);
  free(text);
  return wrong;
}

const char *const fuzz_words[] = {"0",
                                  "-",
                                  ".",
                                  " ",
                                  "\n",
                                  "0.1",
                                  "18446744073709551616",
                                  " thread ",
                                  " mutex ",
                                  "acq",
                                  "rel",
                                  "tryfail",
                                  "loc",
                                  "create",
                                  "join",
                                  "checksum ",
                                  "program ",
                                  "unfold-schedule 1\n",
                                  "4294967295"};
const unsigned fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;
