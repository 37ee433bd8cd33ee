/* --executions, of a model. */
#include "executions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "execution.h"

static bool refuse(const struct session *s, const char *why) {
  cli_say(stderr, "unfold-model: %s: %s", s->options.executions, why);
  return false;
}

/* ---- with --save and --continue ---- */

/* Hashes the file from where it was hashed to as far as a byte. False: it ends before, or cannot be
 * read. */
static bool hash_up_to(struct listed *l, int file, uint64_t end) {
  char bytes[16384];
  while (l->hashed < end) {
    const uint64_t left = end - l->hashed;
    const size_t most = left < sizeof bytes ? (size_t)left : sizeof bytes;
    const ssize_t got = pread(file, bytes, most, (off_t)l->hashed);
    if (got <= 0) return false;
    l->hash = cli_hash_more(l->hash, bytes, (size_t)got);
    l->hashed += (uint64_t)got;
  }
  return true;
}

/* Cuts the file to what it was when it was saved, if that is there. */
static bool go_back(struct session *s, int file) {
  struct listed *l = &s->listed;
  const json_t *saved = json_object_get(s->continued.known, "listed");
  const json_t *bytes = json_object_get(saved, "bytes");
  char hash[17];
  if (!json_is_integer(bytes) || json_integer_value(bytes) < 0)
    return refuse(s, "would not have the executions before: they were not written");
  l->finished = (uint64_t)json_integer_value(bytes);
  const bool whole = hash_up_to(l, file, l->finished);
  snprintf(hash, sizeof hash, "%016" PRIx64, l->hash);
  const char *wanted = json_string_value(json_object_get(saved, "hash"));
  if (!whole || wanted == NULL || strcmp(hash, wanted) != 0)
    return refuse(s, "does not begin with the executions before");
  if (ftruncate(file, (off_t)l->finished) == 0 &&
      lseek(file, (off_t)l->finished, SEEK_SET) == (off_t)l->finished)
    return true;
  return refuse(s, strerror(errno));
}

static bool open_lasting(struct session *s) {
  const char *path = s->options.executions;
  const bool fresh = s->options.go_on == NULL;
  struct stat seen;
  s->listed.hash = CLI_HASH_NONE;
  const int file = open(path, O_RDWR | O_CLOEXEC | (fresh ? O_CREAT | O_TRUNC : 0), 0666);
  if (file < 0) return refuse(s, strerror(errno));
  const bool regular = fstat(file, &seen) == 0 && S_ISREG(seen.st_mode);
  const bool good = regular ? fresh || go_back(s, file)
                            : refuse(s, "is no file that can be gone on with, as --save needs it");
  s->executions = good ? fdopen(file, "r+") : NULL;
  if (s->executions != NULL) return true;
  close(file);
  return good ? refuse(s, strerror(errno)) : false;
}

void executions_finished(struct session *s) {
  const long at = s->executions != NULL ? ftell(s->executions) : 0;
  if (at >= 0) s->listed.finished = (uint64_t)at;
}

json_t *executions_saved(struct session *s) {
  char hash[17];
  if (s->executions == NULL) return json_null();
  const int file = fileno(s->executions);
  if (fflush(s->executions) != 0 || fsync(file) != 0 ||
      !hash_up_to(&s->listed, file, s->listed.finished)) {
    refuse(s, "could not be written as far as it is to be saved");
    return NULL;
  }
  snprintf(hash, sizeof hash, "%016" PRIx64, s->listed.hash);
  return json_pack("{s:I, s:s}", "bytes", (json_int_t)s->listed.finished, "hash", hash);
}

/* ---- the file ---- */

bool executions_open(struct session *s) {
  if (s->options.executions == NULL || s->options.replay != NULL) return true;
  if (s->options.save != NULL || s->options.go_on != NULL) return open_lasting(s);
  s->executions = cli_executions_open(CLI_MODEL, s->options.executions);
  return s->executions != NULL;
}

void executions_close(struct session *s) {
  if (s->executions != NULL &&
      !cli_executions_close(CLI_MODEL, s->options.executions, s->executions))
    s->failed = true;
}

void executions_write(struct session *s, const unf_explorer *x, const unf_verdict *verdict) {
  if (s->executions == NULL || verdict->redundant || verdict->infeasible || verdict->truncated)
    return;
  if (cli_execution_write(s->executions, s->unfolding, x, verdict, inputs_of_run(s, x),
                          inputs_constraint(s, x)))
    return;
  if (!s->refused) cli_say(stderr, "unfold-model: no memory to write an execution");
  s->refused = true;
}
