/*
 * 19. Ready families: channels, mailboxes, futures.
 *
 * A client asks two workers through a channel for one place each, and each worker puts its answer
 * into one channel that the client reads. The families of families.h say which orders there are;
 * what a message is, the engine keeps: here an array with a row for each channel, since an action
 * says which message of its channel it is about. Two explorations: in the second the client closes
 * the channel of answers too early, and a send finds it closed, which is an error of the program.
 */
#include "api.h"

#include <inttypes.h>

enum { CLIENT, WORKERS = 2, THREADS = 1 + WORKERS, CHANNELS = THREADS, ROOM = 8 };
enum { ANSWERS = WORKERS }; /* the channel behind those of the workers */

static unf_unfolding *unfolding;
static unf_thread thread[THREADS];
static unf_channel channel[CHANNELS];
static bool hasty;

/* The state of the program. */
static int pc[THREADS];
static int64_t messages[CHANNELS][ROOM], got[THREADS];

static int number_of(unf_thread of) {
  int who = 0;
  while (thread[who] != of)
    who++;
  return who;
}

static unf_operation about_to(int who) {
  const unf_operation client[] = {
      unf_channel_send(channel[0], 10), unf_channel_send(channel[1], 20),
      unf_channel_receive(channel[ANSWERS]),
      hasty ? unf_channel_close(channel[ANSWERS]) : unf_channel_receive(channel[ANSWERS])};
  if (who == CLIENT) return pc[who] < 4 ? client[pc[who]] : UNF_OP_EXIT();
  if (pc[who] == 0) return unf_channel_receive(channel[who - 1]);
  return pc[who] == 1 ? unf_channel_send(channel[ANSWERS], got[who] + who) : UNF_OP_EXIT();
}

static unf_status restart(void *user, const unf_run *run) {
  (void)user;
  (void)run;
  for (int who = 0; who < THREADS; who++)
    pc[who] = 0;
  return UNF_OK;
}

static unf_status next(void *user, unf_thread of, unf_operation *operation) {
  (void)user;
  *operation = about_to(number_of(of));
  return UNF_OK;
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  const int who = number_of(step->action.thread);
  int where = 0;
  uint64_t number;
  (void)user;
  performed->action = step->action;
  while (channel[where].object != step->action.target)
    where++;
  switch (unf_channel_did(&step->action, &number)) {
  case UNF_CHANNEL_SENT:
    messages[where][number] = about_to(who).high;
    break;
  case UNF_CHANNEL_RECEIVED:
    got[who] = messages[where][number];
    if (who == CLIENT) printf(" %" PRId64, got[who]);
    break;
  case UNF_CHANNEL_SEND_CLOSED:
    printf(" (worker %d sends to a closed channel)", who);
    performed->error = true;
    break;
  default:
    break;
  }
  pc[who]++;
  return UNF_OK;
}

static unf_status ended(void *user, const unf_verdict *verdict, unf_explorer *explorer) {
  (void)user;
  (void)explorer;
  printf("%s\n", verdict->redundant ? " (redundant)" : verdict->error ? ": an error" : "");
  return UNF_OK;
}

static void explore(void) {
  unf_engine engine = UNF_ENGINE_INIT;
  unf_explorer *explorer;
  unf_counts counts;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform;
  engine.ended = ended;
  MUST(unf_explorer_new(unfolding, NULL, &explorer));
  MUST(unf_explore(explorer, &engine, &counts));
  printf("%" PRIu64 " executions, %" PRIu64 " with an error\n", counts.traces, counts.errors);
  unf_explorer_free(explorer);
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    unf_context *context;
    uint32_t family;
    hasty = round == 1;
    MUST(unf_context_new(NULL, &context));
    MUST(unf_unfolding_new(context, NULL, &unfolding));
    MUST(unf_channel_register(unfolding, &family));
    for (uint32_t i = 0; i < THREADS; i++) {
      MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
      MUST(unf_thread_start(unfolding, thread[i]));
    }
    for (uint32_t i = 0; i < CHANNELS; i++)
      MUST(unf_channel_name(unfolding, family, i, i == ANSWERS ? UNF_CHANNEL_UNBOUNDED : 1,
                            &channel[i]));
    printf("the client gets%s\n", hasty ? ", if it closes too early" : "");
    explore();
    unf_unfolding_free(unfolding);
    unf_context_free(context);
  }
  return 0;
}
