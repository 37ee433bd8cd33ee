/* Buffered output. A long name gets a buffer of its own while it is written, so that there is no
 * limit on its length. */
#include "io/output.h"

#include "base/text.h"
#include "structure/unfolding.h"

uint64_t unfi_fnv(uint64_t hash, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  return hash;
}

void unfi_output_begin(struct output *out, const unf_unfolding *u, unf_write write, void *user) {
  out->u = u;
  out->write = write;
  out->user = user;
  out->status = UNF_OK;
  out->hash = FNV_EMPTY;
  out->used = 0;
}

static void flush(struct output *out) {
  if (out->status == UNF_OK && out->used > 0 && !out->write(out->user, out->buffer, out->used))
    out->status = unfi_fail(out->u->context, UNF_WRITE, NULL);
  out->used = 0;
}

unf_status unfi_output_end(struct output *out) {
  flush(out);
  return out->status;
}

void unfi_output_refused(struct output *out) {
  if (out->status == UNF_OK) out->status = unfi_refused(out->u->context);
}

static void put_bytes(struct output *out, const char *bytes, size_t size) {
  out->hash = unfi_fnv(out->hash, bytes, size);
  for (size_t i = 0; i < size; i++) {
    if (out->used == sizeof out->buffer) flush(out);
    out->buffer[out->used++] = bytes[i];
  }
}

void unfi_put(struct output *out, const char *string) {
  size_t size = 0;
  while (string[size] != '\0')
    size++;
  put_bytes(out, string, size);
}

void unfi_put_u64(struct output *out, uint64_t value) {
  char buffer[24];
  struct text text = unfi_text(buffer, sizeof buffer);
  unfi_text_u64(&text, value);
  put_bytes(out, buffer, text.length);
}

void unfi_put_i64(struct output *out, int64_t value) {
  char buffer[24];
  struct text text = unfi_text(buffer, sizeof buffer);
  unfi_text_i64(&text, value);
  put_bytes(out, buffer, text.length);
}

void unfi_put_hex(struct output *out, uint64_t value, unsigned digits) {
  char buffer[24];
  struct text text = unfi_text(buffer, sizeof buffer);
  unfi_text_hex(&text, value, digits);
  put_bytes(out, buffer, text.length);
}

/* Writes what a function with the conventions of snprintf() returns as text. */
static size_t name_of(const struct output *out, const unf_action *action, unf_thread thread,
                      char *buffer, size_t size) {
  return action != NULL ? unf_action_text(out->u, action, buffer, size)
                        : unf_thread_text(out->u, thread, buffer, size);
}

static void put_name(struct output *out, const unf_action *action, unf_thread thread, size_t from) {
  char few[128], *buffer = few;
  size_t length = name_of(out, action, thread, few, sizeof few);
  if (length >= sizeof few) {
    buffer = unfi_reallocate(out->u->context, NULL, 0, length + 1);
    if (buffer == NULL) {
      unfi_output_refused(out);
      return;
    }
    name_of(out, action, thread, buffer, length + 1);
  }
  put_bytes(out, buffer + from, length - from);
  if (buffer != few) unfi_reallocate(out->u->context, buffer, length + 1, 0);
}

void unfi_put_action(struct output *out, const unf_action *action, size_t from) {
  put_name(out, action, UNF_THREAD_NONE, from);
}

void unfi_put_thread(struct output *out, unf_thread thread) {
  put_name(out, NULL, thread, 0);
}
