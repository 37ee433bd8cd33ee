/*
 * Executions as traces. A detector that reads one knows locks, forks and joins, and nothing else
 * orders threads there. So a step on any other object is written as an acquire and a release, in a
 * row, of a lock that stands for the object: what is ordered here is ordered there, and two uses
 * that commute are ordered as well. Accesses of an atomic location stand between the two.
 *
 * Steps that fail say nothing there: they neither take nor release, and the lock may be another
 * thread's at that time.
 */
#include "base/null.h"
#include "io/output.h"
#include "io/schedule.h"
#include "io/std.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/text.h"

#include <string.h>

struct unf_std_writer {
  unf_unfolding *u;
  struct output out;
  uint64_t place; /* of the step at hand */
  unf_thread thread;
};

static void begin_line(unf_std_writer *w, const char *operation) {
  unfi_put_thread(&w->out, w->thread);
  unfi_put(&w->out, "|");
  unfi_put(&w->out, operation);
  unfi_put(&w->out, "(");
}

static void end_line(unf_std_writer *w) {
  unfi_put(&w->out, ")|");
  unfi_put_u64(&w->out, w->place);
  unfi_put(&w->out, "\n");
}

static void thread_line(unf_std_writer *w, const char *operation, unf_thread thread) {
  begin_line(w, operation);
  unfi_put_thread(&w->out, thread);
  end_line(w);
}

/* The name of an object has no spaces here; of a part, if that is not NULL, its number follows. */
static void part_line(unf_std_writer *w, const char *operation, unf_object object,
                      const struct part *part) {
  const struct object *o = &w->u->objects.data[object];
  begin_line(w, operation);
  unfi_put(&w->out, unfi_class_text((unf_object_class)o->object_class));
  unfi_put(&w->out, ":");
  unfi_put_thread(&w->out, o->creator);
  unfi_put(&w->out, ":");
  unfi_put_u64(&w->out, o->key);
  if (part != NULL) {
    unfi_put(&w->out, ":");
    unfi_put_u64(&w->out, part->number);
  }
  end_line(w);
}

static void object_line(unf_std_writer *w, const char *operation, unf_object object) {
  part_line(w, operation, object, NULL);
}

static void pass_through(unf_std_writer *w, unf_object object) {
  object_line(w, "acq", object);
  object_line(w, "rel", object);
}

/* Locations that share bytes have one lock, that of their space. */
static void location_lines(unf_std_writer *w, const char *operation, unf_object location) {
  const struct object *o = &w->u->objects.data[location];
  const unf_object lock = o->cell != 0 ? o->space : location;
  object_line(w, "acq", lock);
  object_line(w, operation, location);
  object_line(w, "rel", lock);
}

/* The part of an object that a site is, or NULL: sites are numbered in the order of the parts. */
static const struct part *part_of(const unf_unfolding *u, uint32_t site) {
  uint32_t low = 0, high = u->parts.count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (u->parts.data[middle].site < site)
      low = middle + 1;
    else
      high = middle;
  }
  return low < u->parts.count && u->parts.data[low].site == site ? &u->parts.data[low] : NULL;
}

/* A family says which sites it uses: objects, and parts of them. */
static void custom_lines(unf_std_writer *w, uint32_t id) {
  uint32_t count;
  const struct use *uses = uses_of(w->u, &w->u->actions.data[id], &count);
  for (uint32_t i = 0; i < count; i++) {
    const struct part *part = part_of(w->u, uses[i].site);
    const unf_object object = w->u->sites.data[uses[i].site].subject;
    part_line(w, "acq", object, part);
    part_line(w, "rel", object, part);
  }
}

static void futex_lines(unf_std_writer *w, const unf_action *action) {
  if (action->kind == UNF_DID_FUTEX_WAIT || action->kind == UNF_DID_FUTEX_AGAIN)
    location_lines(w, "r", action->second);
  if (action->kind != UNF_DID_FUTEX_AGAIN) pass_through(w, action->target);
}

