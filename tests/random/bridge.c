/*
 * The oracle's names in the library. Keys of mutexes are multiples of 2^32, so that a comparison
 * that drops the upper half of a key shows. A bijection between handles and the oracle's events is
 * kept: two handles for one event, or one for two, is a fault of interning.
 */
#include "bridge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_fail(report *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->text, sizeof r->text, format, arguments);
  va_end(arguments);
  return false;
}

bool bridge_fail(const bridge *b, report *r, const char *call, unf_status status) {
  const unf_detail *d = b->context != NULL ? unf_context_detail(b->context) : NULL;
  return report_fail(r, "%s returned %s%s%s", call, unf_status_text(status), d != NULL ? ": " : "",
                     d != NULL ? d->text : "");
}

static unf_status open_names(bridge *b, const uint32_t *order) {
  unf_status status = UNF_OK;
  for (uint32_t i = 0; i < b->program->thread_count && status == UNF_OK; i++) {
    unf_thread t;
    status = unf_thread_name(b->unfolding, UNF_THREAD_NONE, i, &t);
    for (uint32_t j = 0; j < b->program->thread_count && status == UNF_OK; j++) {
      if (order[j] != i) continue;
      b->threads[j] = t;
      b->thread_at[t] = j;
      if (b->program->threads[j].initial) status = unf_thread_start(b->unfolding, t);
    }
  }
  for (uint32_t i = 0; i < b->program->counts[SYMBOL_MUTEX] && status == UNF_OK; i++) {
    status = unf_object_name(b->unfolding, UNF_MUTEX, UNF_THREAD_NONE, (uint64_t)i << 32,
                             &b->mutexes[i]);
  }
  return status;
}

bool bridge_supports(const program *p) {
  for (int kind = SYMBOL_ATOMIC; kind < SYMBOL_THREAD; kind++) {
    if (kind != SYMBOL_MUTEX && p->counts[kind] > 0) return false;
  }
  return true;
}

bool bridge_open(bridge *b, const program *p, const lattice *l, const uint32_t *order,
                 uint32_t skip_step, report *r) {
  memset(b, 0, sizeof *b);
  b->program = p;
  b->lattice = l;
  b->threads = oracle_allocate(p->thread_count * sizeof *b->threads);
  b->thread_at = oracle_allocate(p->thread_count * sizeof *b->thread_at);
  b->mutexes = oracle_allocate(p->counts[SYMBOL_MUTEX] * sizeof *b->mutexes);
  if (l != NULL) {
    b->handle_of = oracle_allocate(l->event_count * sizeof *b->handle_of);
    memset(b->handle_of, 0xff, l->event_count * sizeof *b->handle_of);
  }
  unf_unfolding_options options = UNF_UNFOLDING_OPTIONS_INIT;
  options.skip_step = skip_step;
  unf_status status = unf_context_new(NULL, &b->context);
  if (status == UNF_OK) status = unf_unfolding_new(b->context, &options, &b->unfolding);
  if (status == UNF_OK) status = open_names(b, order);
  return status == UNF_OK || bridge_fail(b, r, "naming", status);
}

void bridge_close(bridge *b) {
  unf_unfolding_free(b->unfolding);
  unf_context_free(b->context);
  free(b->threads);
  free(b->thread_at);
  free(b->mutexes);
  free(b->handle_of);
  free(b->event_of);
  memset(b, 0, sizeof *b);
}

unf_operation bridge_operation(const bridge *b, const operation *o) {
  switch (o->kind) {
  case OPERATION_FINISHED:
    return UNF_OP_EXIT();
  case OPERATION_STOPPED:
    return UNF_OP_HALT(o->target == STOP_ASSUME  ? UNF_HALT_ASSUME
                       : o->target == STOP_BOUND ? UNF_HALT_BOUND
                                                 : UNF_HALT_ASSERT);
  case OPERATION_LOCK:
    return UNF_OP_LOCK(b->mutexes[o->target]);
  case OPERATION_TRYLOCK:
    return UNF_OP_TRYLOCK(b->mutexes[o->target]);
  case OPERATION_UNLOCK:
    return UNF_OP_UNLOCK(b->mutexes[o->target]);
  case OPERATION_SPAWN:
    return UNF_OP_CREATE(b->threads[o->target]);
  case OPERATION_JOIN:
    return UNF_OP_JOIN(b->threads[o->target]);
  case OPERATION_CHOOSE:
    return UNF_OP_LOCAL(o->low, o->high);
  default:
    break;
  }
  return UNF_OP_HALT(UNF_HALT_UNDEFINED);
}

