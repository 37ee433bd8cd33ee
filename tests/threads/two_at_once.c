/* Two explorations in two threads at once, a third thread interrupts one of them; built with
 * ThreadSanitizer, sources of the library included. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "script.h"

struct job {
  struct script script;
  struct session session;
  uint64_t traces, interrupts;
  unf_status status;
};

static bool interrupted(void *user, unf_status status) {
  struct job *job = user;
  job->interrupts++;
  return status == UNF_INTERRUPTED;
}

static void *explore(void *user) {
  struct job *job = user;
  struct session *s = &job->session;
  unf_counts counts;
  job->status = session_explorer(s, NULL);
  if (job->status == UNF_OK) job->status = session_explore(s);
  unf_explorer_counts(s->x, &counts);
  job->traces = counts.traces;
  return NULL;
}

int main(void) {
  static struct job jobs[2];
  pthread_t threads[2];
  for (unsigned i = 0; i < 2; i++) {
    script_dispatcher(&jobs[i].script, 3, 2 + i);
    jobs[i].session.again = interrupted;
    jobs[i].session.user = &jobs[i];
    if (session_open(&jobs[i].session, &jobs[i].script, NULL) != UNF_OK) return 1;
  }
  for (unsigned i = 0; i < 2; i++)
    if (pthread_create(&threads[i], NULL, explore, &jobs[i]) != 0) return 1;
  for (unsigned i = 0; i < 50; i++) {
    unf_context_interrupt(jobs[1].session.context);
    usleep(1000);
  }
  for (unsigned i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
    session_close(&jobs[i].session);
  }
  printf("%llu and %llu traces, interrupted %llu times\n", (unsigned long long)jobs[0].traces,
         (unsigned long long)jobs[1].traces, (unsigned long long)jobs[1].interrupts);
  return jobs[0].status == UNF_OK && jobs[1].status == UNF_OK && jobs[0].traces == 59 &&
                 jobs[1].traces == 398 && jobs[0].interrupts == 0
             ? 0
             : 1;
}
