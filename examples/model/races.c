/*
 * Data races on shared ints. Silent code belongs to the event before it. An access a of thread t
 * comes before an access b of another thread if the event that ends a's piece of silent code (the
 * next one of t, or a join of t) causes the event that b's piece follows, or is that event. Two
 * accesses to one variable, one of them a write, of which neither comes before the other are a
 * race. Only accesses beyond the steps that a run shares with the last one are looked at. Going
 * backwards through the accesses to the variable ends at a write that comes before and was itself
 * in no race: all before it come before it.
 */
#include "model.h"

#include <stdlib.h>

static bool keep_event(void *user, unf_event event) {
  struct path *path = user;
  if (path->count == path->room) {
    uint64_t room = path->room * 2 + 256;
    unf_event *events = realloc(path->events, (size_t)room * sizeof *events);
    if (events == NULL) {
      path->failed = true;
      return false;
    }
    path->events = events;
    path->room = room;
  }
  path->events[path->count++] = event;
  return true;
}

void races_step(struct session *s, unf_event event) {
  keep_event(&s->path, event);
}

static bool ends(const struct session *s, unf_event event, uint32_t thread) {
  unf_action action;
  if (unf_event_action(s->unfolding, event, &action) != UNF_OK) return false;
  return action.thread == thread || (action.kind == UNF_DID_JOIN && action.target == thread);
}

static bool comes_before(const struct session *s, const struct access *a, const struct access *b) {
  for (uint64_t i = a->step; i < b->step; i++) {
    unf_event end = s->path.events[i], begin = s->path.events[b->step - 1];
    bool causes = false;
    if (!ends(s, end, a->thread)) continue;
    if (unf_event_precedes(s->unfolding, end, begin, &causes) == UNF_OK && causes) return true;
  }
  return false;
}

static void check_access(struct session *s, struct access *b, const unf_explorer *x) {
  struct access *log = s->accesses.log;
  for (uint32_t i = b->before; i != 0; i = log[i - 1].before) {
    const struct access *a = &log[i - 1];
    bool conflict = a->thread != b->thread && (a->write || b->write);
    bool before = a->thread == b->thread || comes_before(s, a, b);
    if (conflict && !before) {
      b->raced = true;
      describe_race(s, a, b, x);
    }
    if (a->write && before && !a->raced) return;
  }
}

void races_check(struct session *s, uint32_t from, const unf_explorer *x) {
  if (from == s->accesses.count) return;
  if (x != NULL) {
    s->path.count = 0;
    unf_explorer_path(x, keep_event, &s->path);
  }
  for (uint32_t i = from; i < s->accesses.count && !s->path.failed; i++)
    check_access(s, &s->accesses.log[i], x);
}
