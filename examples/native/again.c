/* The launcher reads the steps from the replay as the printer of --replay does, and ends a replay
 * that takes too long: a program that was explored can still wait for something outside. */
#include "again.h"

#include <fcntl.h>
#include <poll.h>
#include <report.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control.h"
#include "control/steps.h"
#include "launch.h"
#include "settings.h"

/* The child: without the terminal, and open to interrupts. */
_Noreturn static void become_replay(const struct again *again, struct control *control,
                                    int memory) {
  sigset_t none;
  const int nothing = open("/dev/null", O_RDWR);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  if (again->input < 0)
    dup2(nothing, STDIN_FILENO);
  else
    lseek(STDIN_FILENO, again->input, SEEK_SET);
  become_program(control, again->path, again->options->arguments, memory);
  _exit(127);
}

bool again_interrupted(void) {
  static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t now;
  bool found = false;
  sigpending(&now);
  for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
    found |= sigismember(&now, interrupts[i]) == 1;
  return found;
}

/* Whether there is something to read before that time. */
static bool wait_for(int socket, double until) {
  enum { LOOK = 50 }; /* milliseconds */
  struct pollfd file = {.fd = socket, .events = POLLIN};
  for (double left; (left = until - cli_now()) > 0 && !again_interrupted();)
    if (poll(&file, 1, 1000 * left < LOOK ? (int)(1000 * left) + 1 : LOOK) > 0) return true;
  return false;
}

static bool keep(struct performed *p, const struct reported_step *step) {
  if (p->count == p->room) {
    const size_t room = 2 * p->room + 64;
    struct reported_step *steps = realloc(p->steps, room * sizeof *steps);
    if (steps == NULL) return false;
    p->steps = steps;
    p->room = room;
  }
  p->steps[p->count++] = *step;
  return true;
}

/* Reads the steps until the replay has nothing more to say. False: no memory. */
static bool read_steps(int socket, double until, pid_t child, struct performed *out) {
  struct reported_step step;
  bool good = true;
  ssize_t size = -1;
  while (good && wait_for(socket, until)) {
    size = recv(socket, &step, sizeof step, MSG_WAITALL);
    if (size != (ssize_t)sizeof step) break;
    good = keep(out, &step);
    if (!step.choice && !step.ordered && write(socket, "", 1) != 1) break;
  }
  if (size != 0) kill(child, SIGKILL);
  return good;
}

/* What a whole schedule tells a replay of the program's memory and objects. */
static void take_over(struct control *to, const struct control *from) {
  to->range_count = from->range_count;
  memcpy(to->ranges, from->ranges, sizeof to->ranges);
  to->word_count = from->word_count;
  memcpy(to->words, from->words, sizeof to->words);
  to->compares = from->compares;
  to->joins_watched = from->joins_watched;
  to->inits_watched = from->inits_watched;
  to->inits_off = from->inits_off;
  to->init_count = from->init_count;
  memcpy(to->inits, from->inits, sizeof to->inits);
}

bool again_perform(const struct again *again, const char *schedule, double seconds,
                   const struct manner *manner, struct performed *out) {
  const struct manner plain = MANNER_INIT;
  const bool in_part =
      manner->choices_from != plain.choices_from || manner->most_steps != plain.most_steps;
  struct cli_options options = *again->options;
  int ends[2], memory;
  memset(out, 0, sizeof *out);
  options.replay = schedule;
  out->control = control_new(&memory);
  if (out->control == NULL || !settings_fill(out->control, &options)) return false;
  out->control->settings.dot[0] = '\0';
  out->control->settings.choices_from = manner->choices_from;
  out->control->settings.most_steps = manner->most_steps;
  out->control->settings.order_steps = manner->order_steps;
  out->control->settings.lenient = manner->lenient;
  if (in_part) take_over(out->control, again->explored);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
  out->control->settings.step_socket = ends[0];
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    become_replay(again, out->control, memory);
  }
  close(ends[0]);
  const bool good = child > 0 && read_steps(ends[1], cli_now() + seconds, child, out);
  close(ends[1]);
  if (child > 0) waitpid(child, NULL, 0);
  out->ended = out->control->outcome == OUTCOME_FINISHED;
  return good;
}

void again_free(struct performed *performed) {
  if (performed->control != NULL) shmdt(performed->control);
  free(performed->steps);
  memset(performed, 0, sizeof *performed);
}
