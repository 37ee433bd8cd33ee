/* Contexts: the allocator with its accounts, limits, interrupts, and the detail of
 * the last error. */
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/null.h"
#include "base/text.h"

static void *plain_reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, new_size);
}

unf_status unf_context_new(const unf_context_options *options, unf_context **out) {
  static const unf_context_options defaults = UNF_CONTEXT_OPTIONS_INIT;
  if (out == NULL) return UNF_INVALID;
  if (options == NULL) options = &defaults;
  if (options->size != sizeof *options || !(options->limits.seconds >= 0)) return UNF_INVALID;
  unf_allocator allocator = options->allocator;
  if (allocator.reallocate == NULL) allocator = (unf_allocator){plain_reallocate, NULL};
  unf_context *context = allocator.reallocate(allocator.user, NULL, 0, sizeof *context);
  if (context == NULL) return UNF_MEMORY;
  memset(context, 0, sizeof *context);
  context->allocator = allocator;
  context->limits = options->limits;
  context->log = options->log;
  context->log_user = options->log_user;
  context->progress = options->progress;
  context->progress_user = options->progress_user;
  context->progress_interval = options->progress_interval > 0 ? options->progress_interval : 256;
  context->bytes = sizeof *context;
  context->work.look = context->work.between = WORK_BETWEEN_LOOKS;
  context->work.behind = WORK_BEHIND_LAST_RUN;
  context->work.most = UINT64_MAX;
  clock_gettime(CLOCK_MONOTONIC, &context->start);
  atomic_init(&context->interrupted, false);
  *out = context;
  return UNF_OK;
}

void unf_context_free(unf_context *context) {
  if (context == NULL) return;
  unf_allocator allocator = context->allocator;
  allocator.reallocate(allocator.user, context, sizeof *context, 0);
}

const unf_detail *unf_context_detail(const unf_context *context) {
  return context == NULL ? NULL : &context->detail;
}

unf_status unf_context_set_limits(unf_context *context, const unf_limits *limits) {
  RETURN_IF_NULL(context, context, limits);
  if (!(limits->seconds >= 0)) /* no number is not */
    return unfi_fail(context, UNF_INVALID, "a limit of seconds that is negative, or no number");
  context->limits = *limits;
  return UNF_OK;
}

void unf_context_interrupt(unf_context *context) {
  if (context != NULL) atomic_store(&context->interrupted, true);
}

uint64_t unf_context_bytes(const unf_context *context) {
  return context == NULL ? 0 : context->bytes;
}

void *unfi_reallocate(unf_context *context, void *block, size_t old_size, size_t new_size) {
  uint64_t after = context->bytes - old_size + new_size;
  if (new_size > old_size && context->limits.bytes > 0 && after > context->limits.bytes) {
    context->refusal = (struct refusal){NULL, new_size - old_size, true};
    return NULL;
  }
  void *moved = context->allocator.reallocate(context->allocator.user, block, old_size, new_size);
  if (moved == NULL && new_size > 0) {
    context->refusal = (struct refusal){NULL, new_size > old_size ? new_size - old_size : 0, false};
    return NULL;
  }
  context->bytes = after;
  return moved;
}

unf_status unfi_fail_with(unf_context *context, unf_status status, const char *const *parts) {
  unf_detail *detail = &context->detail;
  memset(detail, 0, sizeof *detail);
  detail->status = status;
  detail->thread = UINT32_MAX;
  detail->event = UINT32_MAX;
  struct text text = unfi_text(detail->text, sizeof detail->text);
  unfi_text_add(&text, unf_status_text(status));
  if (*parts != NULL) unfi_text_add(&text, ": ");
  for (; *parts != NULL; parts++)
    unfi_text_add(&text, *parts);
  return status;
}

unf_status unfi_fail_null(unf_context *context, const char *name) {
  return unfi_fail(context, UNF_INVALID, name, " is NULL");
}

unf_status unfi_wrong_option(unf_context *context, const char *option, uint64_t value,
                             uint64_t wanted) {
  char line[64];
  struct text text = unfi_text(line, sizeof line);
  unfi_text_u64(&text, value);
  unfi_text_add(&text, wanted > 0 ? ", not " : ", which means nothing");
  if (wanted > 0) unfi_text_u64(&text, wanted);
  return unfi_fail(context, UNF_INVALID, option, " is ", line);
}

bool unfi_too_many(unf_context *context, const char *what, uint64_t wanted) {
  context->refusal = (struct refusal){what, wanted, true};
  return false;
}

static void add_number(struct text *text, uint64_t number, const char *of) {
  unfi_text_u64(text, number);
  unfi_text_add(text, of);
}

