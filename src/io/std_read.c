/*
 * A trace as a configuration. Threads that run from the start are known only at the end of the
 * text, and must be started before the first event: so all lines are parsed first, and performed
 * then, one by one. What cannot come after the lines before it is refused here, by what threads and
 * locks are like at that line; so no call of the library refuses an action for its meaning.
 *
 * Each event has its operation offered first, as a front-end would do, so that what else could have
 * happened can be asked for as well. Values are not known: a store writes 0.
 */
#include "io/std.h"

#include <string.h>

#include "base/null.h"
#include "io/std_names.h"
#include "io/std_parse.h"

enum { CELL = 8 }; /* the addresses of variables, so that they share no word */

/* What a thread and a lock are like before the current line. */
struct std_thread {
  unf_thread handle;
  uint32_t children;
  bool seen, forked, joined;
};

struct std_lock {
  unf_object handle;
  uint32_t owner, depth; /* the owner is meaningless where the depth is 0 */
};

struct std_performing {
  unf_std *std;
  const char *text; /* for the place of what is refused */
  size_t size;
  uint32_t at; /* the current line */
  VECTOR(struct std_thread) threads;
  VECTOR(struct std_lock) locks;
  handle_vector variables; /* locations */
};

/* ---- refusing a line ---- */

/* The column behind the first bar of the current line. */
static uint64_t column_of(const struct std_performing *p) {
  const char *line = p->text, *const limit = p->text + p->size;
  for (uint32_t i = 0; i < p->at; i++)
    line = (const char *)memchr(line, '\n', (size_t)(limit - line)) + 1;
  return (uint64_t)((const char *)memchr(line, '|', (size_t)(limit - line)) - line) + 2;
}

static unf_status impossible(const struct std_performing *p, const char *what, const char *name,
                             const char *why, const char *other) {
  const char *const parts[] = {what, " ", name, why, other, NULL};
  return unfi_std_fail(p->std->u->context, UNF_FORMAT, (uint64_t)p->at + 1, column_of(p), parts);
}

static const char *thread_name(const struct std_performing *p, uint32_t thread) {
  return std_name(&p->std->names[UNF_STD_THREAD], thread);
}

/* ---- threads and objects ---- */

/* Notes which name a thread has. */
static unf_status note_thread(struct std_performing *p, uint32_t name, unf_thread handle) {
  unf_std *std = p->std;
  if (!vector_reserve_zero(std->u->context, &std->threads, (uint64_t)handle + 1))
    return unfi_refused(std->u->context);
  if (std->threads.count <= handle) std->threads.count = handle + 1;
  std->threads.data[handle] = name + 1;
  p->threads.data[name].handle = handle;
  return UNF_OK;
}

/* A thread that comes first in a line where it acts or is joined runs from the start. */
static unf_status start_if_first(struct std_performing *p, uint32_t name, uint32_t *initial) {
  struct std_thread *t = &p->threads.data[name];
  unf_thread handle;
  if (t->seen || t->forked) return UNF_OK;
  t->seen = true;
  unf_unfolding *u = p->std->u;
  unf_status status = unf_thread_name(u, UNF_THREAD_NONE, (*initial)++, &handle);
  if (status == UNF_OK) status = unf_thread_start(u, handle);
  return status == UNF_OK ? note_thread(p, name, handle) : status;
}

static unf_status start_threads(struct std_performing *p) {
  const unf_std *std = p->std;
  unf_status status = UNF_OK;
  uint32_t initial = 0;
  for (uint32_t i = 0; status == UNF_OK && i < std->lines.count; i++) {
    const struct std_line *line = &std->lines.data[i];
    status = start_if_first(p, line->thread, &initial);
    if (status == UNF_OK && line->operation == STD_JOIN)
      status = start_if_first(p, line->operand, &initial);
    if (line->operation == STD_FORK) p->threads.data[line->operand].forked = true;
  }
  for (uint32_t i = 0; i < p->threads.count; i++)
    p->threads.data[i].forked = false; /* from now on: at an earlier line */
  return status;
}

static unf_status name_objects(struct std_performing *p) {
  unf_unfolding *u = p->std->u;
  unf_status status = UNF_OK;
  for (uint32_t i = 0; status == UNF_OK && i < p->locks.count; i++)
    status = unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, i, &p->locks.data[i].handle);
  for (uint32_t i = 0; status == UNF_OK && i < p->variables.count; i++)
    status = unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, i, &p->variables.data[i]);
  return status;
}

/* ---- lines ---- */

static unf_status perform_event(struct std_performing *p, const unf_operation *operation,
                                unf_action_kind kind) {
  unf_std *std = p->std;
  const unf_thread thread = p->threads.data[std->lines.data[p->at].thread].handle;
  const unf_action action = {kind, thread, operation->target, 0, 0};
  unf_event event;
  unf_status status = unf_configuration_offer(std->configuration, thread, operation);
  if (status == UNF_OK) status = unf_configuration_perform(std->configuration, &action, &event);
  if (status == UNF_OK) status = unf_event_set_cookie(std->u, event, (uint64_t)p->at + 1);
  if (status == UNF_OK && std->races != NULL) status = unf_races_step(std->races, event);
  if (status != UNF_OK) return status;
  std->events.data[p->at] = event;
  std->counts.events++;
  return UNF_OK;
}

