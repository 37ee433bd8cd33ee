/*
 * 10. Schedules and drawings.
 *
 * An execution worth keeping, a deadlock above all, is written down as a schedule: a text with
 * canonical names only, so that another process can read it and repeat the execution, and a
 * checksum. Configurations, unfoldings and trees of runs are drawn as DOT, for Graphviz, in the
 * names that the program has for its threads and objects. Text leaves the library through a
 * callback.
 */
#include "api.h"

#include <inttypes.h>
#include <string.h>

typedef struct text {
  char data[1024];
  size_t size;
} text;

/* Keeps the text; false if there is no room, and the call that wrote returns UNF_WRITE. */
static bool keep(void *user, const char *data, size_t size) {
  text *to = user;
  if (size > sizeof to->data - to->size) return false;
  memcpy(to->data + to->size, data, size);
  to->size += size;
  return true;
}

static bool print(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, user) == size;
}

/* What the program calls its threads and objects: a name is written as snprintf() does. */
static size_t thread_name(void *user, unf_thread thread, char *buffer, size_t size) {
  const unf_thread *threads = user;
  return (size_t)snprintf(buffer, size, "%s", thread == threads[0] ? "producer" : "consumer");
}

static size_t object_name(void *user, unf_object object, char *buffer, size_t size) {
  (void)user, (void)object; /* there is one */
  return (size_t)snprintf(buffer, size, "queue.lock");
}

/* A fresh unfolding, as another process would have one. */
static unf_unfolding *start(unf_context *context, unf_thread thread[2]) {
  unf_unfolding *unfolding;
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t i = 0; i < 2; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
  }
  return unfolding;
}

int main(void) {
  unf_context *context;
  unf_thread thread[2];
  unf_object mutex;
  MUST(unf_context_new(NULL, &context));
  unf_unfolding *unfolding = start(context, thread);
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));

  /* Write three steps. After a run of an explorer, unf_schedule_append_run() does that at once. */
  unf_schedule *schedule;
  MUST(unf_schedule_new(unfolding, "two threads", &schedule));
  unf_action steps[] = {{UNF_DID_ACQUIRE, thread[1], mutex, 0, 0},
                        {UNF_DID_RELEASE, thread[1], mutex, 0, 0},
                        {UNF_DID_ACQUIRE, thread[0], mutex, 0, 0}};
  for (int i = 0; i < 3; i++)
    MUST(unf_schedule_append(schedule, &steps[i]));
  text file = {.size = 0};
  MUST(unf_schedule_write(schedule, keep, &file));
  fwrite(file.data, 1, file.size, stdout);
  unf_schedule_free(schedule);
  unf_unfolding_free(unfolding);

  /* Read it where nothing of it is known, and perform it. Handles may differ; names do not. */
  unfolding = start(context, thread);
  unf_configuration *c;
  MUST(unf_configuration_new(unfolding, &c));
  MUST(unf_schedule_read(unfolding, file.data, file.size, &schedule));
  printf("\nread: %" PRIu64 " steps of %s\n", unf_schedule_size(schedule),
         unf_schedule_program(schedule));
  for (uint64_t i = 0; i < unf_schedule_size(schedule); i++) {
    unf_action action;
    MUST(unf_schedule_step(schedule, i, &action));
    MUST(unf_configuration_perform(c, &action, NULL));
  }
  unf_schedule_free(schedule);

  /* A damaged file is recognised. */
  text damaged = file;
  damaged.size -= 10;
  printf("cut short: %s\n\n",
         unf_status_text(unf_schedule_read(unfolding, damaged.data, damaged.size, &schedule)));

  unf_names names = UNF_NAMES_INIT;
  names.user = thread;
  names.thread = thread_name;
  names.object = object_name;
  MUST(unf_dot_configuration_named(c, &names, print, stdout));

  unf_configuration_free(c);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
