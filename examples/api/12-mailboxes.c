/*
 * 12. Effects of your own: message passing.
 *
 * The library knows mutexes, condition variables and so on; what else threads do to each other, a
 * front-end registers as a family of effects. It says two things: which objects an action uses and
 * how (that is the dependence), and which actions an operation can have after what happened before.
 * Everything else, such as finding the other orders, is the library's.
 *
 * Here: mailboxes. To send puts a message at the end of a box, to receive waits for a message and
 * takes the first. Both change the box. Two clients send to a server's box, the server answers
 * each.
 */
#include "api.h"

#include <inttypes.h>

enum { SEND, RECEIVE };
enum { CLIENTS = 2, SERVER = CLIENTS, THREADS };

static unf_unfolding *unfolding;
static unf_thread thread[THREADS];
static unf_object box[THREADS]; /* of each thread */
static uint32_t mailboxes;      /* the family */

/* The value of an action: what is sent, or what was received; sending is odd. */
static int64_t sending(int64_t message) {
  return 2 * message + 1;
}

static unf_status uses(void *user, const unf_action *action, unf_use_visitor visit, void *visitor) {
  (void)user;
  return visit(visitor, action->target, UNF_MODE_WRITE);
}

/* The first message that was not received yet. */
struct queue {
  const unf_unfolding *of;
  int64_t messages[16];
  int sent, received;
};

static bool enqueue(void *user, unf_event event) {
  struct queue *queue = user;
  unf_action action;
  MUST(unf_event_action(queue->of, event, &action));
  if (action.value % 2 == 0)
    queue->received++;
  else
    queue->messages[queue->sent++] = action.value / 2;
  return true;
}

static unf_status outcomes(void *user, const unf_view *view, unf_thread who,
                           const unf_operation *operation, unf_action_visitor visit,
                           void *visitor) {
  struct queue queue = {unf_view_unfolding(view), {0}, 0, 0};
  unf_action action = {UNF_DID_CUSTOM, who, operation->target, operation->second, 0};
  (void)user;
  if (operation->low == SEND) {
    action.value = sending(operation->high);
  } else {
    unf_status status = unf_view_history(view, operation->target, enqueue, &queue);
    if (status != UNF_OK || queue.received == queue.sent) return status; /* it waits */
    action.value = 2 * queue.messages[queue.received];
  }
  visit(visitor, &action);
  return UNF_OK;
}

/* The program. A client sends its number and waits for the answer; the server receives as often as
 * there are clients and answers whom it got the message from. */
static int pc[THREADS];
static int64_t received;

static int number_of(unf_thread of) {
  int who = 0;
  while (thread[who] != of)
    who++;
  return who;
}

static unf_status restart(void *user, const unf_run *run) {
  (void)user;
  for (int who = 0; who < THREADS; who++)
    pc[who] = 0;
  printf("run %" PRIu64 ":\n", run->number);
  return UNF_OK;
}

static unf_status next(void *user, unf_thread of, unf_operation *operation) {
  int who = number_of(of);
  (void)user;
  *operation = UNF_OP_EXIT();
  if (who != SERVER) {
    if (pc[who] == 0) *operation = unf_operation_custom(mailboxes, box[SERVER], SEND, who);
    if (pc[who] == 1) *operation = unf_operation_custom(mailboxes, box[who], RECEIVE, 0);
  } else if (pc[who] < 2 * CLIENTS) {
    *operation = pc[who] % 2 == 0 ? unf_operation_custom(mailboxes, box[SERVER], RECEIVE, 0)
                                  : unf_operation_custom(mailboxes, box[received], SEND, 100);
  }
  return UNF_OK;
}

/* While a family is new: do actions that it calls independent commute? */
static struct {
  unf_explorer *explorer;
  unf_configuration *configuration;
} checked;

static void check(void) {
  MUST(unf_explorer_configuration(checked.explorer, checked.configuration));
  MUST(unf_check_independence(checked.configuration));
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  int who = number_of(step->action.thread);
  (void)user, (void)performed;
  check(); /* before each step, since at the end of an execution nothing is possible */
  if (who == SERVER && step->action.value % 2 == 0) received = step->action.value / 2;
  pc[who]++;
  return UNF_OK;
}

static unf_status ended(void *user, const unf_verdict *verdict, unf_explorer *explorer) {
  (void)user, (void)verdict;
  unf_explorer_path(explorer, print_event, unfolding);
  return UNF_OK;
}

int main(void) {
  unf_context *context;
  unf_effect effect = {sizeof effect, "mailbox", NULL, uses, outcomes, NULL, NULL, NULL};
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  MUST(unf_effect_register(unfolding, &effect, &mailboxes));
  for (uint32_t i = 0; i < THREADS; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
    MUST(unf_object_name(unfolding, UNF_CUSTOM, UNF_THREAD_NONE, i, &box[i]));
  }

  MUST(unf_explorer_new(unfolding, NULL, &checked.explorer));
  MUST(unf_configuration_new(unfolding, &checked.configuration));
  unf_engine engine = UNF_ENGINE_INIT;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform;
  engine.ended = ended;
  MUST(unf_explore(checked.explorer, &engine, NULL));
  unf_configuration_free(checked.configuration);
  unf_explorer_free(checked.explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