/* The lines of an interned action. */
static void lines_of(unf_std_writer *w, uint32_t id, uint64_t place) {
  const unf_action of = unfi_action(w->u, id), *action = &of;
  w->thread = action->thread;
  w->place = place;
  switch (action->kind) {
  case UNF_DID_CREATE:
    thread_line(w, "fork", action->target);
    break;
  case UNF_DID_JOIN:
    thread_line(w, "join", action->target);
    break;
  case UNF_DID_ACQUIRE:
  case UNF_DID_WRLOCK:
    object_line(w, "acq", action->target);
    break;
  case UNF_DID_RELEASE:
  case UNF_DID_WRUNLOCK:
    object_line(w, "rel", action->target);
    break;
  case UNF_DID_WAIT:
    pass_through(w, action->target);
    object_line(w, "rel", action->second);
    break;
  case UNF_DID_WAKE:
    pass_through(w, action->target);
    object_line(w, "acq", action->second);
    break;
  case UNF_DID_READ:
    location_lines(w, "r", action->target);
    break;
  case UNF_DID_WRITE:
  case UNF_DID_ADD:
    location_lines(w, "w", action->target);
    break;
  case UNF_DID_LOCAL:
  case UNF_DID_BRANCH:
  case UNF_DID_TRYFAIL:
  case UNF_DID_RDFAIL:
  case UNF_DID_WRFAIL:
    break;
  case UNF_DID_CUSTOM:
    custom_lines(w, id);
    break;
  case UNF_DID_FUTEX_WAIT:
  case UNF_DID_FUTEX_AGAIN:
  case UNF_DID_FUTEX_RETURN:
  case UNF_DID_FUTEX_TIMEOUT:
  case UNF_DID_FUTEX_WAKE:
  case UNF_DID_FUTEX_WAKE_ALL:
    futex_lines(w, action);
    break;
  default: /* on condition variables, for reading, on semaphores and barriers */
    pass_through(w, action->target);
  }
}

unf_status unf_std_writer_new(unf_unfolding *u, unf_write write, void *user, unf_std_writer **out) {
  RETURN_IF_NULL(u->context, u, write, out);
  unf_std_writer *w = unfi_reallocate(u->context, NULL, 0, sizeof *w);
  if (w == NULL) return unfi_refused(u->context);
  w->u = u;
  unfi_output_begin(&w->out, u, write, user);
  *out = w;
  return UNF_OK;
}

void unf_std_writer_free(unf_std_writer *w) {
  if (w != NULL) unfi_reallocate(w->u->context, w, sizeof *w, 0);
}

unf_status unf_std_writer_step(unf_std_writer *w, const unf_action *action, uint64_t place) {
  RETURN_IF_NULL(w->u->context, w, action);
  uint32_t id;
  unf_status status = w->out.status;
  if (status == UNF_OK) status = unfi_action_intern(w->u, action, &id);
  if (status != UNF_OK) return status;
  lines_of(w, id, place);
  return w->out.status;
}

unf_status unf_std_writer_access(unf_std_writer *w, const unf_access *access) {
  RETURN_IF_NULL(w->u->context, w, access);
  if (access->thread >= w->u->threads.count) return unfi_fail(w->u->context, UNF_UNKNOWN, "thread");
  w->thread = access->thread;
  w->place = access->place;
  begin_line(w, access->write ? "w" : "r");
  unfi_put(&w->out, "memory:");
  unfi_put_u64(&w->out, access->address);
  unfi_put(&w->out, ":");
  unfi_put_u64(&w->out, access->size);
  end_line(w);
  return w->out.status;
}

unf_status unf_std_writer_end(unf_std_writer *w) {
  RETURN_IF_NULL(w->u->context, w);
  return unfi_output_end(&w->out);
}

unf_status unf_std_write(const unf_schedule *schedule, unf_write write, void *user) {
  RETURN_IF_NULL(schedule->u->context, schedule, write);
  unf_std_writer w = {.u = schedule->u};
  unfi_output_begin(&w.out, schedule->u, write, user);
  for (uint32_t i = 0; w.out.status == UNF_OK && i < schedule->steps.count; i++) {
    uint32_t action;
    w.out.status = unfi_action_intern(schedule->u, &schedule->steps.data[i], &action);
    if (w.out.status == UNF_OK) lines_of(&w, action, (uint64_t)i + 1);
  }
  return unfi_output_end(&w.out);
}