static const unf_action_kind kinds[ACTION_COUNT] = {
    [ACTION_ACQUIRE] = UNF_DID_ACQUIRE, [ACTION_RELEASE] = UNF_DID_RELEASE,
    [ACTION_TRYFAIL] = UNF_DID_TRYFAIL, [ACTION_SPAWN] = UNF_DID_CREATE,
    [ACTION_JOIN] = UNF_DID_JOIN,       [ACTION_CHOOSE] = UNF_DID_LOCAL,
};

static bool on_thread(action_kind kind) {
  return kind == ACTION_SPAWN || kind == ACTION_JOIN;
}

unf_action bridge_action(const bridge *b, const action *a) {
  unf_action out = {kinds[a->kind], b->threads[a->thread], 0, 0, a->value};
  if (on_thread(a->kind)) {
    out.target = b->threads[a->target];
  } else if (a->kind != ACTION_CHOOSE) {
    out.target = b->mutexes[a->target];
  }
  return out;
}

bool bridge_read(const bridge *b, const unf_action *a, action *out) {
  memset(out, 0, sizeof *out);
  if (a->thread >= b->program->thread_count) return false;
  out->thread = b->thread_at[a->thread];
  out->value = a->value;
  while (out->kind < ACTION_COUNT && kinds[out->kind] != a->kind) {
    out->kind = (action_kind)(out->kind + 1);
  }
  if (out->kind == ACTION_COUNT) return false;
  if (out->kind == ACTION_CHOOSE) return a->target == 0;
  if (on_thread(out->kind)) {
    if (a->target >= b->program->thread_count) return false;
    out->target = b->thread_at[a->target];
    return true;
  }
  while (out->target < b->program->counts[SYMBOL_MUTEX] && b->mutexes[out->target] != a->target) {
    out->target++;
  }
  return out->target < b->program->counts[SYMBOL_MUTEX];
}

uint32_t bridge_event(const bridge *b, unf_event handle) {
  return handle < b->event_capacity ? b->event_of[handle] : ORACLE_NONE;
}

bool bridge_match(bridge *b, uint32_t event_number, unf_event handle) {
  if (handle == UNF_EVENT_NONE || handle == UNF_EVENT_BOTTOM) return false;
  if (handle >= b->event_capacity) {
    size_t bigger = (size_t)handle * 2 + 64;
    b->event_of = oracle_grow(b->event_of, bigger * sizeof *b->event_of);
    memset(b->event_of + b->event_capacity, 0xff,
           (bigger - b->event_capacity) * sizeof *b->event_of);
    b->event_capacity = bigger;
  }
  if (b->handle_of[event_number] == UNF_EVENT_NONE && b->event_of[handle] == ORACLE_NONE) {
    b->handle_of[event_number] = handle;
    b->event_of[handle] = event_number;
  }
  return b->handle_of[event_number] == handle && b->event_of[handle] == event_number;
}

typedef struct predecessor_text {
  const bridge *bridge;
  char *buffer;
  size_t size, used;
} predecessor_text;

static bool add_predecessor(void *user, unf_event handle) {
  predecessor_text *p = user;
  uint32_t e = bridge_event(p->bridge, handle);
  if (p->used >= p->size) return false;
  int n = e != ORACLE_NONE
              ? snprintf(p->buffer + p->used, p->size - p->used, " %" PRIu32, e)
              : snprintf(p->buffer + p->used, p->size - p->used, " handle %" PRIu32, handle);
  p->used += n < 0 ? 0 : (size_t)n;
  return true;
}

void bridge_text(const bridge *b, unf_event handle, char *buffer, size_t size) {
  unf_action a;
  action own;
  char who[64] = "?", what[96] = "?";
  if (unf_event_action(b->unfolding, handle, &a) == UNF_OK) {
    unf_action_text(b->unfolding, &a, what, sizeof what);
    if (bridge_read(b, &a, &own)) program_thread_name(b->program, own.thread, who, sizeof who);
  }
  int n = snprintf(buffer, size, "%s (%s) after", what, who);
  predecessor_text p = {b, buffer, size, n < 0 ? 0 : (size_t)n};
  unf_event_predecessors(b->unfolding, handle, add_predecessor, &p);
}
