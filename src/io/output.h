/* Text on its way out: buffered, through the caller's callback, with the first failure kept and
 * everything after it dropped. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include <unfold/output.h>

struct output {
  const unf_unfolding *u;
  unf_write write;
  void *user;
  unf_status status; /* of the first failure */
  uint64_t hash;     /* FNV-1a of all bytes so far */
  size_t used;
  char buffer[512];
};

/* FNV-1a, 64 bits: of no bytes, and of more bytes after those. */
#define FNV_EMPTY 0xcbf29ce484222325u
uint64_t unfi_fnv(uint64_t hash, const char *bytes, size_t size);

void unfi_output_begin(struct output *out, const unf_unfolding *u, unf_write write, void *user);
/* Passes on what is buffered; the status of the whole. */
unf_status unfi_output_end(struct output *out);
/* Records that memory was refused. */
void unfi_output_refused(struct output *out);

void unfi_put(struct output *out, const char *string);
void unfi_put_u64(struct output *out, uint64_t value);
void unfi_put_i64(struct output *out, int64_t value);
void unfi_put_hex(struct output *out, uint64_t value, unsigned digits);
/* Canonical text of an action; `from` bytes of it are left out at the front. */
void unfi_put_action(struct output *out, const unf_action *action, size_t from);
void unfi_put_thread(struct output *out, unf_thread thread);

#endif