unf_status unfi_refused(unf_context *context) {
  const struct refusal *refusal = &context->refusal;
  char line[128];
  struct text text = unfi_text(line, sizeof line);
  if (refusal->what != NULL) {
    add_number(&text, refusal->wanted, " ");
    unfi_text_add(&text, refusal->what);
    unfi_text_add(&text, ", more than the library can hold");
    return unfi_fail(context, UNF_LIMIT, line);
  }
  if (refusal->by_limit) add_number(&text, context->limits.bytes, " bytes allowed, ");
  add_number(&text, context->bytes, refusal->by_limit ? " held, " : " bytes held, ");
  add_number(&text, refusal->wanted, " more wanted");
  return unfi_fail(context, refusal->by_limit ? UNF_LIMIT : UNF_MEMORY, line);
}

void unfi_log(const unf_context *context, const char *line) {
  if (context->log != NULL) context->log(context->log_user, line);
}

static double seconds_since_start(const unf_context *context) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - context->start.tv_sec) +
         1e-9 * (double)(now.tv_nsec - context->start.tv_nsec);
}

/* A number of seconds, up to the millisecond. */
static void add_seconds(struct text *text, double seconds, const char *of) {
  uint64_t milliseconds = (uint64_t)(1e3 * seconds), rest = milliseconds % 1000;
  unfi_text_u64(text, milliseconds / 1000);
  unfi_text_add(text, rest < 10 ? ".00" : rest < 100 ? ".0" : ".");
  unfi_text_u64(text, rest);
  unfi_text_add(text, of);
}

unf_status unfi_poll(unf_context *context) {
  if (atomic_load_explicit(&context->interrupted, memory_order_relaxed)) {
    atomic_store(&context->interrupted, false);
    return unfi_fail(context, UNF_INTERRUPTED, NULL);
  }
  double allowed = context->limits.seconds, passed = allowed > 0 ? seconds_since_start(context) : 0;
  if (allowed <= 0 || passed < allowed) return UNF_OK;
  char line[96];
  struct text text = unfi_text(line, sizeof line);
  add_seconds(&text, allowed, " seconds allowed, ");
  add_seconds(&text, passed, " passed");
  return unfi_fail(context, UNF_LIMIT, line);
}

unf_status unfi_look(unf_context *context, uint64_t steps) {
  struct work *work = &context->work;
  uint64_t spent = work->steps - work->unit;
  if (work->steps + steps > work->most) {
    work->spent = true;
    return unfi_admit_run(context);
  }
  work->look = work->steps + work->between;
  if (work->look > work->most) work->look = work->most;
  unf_status status = spent < work->owed ? UNF_OK : unfi_poll(context);
  if (status == UNF_OK) {
    work->steps += steps;
    return UNF_OK;
  }
  work->owed = UNIT_GROWTH * spent + steps;
  work->unit = work->steps;
  return status;
}

static uint64_t left_of(uint64_t allowed, uint64_t taken) {
  if (allowed == 0) return UINT64_MAX;
  return taken < allowed ? allowed - taken : 0;
}

unf_status unf_context_left(unf_context *context, unf_left *out) {
  RETURN_IF_NULL(context, context, out);
  const unf_limits *limits = &context->limits;
  out->runs = left_of(limits->runs, context->runs);
  out->events = left_of(limits->events, context->events);
  out->bytes = left_of(limits->bytes, context->bytes);
  out->seconds = limits->seconds > 0 ? limits->seconds - seconds_since_start(context) : -1;
  if (limits->seconds > 0 && out->seconds < 0) out->seconds = 0;
  return UNF_OK;
}

/* One more of something, of which so many are `held`. */
static unf_status admit(unf_context *context, const char *what, uint64_t allowed, uint64_t count,
                        const char *held) {
  if (allowed == 0 || count < allowed) return UNF_OK;
  char line[96];
  struct text text = unfi_text(line, sizeof line);
  add_number(&text, allowed, what);
  add_number(&text, count, held);
  unfi_text_add(&text, ", 1 more wanted");
  return unfi_fail(context, UNF_LIMIT, line);
}

unf_status unfi_admit_run(unf_context *context) {
  return admit(context, " runs allowed, ", context->limits.runs, context->runs, " begun");
}

void unfi_behind_run(unf_context *context, uint64_t steps) {
  enum { FOR_EACH_STEP = 2 };
  struct work *work = &context->work;
  if (context->limits.runs == 0 || context->runs < context->limits.runs) return;
  work->most = work->steps + work->behind + FOR_EACH_STEP * steps;
  if (work->look > work->most) work->look = work->most;
}

bool unfi_behind_run_end(unf_context *context) {
  bool spent = context->work.spent;
  context->work.most = UINT64_MAX;
  context->work.spent = false;
  return spent;
}

unf_status unfi_admit_event(unf_context *context) {
  return admit(context, " events allowed, ", context->limits.events, context->events, " held");
}
