/* --std: the execution that is replayed, as a trace in the STD format. The place of a step or an
 * access is its line. */
#include "std.h"

#include "execution.h"

static bool put(void *file, const char *text, size_t size) {
  return fwrite(text, 1, size, file) == size;
}

unf_status std_open(struct session *s) {
  if (s->options.std == NULL) return UNF_OK;
  s->std_file = cli_executions_open(CLI_MODEL, s->options.std);
  if (s->std_file == NULL) return UNF_INVALID;
  return unf_std_writer_new(s->unfolding, put, s->std_file, &s->std);
}

void std_step(struct session *s, const unf_action *action) {
  const uint64_t line = machine_place(&s->machine, s->state, action->thread).line;
  if (s->std != NULL && s->std_status == UNF_OK)
    s->std_status = unf_std_writer_step(s->std, action, line);
}

void std_access(struct session *s, const unf_access *access) {
  unf_access by_line = *access;
  by_line.place >>= 32;
  if (s->std != NULL && s->std_status == UNF_OK)
    s->std_status = unf_std_writer_access(s->std, &by_line);
}

void std_close(struct session *s) {
  if (s->std != NULL && s->std_status == UNF_OK) s->std_status = unf_std_writer_end(s->std);
  unf_std_writer_free(s->std);
  s->std = NULL;
  if (s->std_file == NULL) return;
  if (!cli_executions_close(CLI_MODEL, s->options.std, s->std_file)) {
    s->failed = true;
  } else if (s->std_status != UNF_OK) {
    cli_say(stderr, "unfold-model: %s: %s", s->options.std, unf_status_text(s->std_status));
    s->failed = true;
  }
  s->std_file = NULL;
}
