/*
 * Events as JSON, one per line. Numbers of 64 bits (keys, cookies) are strings, because many
 * readers keep numbers as doubles. No text in it needs escaping: names are made of digits, dots,
 * dashes and the words of the tables.
 */
#include "base/null.h"
#include "configuration/configuration.h"
#include "io/output.h"
#include "structure/action.h"
#include "structure/event.h"
#include "structure/names.h"
#include "structure/text.h"

struct json_list {
  struct output out;
  bool first; /* no element of the current list was written yet */
};

static bool handle(void *user, unf_event event) {
  struct json_list *l = user;
  if (!l->first) unfi_put(&l->out, ", ");
  l->first = false;
  unfi_put_u64(&l->out, event);
  return l->out.status == UNF_OK;
}

static void separate(struct json_list *l) {
  unfi_put(&l->out, l->first ? "\n    " : ",\n    ");
  l->first = false;
}

static bool event_line(void *user, unf_event event) {
  struct json_list *l = user;
  struct output *out = &l->out;
  unf_action action = unfi_action(out->u, event_at(out->u, event)->action);
  uint64_t cookie = 0;
  separate(l);
  unfi_put(out, "{\"id\": ");
  unfi_put_u64(out, event);
  unfi_put(out, ", \"action\": \"");
  unfi_put_action(out, &action);
  unfi_put(out, "\", \"after\": [");
  l->first = true;
  unf_status status = unf_event_predecessors(out->u, event, handle, l);
  if (status == UNF_OK) status = unf_event_cookie(out->u, event, &cookie);
  if (out->status == UNF_OK) out->status = status;
  l->first = false;
  unfi_put(out, "]");
  if (cookie != 0) {
    unfi_put(out, ", \"cookie\": \"");
    unfi_put_u64(out, cookie);
    unfi_put(out, "\"");
  }
  unfi_put(out, "}");
  return out->status == UNF_OK;
}

static void begin_list(struct json_list *l, const char *name) {
  unfi_put(&l->out, ",\n  \"");
  unfi_put(&l->out, name);
  unfi_put(&l->out, "\": [");
  l->first = true;
}

static void threads(struct json_list *l) {
  begin_list(l, "threads");
  for (uint32_t t = 0; l->out.status == UNF_OK && t < l->out.u->threads.count; t++) {
    separate(l);
    unfi_put(&l->out, "{\"name\": \"");
    unfi_put_thread(&l->out, t);
    unfi_put(&l->out, "\", \"initial\": ");
    unfi_put(&l->out, l->out.u->threads.data[t].initial ? "true}" : "false}");
  }
  unfi_put(&l->out, "]");
}

/* Writes the range of a location that was placed. */
static void range(struct json_list *l, const struct object *object) {
  unfi_put(&l->out, ", \"space\": ");
  unfi_put_u64(&l->out, object->space);
  unfi_put(&l->out, ", \"first\": \"");
  unfi_put_u64(&l->out, object->first);
  unfi_put(&l->out, "\", \"size\": ");
  unfi_put_u64(&l->out, object->size);
}

static void objects(struct json_list *l) {
  begin_list(l, "objects");
  for (uint32_t i = 0; l->out.status == UNF_OK && i < l->out.u->objects.count; i++) {
    const struct object *object = &l->out.u->objects.data[i];
    separate(l);
    unfi_put(&l->out, "{\"class\": \"");
    unfi_put(&l->out, unfi_class_text((unf_object_class)object->object_class));
    unfi_put(&l->out, "\", \"creator\": \"");
    unfi_put_thread(&l->out, object->creator);
    unfi_put(&l->out, "\", \"key\": \"");
    unfi_put_u64(&l->out, object->key);
    unfi_put(&l->out, "\"");
    if (object->cell != 0) range(l, object);
    unfi_put(&l->out, "}");
  }
  unfi_put(&l->out, "]");
}

unf_status unf_json_unfolding(unf_unfolding *u, unf_write write, void *user) {
  RETURN_IF_NULL(u->context, u, write);
  struct json_list l;
  unfi_output_begin(&l.out, u, write, user);
  unfi_put(&l.out, "{\n  \"format\": \"unfold-unfolding\",\n  \"version\": 1");
  threads(&l);
  objects(&l);
  begin_list(&l, "events");
  for (uint32_t e = 1; e < u->store.count && event_line(&l, e); e++)
    continue;
  unfi_put(&l.out, "]\n}\n");
  return unfi_output_end(&l.out);
}

unf_status unf_json_configuration(const unf_configuration *c, unf_write write, void *user) {
  RETURN_IF_NULL(c->u->context, c, write);
  struct json_list l;
  unfi_output_begin(&l.out, c->u, write, user);
  unfi_put(&l.out, "{\n  \"format\": \"unfold-configuration\",\n  \"version\": 1,\n  \"size\": ");
  unfi_put_u64(&l.out, unf_configuration_size(c));
  begin_list(&l, "events");
  unf_status status = unf_configuration_linearize(c, event_line, &l);
  unfi_put(&l.out, "]");
  begin_list(&l, "maximal");
  if (status == UNF_OK) status = unf_configuration_maximal(c, handle, &l);
  unfi_put(&l.out, "]\n}\n");
  if (l.out.status == UNF_OK) l.out.status = status;
  return unfi_output_end(&l.out);
}
