/*
 * Traces from hostile bytes. Whatever the text is, reading answers with a status and gives every
 * byte back, in each form that reads and writes can take; refusals have a line and a column in the
 * text; of what is accepted, each line that is an event is one of the configuration.
 */
#include "target.h"

#include <string.h>
#include <unfold/unfold.h>

static const char *check_refusal(const unf_context *context, unf_status status, const char *text,
                                 size_t size) {
  const unf_detail *detail = unf_context_detail(context);
  if (status == UNF_LIMIT || status == UNF_MEMORY) return NULL;
  if (status != UNF_FORMAT && status != UNF_UNSUPPORTED) return "an unexpected status";
  if (detail->status != status || detail->text[0] == '\0') return "no detail";
  uint64_t lines = 1, columns = 1;
  for (size_t i = 0; i < size && lines < detail->step; i++)
    lines += text[i] == '\n';
  columns += size; /* a column is at most behind the end */
  return lines == detail->step && detail->place >= 1 && detail->place <= columns
             ? NULL
             : "a place that is not in the text";
}

static const char *check_trace(const unf_std *std) {
  unf_std_counts counts;
  uint64_t events = 0;
  unf_std_counts_get(std, &counts);
  if (counts.lines != counts.events + counts.accesses + counts.without) return "wrong counts";
  for (uint64_t line = 1; line <= counts.lines; line++) {
    unf_event event;
    bool contained;
    if (unf_std_event(std, line, &event) != UNF_OK) return "a line is missing";
    if (event == UNF_EVENT_NONE) continue;
    events++;
    if (unf_configuration_contains(unf_std_configuration(std), event, &contained) != UNF_OK ||
        !contained)
      return "an event that is not in the configuration";
  }
  return events == counts.events ? NULL : "another number of events";
}

static const char *read_as(unf_std_memory memory, const char *text, size_t size) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_std_options std_options = UNF_STD_OPTIONS_INIT;
  unf_context *context;
  unf_unfolding *u;
  unf_std *std;
  options.limits.bytes = 8u << 20;
  std_options.memory = memory;
  if (unf_context_new(&options, &context) != UNF_OK) return "no context";
  uint64_t alone = unf_context_bytes(context);
  if (unf_unfolding_new(context, NULL, &u) != UNF_OK) return "no unfolding";
  const unf_status status = unf_std_read(u, &std_options, text, size, &std);
  const char *wrong =
      status == UNF_OK ? check_trace(std) : check_refusal(context, status, text, size);
  if (status == UNF_OK) unf_std_free(std);
  unf_unfolding_free(u);
  if (wrong == NULL && unf_context_bytes(context) != alone) wrong = "bytes are left";
  unf_context_free(context);
  return wrong;
}

const char *fuzz_target(const uint8_t *bytes, size_t size) {
  const char *wrong = NULL;
  for (unsigned memory = 0; wrong == NULL && memory < UNF_STD_MEMORY_COUNT; memory++)
    wrong = read_as((unf_std_memory)memory, (const char *)bytes, size);
  return wrong;
}

const char *const fuzz_words[] = {"|",
                                  "(",
                                  ")",
                                  "\n",
                                  "\r\n",
                                  "T0",
                                  "T1",
                                  "l",
                                  "x",
                                  "|0\n",
                                  "acq",
                                  "rel",
                                  "fork",
                                  "join",
                                  "begin",
                                  "acq(l)",
                                  "rel(l)",
                                  "fork(T2)",
                                  "join(T2)",
                                  "r(x)",
                                  "w(x)",
                                  "T0|acq(l)|1\n",
                                  "T1|acq(l)|1\n",
                                  "\xff"};
const unsigned fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;
