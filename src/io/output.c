/* Buffered output. A long name gets a buffer of its own while it is written, so that there is no
 * limit on its length. */
#include "io/output.h"

#include <string.h>

#include "base/text.h"
#include "structure/action.h"
#include "structure/event.h"
#include "structure/text.h"
#include "structure/unfolding.h"

uint64_t unfi_fnv(uint64_t hash, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  return hash;
}

void unfi_output_begin(struct output *out, const unf_unfolding *u, unf_write write, void *user) {
  out->u = u;
  out->names = NULL;
  out->write = write;
  out->user = user;
  out->status = UNF_OK;
  out->hash = FNV_EMPTY;
  out->used = 0;
  out->markup = false;
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

/* Makes the status that of a refused allocation. */
static void output_refused(struct output *out) {
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

void unfi_put_hex(struct output *out, uint64_t value, unsigned digits) {
  char buffer[24];
  struct text text = unfi_text(buffer, sizeof buffer);
  unfi_text_hex(&text, value, digits);
  put_bytes(out, buffer, text.length);
}

/* A text with the conventions of snprintf(), of an action or, if that is NULL, of a thread. */
typedef size_t text_writer(const struct output *out, const unf_action *action, unf_thread thread,
                           char *buffer, size_t size);

static size_t canonical(const struct output *out, const unf_action *action, unf_thread thread,
                        char *buffer, size_t size) {
  return action != NULL ? unf_action_text(out->u, action, buffer, size)
                        : unf_thread_text(out->u, thread, buffer, size);
}

static size_t label(const struct output *out, const unf_action *action, unf_thread thread,
                    char *buffer, size_t size) {
  return action != NULL ? unf_action_label(out->u, out->names, action, buffer, size)
                        : unf_thread_label(out->u, out->names, thread, buffer, size);
}

/* Of an object, whose handle stands for a thread's. */
static size_t object_label(const struct output *out, const unf_action *action, unf_object object,
                           char *buffer, size_t size) {
  const unf_names *names = out->names;
  (void)action;
  const bool named = names != NULL && names->object != NULL;
  const size_t length = named ? names->object(names->user, object, buffer, size) : 0;
  if (length > 0) return length;
  struct text text = unfi_text(buffer, size);
  unfi_text_object(&text, out->u, object);
  return text.length;
}

/* Of an event, whose handle stands for a thread's. */
static size_t event_label(const struct output *out, const unf_action *action, uint32_t event,
                          char *buffer, size_t size) {
  const unf_names *names = out->names;
  const bool named = names != NULL && names->event != NULL;
  const size_t length = named ? names->event(names->user, event, buffer, size) : 0;
  return length > 0 ? length : unf_action_label(out->u, names, action, buffer, size);
}

/* The number of bytes of the UTF-8 character that a text begins with; 0: it is none. */
static unsigned character(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  const unsigned size = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
  if (c[0] > 0xf4 || size == 0) return 0;
  for (unsigned i = 1; i < size; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  const unsigned second = size > 2 ? c[1] : 0xa0;
  const bool long_form = (c[0] == 0xe0 && second < 0xa0) || (c[0] == 0xf0 && second < 0x90);
  const bool no_character = (c[0] == 0xed && second > 0x9f) || (c[0] == 0xf4 && second > 0x8f);
  return long_form || no_character ? 0 : size;
}

/* What a character is that begins markup; NULL: itself. */
static const char *entity(char character) {
  if (character == '<') return "&lt;";
  return character == '>' ? "&gt;" : character == '&' ? "&amp;" : NULL;
}

/* Within quotation marks of DOT, where a backslash begins an escape and `&` an entity, or as text
 * of XML. What is no character that can be seen is one that stands for these. */
void unfi_put_escaped(struct output *out, const char *text) {
  static const char unprintable[] = "\xef\xbf\xbd", noncharacters[] = "\xef\xbf\xbe";
  while (*text != '\0') {
    unsigned size = character(text);
    if (out->markup && strncmp(text, noncharacters, 2) == 0 && (unsigned char)text[2] >= 0xbe)
      size = 0;
    if (!out->markup && (*text == '"' || *text == '\\')) put_bytes(out, "\\", 1);
    if (*text == '&' || (out->markup && entity(*text) != NULL))
      unfi_put(out, entity(*text));
    else if (size == 0 || (unsigned char)*text < ' ' || *text == 0x7f)
      unfi_put(out, unprintable);
    else
      put_bytes(out, text, size);
    text += size > 0 ? size : 1;
  }
}

static void put_text(struct output *out, text_writer *write, const unf_action *action,
                     unf_thread thread) {
  char few[128], *buffer = few;
  const size_t length = write(out, action, thread, few, sizeof few);
  if (length >= sizeof few) {
    buffer = unfi_reallocate(out->u->context, NULL, 0, length + 1);
    if (buffer == NULL) {
      output_refused(out);
      return;
    }
    buffer[0] = '\0';
    write(out, action, thread, buffer, length + 1);
  }
  if (write != canonical)
    unfi_put_escaped(out, buffer);
  else
    unfi_put(out, buffer);
  if (buffer != few) unfi_reallocate(out->u->context, buffer, length + 1, 0);
}

bool unfi_names_fit(unf_context *context, const unf_names *names) {
  const bool fit = names == NULL || names->size == sizeof *names;
  if (!fit) unfi_fail(context, UNF_INVALID, "names of another size");
  return fit;
}

void unfi_put_action(struct output *out, const unf_action *action) {
  put_text(out, canonical, action, UNF_THREAD_NONE);
}

void unfi_put_thread(struct output *out, unf_thread thread) {
  put_text(out, canonical, NULL, thread);
}

void unfi_put_action_label(struct output *out, const unf_action *action) {
  put_text(out, label, action, UNF_THREAD_NONE);
}

void unfi_put_event_label(struct output *out, uint32_t event) {
  const unf_action action = unfi_action(out->u, event_at(out->u, event)->action);
  put_text(out, event_label, &action, event);
}

void unfi_put_thread_label(struct output *out, unf_thread thread) {
  put_text(out, label, NULL, thread);
}

void unfi_put_object_label(struct output *out, unf_object object) {
  put_text(out, object_label, NULL, object);
}
