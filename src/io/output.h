/* Output of text: buffered, through the caller's callback. After the first failure, whose status is
 * kept, everything is dropped. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include <stdbool.h>
#include <unfold/output.h>

struct output {
  const unf_unfolding *u;
  const unf_names *names; /* of labels, or NULL */
  unf_write write;
  void *user;
  unf_status status; /* of the first failure */
  uint64_t hash;     /* FNV-1a of all bytes so far */
  bool markup;       /* labels are escaped for XML, else for DOT */
  size_t used;
  char buffer[512];
};

/* FNV-1a, 64 bits: the hash of no bytes, and the hash after more bytes. */
#define FNV_EMPTY 0xcbf29ce484222325u
uint64_t unfi_fnv(uint64_t hash, const char *bytes, size_t size);

void unfi_output_begin(struct output *out, const unf_unfolding *u, unf_write write, void *user);
/* Writes what is buffered; returns the status of the whole output. */
unf_status unfi_output_end(struct output *out);

void unfi_put(struct output *out, const char *string);
void unfi_put_u64(struct output *out, uint64_t value);
void unfi_put_hex(struct output *out, uint64_t value, unsigned digits);
/* Whether they may be given to a call; else UNF_INVALID is the last error. */
bool unfi_names_fit(unf_context *context, const unf_names *names);

/* Canonical texts. */
void unfi_put_action(struct output *out, const unf_action *action);
void unfi_put_thread(struct output *out, unf_thread thread);
/* In names of the program, escaped; an action or an event without its thread. */
void unfi_put_event_label(struct output *out, uint32_t event);
void unfi_put_action_label(struct output *out, const unf_action *action);
/* A text of the caller, within quotation marks of DOT or as text of XML. */
void unfi_put_escaped(struct output *out, const char *text);
void unfi_put_thread_label(struct output *out, unf_thread thread);
void unfi_put_object_label(struct output *out, unf_object object);

#endif