static unf_status acquire(struct std_performing *p, const struct std_line *line) {
  struct std_lock *lock = &p->locks.data[line->operand];
  if (lock->depth > 0 && lock->owner != line->thread)
    return impossible(p, "the lock", std_name(&p->std->names[UNF_STD_LOCK], line->operand),
                      " is held by thread ", thread_name(p, lock->owner));
  lock->owner = line->thread;
  if (lock->depth++ > 0) return UNF_OK;
  const unf_operation operation = UNF_OP_LOCK(lock->handle);
  return perform_event(p, &operation, UNF_DID_ACQUIRE);
}

static unf_status release(struct std_performing *p, const struct std_line *line) {
  struct std_lock *lock = &p->locks.data[line->operand];
  if (lock->depth == 0 || lock->owner != line->thread)
    return impossible(p, "the lock", std_name(&p->std->names[UNF_STD_LOCK], line->operand),
                      " is not held by thread ", thread_name(p, line->thread));
  if (--lock->depth > 0) return UNF_OK;
  const unf_operation operation = UNF_OP_UNLOCK(lock->handle);
  return perform_event(p, &operation, UNF_DID_RELEASE);
}

static unf_status fork_thread(struct std_performing *p, const struct std_line *line) {
  struct std_thread *child = &p->threads.data[line->operand];
  struct std_thread *parent = &p->threads.data[line->thread];
  const char *name = thread_name(p, line->operand);
  unf_thread handle;
  if (child->forked) return impossible(p, "thread", name, " was forked before", "");
  if (child->seen) return impossible(p, "thread", name, " was there before it is forked", "");
  unf_status status = unf_thread_name(p->std->u, parent->handle, parent->children, &handle);
  if (status == UNF_OK) status = note_thread(p, line->operand, handle);
  if (status != UNF_OK) return status;
  const unf_operation operation = UNF_OP_CREATE(handle);
  status = perform_event(p, &operation, UNF_DID_CREATE);
  if (status != UNF_OK) return status;
  parent->children++;
  child->forked = true;
  return UNF_OK;
}

static unf_status join_thread(struct std_performing *p, const struct std_line *line) {
  struct std_thread *child = &p->threads.data[line->operand];
  const unf_operation end = UNF_OP_EXIT();
  if (line->operand == line->thread)
    return impossible(p, "thread", thread_name(p, line->thread), " joins itself", "");
  unf_status status = unf_configuration_offer(p->std->configuration, child->handle, &end);
  if (status != UNF_OK) return status;
  child->joined = true;
  const unf_operation operation = UNF_OP_JOIN(child->handle);
  return perform_event(p, &operation, UNF_DID_JOIN);
}

static unf_status touch(struct std_performing *p, const struct std_line *line) {
  unf_std *std = p->std;
  const bool write = line->operation == STD_WRITE;
  if (std->races == NULL) {
    const uint32_t location = p->variables.data[line->operand];
    const unf_operation operation = write ? UNF_OP_STORE(location, 0) : UNF_OP_LOAD(location);
    return perform_event(p, &operation, write ? UNF_DID_WRITE : UNF_DID_READ);
  }
  const unf_access access = {p->threads.data[line->thread].handle, write,
                             (uint64_t)line->operand * CELL, CELL,
                             std->places ? line->place : line->operand};
  unf_status status = unf_races_access(std->races, &access);
  if (status == UNF_OK) std->counts.accesses++;
  return status;
}

static unf_status perform_line(struct std_performing *p) {
  const struct std_line *line = &p->std->lines.data[p->at];
  if (p->threads.data[line->thread].joined)
    return impossible(p, "thread", thread_name(p, line->thread), " acts after it was joined", "");
  switch ((enum std_operation)line->operation) {
  case STD_ACQUIRE:
    return acquire(p, line);
  case STD_RELEASE:
    return release(p, line);
  case STD_FORK:
    return fork_thread(p, line);
  case STD_JOIN:
    return join_thread(p, line);
  case STD_READ:
  case STD_WRITE:
    return touch(p, line);
  default:
    return UNF_OK;
  }
}

static bool make_room(struct std_performing *p) {
  unf_std *std = p->std;
  unf_context *context = std->u->context;
  const uint32_t threads = std->names[UNF_STD_THREAD].starts.count;
  const uint32_t locks = std->names[UNF_STD_LOCK].starts.count;
  const uint32_t variables = std->races == NULL ? std->names[UNF_STD_VARIABLE].starts.count : 0;
  if (!vector_reserve_zero(context, &p->threads, threads) ||
      !vector_reserve_zero(context, &p->locks, locks) ||
      !vector_reserve(context, &p->variables, variables) ||
      !vector_reserve(context, &std->events, std->lines.count))
    return false;
  p->threads.count = threads;
  p->locks.count = locks;
  p->variables.count = variables;
  for (; std->events.count < std->lines.count;)
    vector_push(&std->events, NONE);
  return true;
}

