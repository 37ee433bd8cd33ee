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
  if (options->size != sizeof *options || options->limits.seconds < 0) return UNF_INVALID;
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
  if (limits->seconds < 0) return unfi_fail(context, UNF_INVALID, "a negative limit of seconds");
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
    context->out_of_bytes = true;
    return NULL;
  }
  void *moved = context->allocator.reallocate(context->allocator.user, block, old_size, new_size);
  if (moved == NULL && new_size > 0) {
    context->out_of_bytes = false;
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

unf_status unfi_refused(unf_context *context) {
  if (context->out_of_bytes) return unfi_fail(context, UNF_LIMIT, "bytes");
  return unfi_fail(context, UNF_MEMORY, NULL);
}

void unfi_log(const unf_context *context, const char *line) {
  if (context->log != NULL) context->log(context->log_user, line);
}

static bool out_of_time(const unf_context *context) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds = (double)(now.tv_sec - context->start.tv_sec) +
                   1e-9 * (double)(now.tv_nsec - context->start.tv_nsec);
  return seconds >= context->limits.seconds;
}

unf_status unfi_poll(unf_context *context) {
  if (atomic_load_explicit(&context->interrupted, memory_order_relaxed)) {
    atomic_store(&context->interrupted, false);
    return unfi_fail(context, UNF_INTERRUPTED, NULL);
  }
  if (context->limits.seconds > 0 && out_of_time(context))
    return unfi_fail(context, UNF_LIMIT, "seconds");
  return UNF_OK;
}

unf_status unfi_admit_run(unf_context *context) {
  if (context->limits.runs > 0 && context->runs >= context->limits.runs)
    return unfi_fail(context, UNF_LIMIT, "runs");
  return UNF_OK;
}

unf_status unfi_admit_event(unf_context *context) {
  if (context->limits.events > 0 && context->events >= context->limits.events)
    return unfi_fail(context, UNF_LIMIT, "events");
  return UNF_OK;
}
