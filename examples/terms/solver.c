#include "solver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 100, HEAD_WORDS = 4 };

static void end_process(struct solver *s) {
  if (s->pid == 0) return;
  close(s->to);
  close(s->from);
  kill(s->pid, SIGKILL);
  while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
    ;
  s->pid = 0;
}

/* What the new process does: the pipes' ends become its standard streams. */
static void become(const struct solver *s, int in, int out) {
  char memory[32];
  snprintf(memory, sizeof memory, "%" PRIu64, s->memory);
  char *const arguments[] = {(char *)(uintptr_t)s->program, memory, NULL};
  signal(SIGINT, SIG_IGN); /* of the terminal: it is for the exploration to end */
  if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) execv(s->program, arguments);
  _exit(127);
}

static bool keep_private(const int ends[2]) {
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) >= 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) >= 0;
}

static bool start_process(struct solver *s) {
  int to[2], from[2];
  if (pipe(to) != 0) return false;
  if (pipe(from) != 0) {
    close(to[0]);
    close(to[1]);
    return false;
  }
  const pid_t pid = keep_private(to) && keep_private(from) ? fork() : -1;
  if (pid == 0) become(s, to[0], from[1]);
  close(to[0]);
  close(from[1]);
  if (pid < 0) {
    close(to[1]);
    close(from[0]);
    return false;
  }
  s->pid = pid;
  s->to = to[1];
  s->from = from[0];
  s->sent = 1;
  return true;
}

static bool send_all(const struct solver *s, const void *data, size_t size) {
  for (const char *at = data; size > 0;) {
    const ssize_t done = write(s->to, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= (size_t)done;
  }
  return true;
}

static bool receive_all(const struct solver *s, void *data, size_t size) {
  for (char *at = data; size > 0;) {
    struct pollfd ready = {.fd = s->from, .events = POLLIN};
    const int count = poll(&ready, 1, LOOK_MILLISECONDS);
    if (s->stops != NULL && s->stops(s->user)) return false;
    if (count == 0 || (count < 0 && errno == EINTR)) continue;
    const ssize_t done = read(s->from, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= (size_t)done;
  }
  return true;
}

static bool make_room(struct solver *s, size_t words) {
  if (words > SOLVER_BYTES_MAX / sizeof *s->message) return false;
  if (words <= s->room) return true;
  int64_t *message = realloc(s->message, 2 * words * sizeof *message);
  s->refused |= message == NULL;
  if (message == NULL) return false;
  s->message = message;
  s->room = 2 * words;
  return true;
}

/* Sends the terms that are new, and the question. */
static bool send_question(struct solver *s, const struct terms *t, const term *list, uint32_t count,
                          uint32_t inputs, bool core) {
  const uint32_t fresh = t->count - s->sent;
  if (!make_room(s, HEAD_WORDS + (size_t)fresh * SOLVER_TERM_WORDS + count)) return false;
  int64_t *at = s->message;
  *at++ = fresh;
  for (; s->sent < t->count; s->sent++) {
    const struct term_node *n = terms_node(t, s->sent);
    const int64_t words[SOLVER_TERM_WORDS] = {
        n->op, n->argument[0], n->argument[1], n->argument[2], n->value, n->low, n->high};
    memcpy(at, words, sizeof words);
    at += SOLVER_TERM_WORDS;
  }
  *at++ = inputs;
  *at++ = (int64_t)s->steps;
  *at++ = core;
  for (uint32_t i = 0; i < count; i++)
    *at++ = list[i];
  const uint32_t size = (uint32_t)((size_t)(at - s->message) * sizeof *at);
  return send_all(s, &size, sizeof size) && send_all(s, s->message, size);
}

/* Receives the answer; its words behind the first stand in the message, *count of them. */
static bool receive_answer(struct solver *s, enum solver_answer *answer, size_t *count) {
  uint32_t size;
  if (!receive_all(s, &size, sizeof size) || size % sizeof *s->message != 0 || size == 0 ||
      !make_room(s, size / sizeof *s->message) || !receive_all(s, s->message, size))
    return false;
  *count = size / sizeof *s->message - 1;
  *answer = (enum solver_answer)s->message[0];
  return s->message[0] >= SOLVER_NO && s->message[0] <= SOLVER_UNKNOWN;
}

/* The indices of a core, which are ascending. */
static bool take_core(const struct solver *s, size_t count, uint32_t asked, uint32_t *core,
                      uint32_t *core_count) {
  int64_t last = -1;
  for (size_t i = 0; i < count; i++) {
    if (s->message[i + 1] <= last || s->message[i + 1] >= asked) return false;
    last = s->message[i + 1];
    core[i] = (uint32_t)last;
  }
  *core_count = (uint32_t)count;
  return true;
}

static bool take_values(const struct solver *s, size_t count, uint32_t inputs, int64_t *values) {
  for (size_t i = 0; i + 1 < count; i += 2) {
    if (s->message[i + 1] < 0 || s->message[i + 1] >= inputs) return false;
    values[s->message[i + 1]] = s->message[i + 2];
  }
  return count % 2 == 0;
}

static bool converse(struct solver *s, const struct terms *t, const term *list, uint32_t count,
                     uint32_t inputs, int64_t *values, uint32_t *core, uint32_t *core_count,
                     enum solver_answer *answer) {
  size_t words;
  if (s->pid == 0 && !start_process(s)) return false;
  if (!send_question(s, t, list, count, inputs, core != NULL) || !receive_answer(s, answer, &words))
    return false;
  if (*answer == SOLVER_YES && !take_values(s, words, inputs, values)) return false;
  return *answer != SOLVER_NO || core == NULL || take_core(s, words, count, core, core_count);
}

enum solver_answer solver_ask(struct solver *s, const struct terms *t, const term *list,
                              uint32_t count, uint32_t inputs, int64_t *values, uint32_t *core,
                              uint32_t *core_count) {
  enum solver_answer answer = SOLVER_UNKNOWN;
  s->counts.queries++;
  s->counts.facts += count;
  if (!converse(s, t, list, count, inputs, values, core, core_count, &answer)) {
    s->counts.lost++;
    answer = SOLVER_UNKNOWN;
    end_process(s);
  }
  s->counts.yes += answer == SOLVER_YES;
  s->counts.no += answer == SOLVER_NO;
  s->counts.unknown += answer == SOLVER_UNKNOWN;
  return answer;
}

bool solver_open(struct solver *s) {
  struct terms none;
  const struct solver_counts counts = {.queries = 0};
  s->refused = !terms_make(&none);
  bool good = !s->refused && solver_ask(s, &none, NULL, 0, 0, NULL, NULL, NULL) == SOLVER_YES;
  terms_free(&none);
  s->counts = counts;
  return good;
}

void solver_forget(struct solver *s) {
  end_process(s);
}

void solver_leave(struct solver *s) {
  if (s->pid == 0) return;
  close(s->to);
  close(s->from);
  s->pid = 0;
}

void solver_close(struct solver *s) {
  end_process(s);
  free(s->message);
}