static unf_status perform_lines(unf_std *std, const char *text, size_t size) {
  struct std_performing p = {.std = std, .text = text, .size = size};
  unf_context *context = std->u->context;
  bool watched;
  uint64_t resumed = 0;
  unf_status status = make_room(&p) ? UNF_OK : unfi_refused(context);
  if (status == UNF_OK) status = start_threads(&p);
  if (status == UNF_OK && std->races != NULL)
    status = unf_races_begin(std->races, 0, &resumed, &watched);
  if (status == UNF_OK) status = name_objects(&p);
  for (; status == UNF_OK && p.at < std->lines.count; p.at++) {
    status = unfi_work(context, 1);
    if (status == UNF_OK) status = perform_line(&p);
  }
  vector_free(context, &p.threads);
  vector_free(context, &p.locks);
  vector_free(context, &p.variables);
  return status;
}

/* ---- traces ---- */

static void count_trace(unf_std *std) {
  unf_std_counts *c = &std->counts;
  unf_races_counts races = {0};
  if (std->races != NULL) unf_races_counts_get(std->races, &races);
  c->lines = std->lines.count;
  c->without = c->lines - c->events - c->accesses;
  c->threads = std->names[UNF_STD_THREAD].starts.count;
  c->locks = std->names[UNF_STD_LOCK].starts.count;
  c->variables = std->names[UNF_STD_VARIABLE].starts.count;
  c->places = std->names[UNF_STD_PLACE].starts.count;
  c->races = races.races;
}

static unf_status read_into(unf_std *std, unf_std_memory memory, const char *text, size_t size) {
  unf_status status = unf_configuration_new(std->u, &std->configuration);
  std->places = memory == UNF_STD_ACCESSES;
  if (status == UNF_OK && memory != UNF_STD_EVENTS)
    status = unf_races_new(std->u, NULL, &std->races);
  if (status == UNF_OK) status = unfi_std_parse(std, text, size);
  if (status == UNF_OK) status = perform_lines(std, text, size);
  return status;
}

unf_status unf_std_read(unf_unfolding *u, const unf_std_options *options, const char *text,
                        size_t size, unf_std **out) {
  static const unf_std_options defaults = UNF_STD_OPTIONS_INIT;
  RETURN_IF_NULL(u->context, u, out);
  RETURN_IF_NULL_ARRAY(u->context, text, size);
  const unf_std_options *o = options != NULL ? options : &defaults;
  if (o->size != sizeof *o)
    return unfi_wrong_option(u->context, "unf_std_options.size", o->size, sizeof *o);
  if ((unsigned)o->memory >= UNF_STD_MEMORY_COUNT)
    return unfi_wrong_option(u->context, "unf_std_options.memory", (uint64_t)o->memory, 0);
  unf_std *std = unfi_reallocate(u->context, NULL, 0, sizeof *std);
  if (std == NULL) return unfi_refused(u->context);
  memset(std, 0, sizeof *std);
  std->u = u;
  unf_status status = read_into(std, o->memory, text, size);
  if (status != UNF_OK) {
    unf_std_free(std);
    return status;
  }
  count_trace(std);
  *out = std;
  return UNF_OK;
}

void unf_std_free(unf_std *std) {
  if (std == NULL) return;
  unf_context *context = std->u->context;
  for (unsigned i = 0; i < UNF_STD_NAME_COUNT; i++)
    unfi_std_names_free(context, &std->names[i]);
  vector_free(context, &std->lines);
  vector_free(context, &std->events);
  vector_free(context, &std->threads);
  unf_races_free(std->races);
  unf_configuration_free(std->configuration);
  unfi_reallocate(context, std, sizeof *std, 0);
}

const unf_configuration *unf_std_configuration(const unf_std *std) {
  return std == NULL ? NULL : std->configuration;
}

const unf_races *unf_std_races(const unf_std *std) {
  return std == NULL ? NULL : std->races;
}

void unf_std_counts_get(const unf_std *std, unf_std_counts *out) {
  if (std != NULL && out != NULL) *out = std->counts;
}

unf_status unf_std_event(const unf_std *std, uint64_t line, unf_event *out) {
  RETURN_IF_NULL(std->u->context, std, out);
  if (line == 0 || line > std->lines.count)
    return unfi_fail(std->u->context, UNF_UNKNOWN, "a line of the trace");
  *out = std->events.data[line - 1];
  return UNF_OK;
}

const char *unf_std_name(const unf_std *std, unf_std_name_kind kind, uint64_t number) {
  if (std == NULL || (unsigned)kind >= UNF_STD_NAME_COUNT) return NULL;
  if (kind == UNF_STD_THREAD) {
    if (number >= std->threads.count || std->threads.data[number] == 0) return NULL;
    number = std->threads.data[number] - 1;
  }
  const bool by_variable = kind == UNF_STD_PLACE && std->races != NULL && !std->places;
  const struct std_names *names = &std->names[by_variable ? UNF_STD_VARIABLE : kind];
  return number < names->starts.count ? std_name(names, (uint32_t)number) : NULL;
}
