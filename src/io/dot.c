/*
 * Events as DOT. A thread is a cluster, so that Graphviz draws it as a column; immediate causality
 * is a solid arrow, and an immediate conflict a dashed line that has no say in the layout. Nodes
 * are named by handles, which follow causality; labels have the program's names, if there are some.
 */
#include <string.h>

#include "base/null.h"
#include "configuration/configuration.h"
#include "configuration/walk.h"
#include "io/output.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/event.h"

struct drawing {
  struct output out;
  uint32_t effect; /* whose predecessors are visited */
};

static bool arrow(void *user, unf_event cause) {
  struct drawing *d = user;
  unfi_put(&d->out, "  e");
  unfi_put_u64(&d->out, cause);
  unfi_put(&d->out, " -> e");
  unfi_put_u64(&d->out, d->effect);
  unfi_put(&d->out, ";\n");
  return d->out.status == UNF_OK;
}

static void node(struct output *out, uint32_t event) {
  unfi_put(out, "    e");
  unfi_put_u64(out, event);
  unfi_put(out, " [label=\"");
  unfi_put_event_label(out, event);
  unfi_put(out, "\"];\n");
}

/* Writes the column of a thread, if it has events. */
static void column(struct output *out, uint32_t thread, const handle_vector *events) {
  bool begun = false;
  for (uint32_t i = 0; out->status == UNF_OK && i < events->count; i++) {
    if (action_of(out->u, events->data[i])->thread != thread) continue;
    if (!begun) {
      unfi_put(out, "  subgraph \"cluster_");
      unfi_put_thread(out, thread);
      unfi_put(out, "\" {\n    label=\"thread ");
      unfi_put_thread_label(out, thread);
      unfi_put(out, "\"; color=gray; fontcolor=gray30;\n");
    }
    begun = true;
    node(out, events->data[i]);
  }
  if (begun) unfi_put(out, "  }\n");
}

static void conflicts(struct output *out, const handle_vector *events) {
  for (uint32_t j = 1; j < events->count; j++)
    for (uint32_t i = 0; out->status == UNF_OK && i < j; i++) {
      bool immediate = false;
      unf_event_conflicts_immediately(out->u, events->data[i], events->data[j], &immediate);
      if (!immediate) continue;
      unfi_put(out, "  e");
      unfi_put_u64(out, events->data[i]);
      unfi_put(out, " -> e");
      unfi_put_u64(out, events->data[j]);
      unfi_put(out, " [dir=none, style=dashed, color=red, constraint=false];\n");
    }
}

static unf_status draw(const unf_unfolding *u, const char *name, const handle_vector *events,
                       const unf_names *names, unf_write write, void *user) {
  struct drawing d;
  unfi_output_begin(&d.out, u, write, user);
  d.out.names = names;
  unfi_put(&d.out, "digraph ");
  unfi_put(&d.out, name);
  unfi_put(&d.out,
           " {\n  graph [newrank=true, fontname=\"sans-serif\", nodesep=0.3, ranksep=0.3];\n"
           "  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n"
           "  e0 [label=\"⊥\", shape=plaintext];\n");
  for (uint32_t t = 0; t < u->threads.count; t++)
    column(&d.out, t, events);
  for (uint32_t i = 0; d.out.status == UNF_OK && i < events->count; i++) {
    d.effect = events->data[i];
    unf_status status = unf_event_predecessors(u, d.effect, arrow, &d);
    if (status != UNF_OK) return status;
  }
  conflicts(&d.out, events);
  unfi_put(&d.out, "}\n");
  return unfi_output_end(&d.out);
}

unf_status unf_dot_unfolding_named(unf_unfolding *u, const unf_names *names, unf_write write,
                                   void *user) {
  RETURN_IF_NULL(u->context, u, write);
  if (!unfi_names_fit(u->context, names)) return UNF_INVALID;
  handle_vector events = {0};
  if (!vector_reserve(u->context, &events, u->store.count)) return unfi_refused(u->context);
  for (uint32_t e = 1; e < u->store.count; e++)
    vector_push(&events, e);
  unf_status status = draw(u, "unfolding", &events, names, write, user);
  vector_free(u->context, &events);
  return status;
}

unf_status unf_dot_configuration_named(const unf_configuration *c, const unf_names *names,
                                       unf_write write, void *user) {
  RETURN_IF_NULL(c->u->context, c, write);
  if (!unfi_names_fit(c->u->context, names)) return UNF_INVALID;
  handle_vector events = {0};
  struct cut nothing = {NULL, 0};
  unf_status status = UNF_OK;
  if (!unfi_cut_events(c->u, configuration_cut(c), nothing, &events))
    status = unfi_refused(c->u->context);
  if (status == UNF_OK) status = draw(c->u, "configuration", &events, names, write, user);
  vector_free(c->u->context, &events);
  return status;
}

unf_status unf_dot_unfolding(unf_unfolding *u, unf_write write, void *user) {
  return unf_dot_unfolding_named(u, NULL, write, user);
}

unf_status unf_dot_configuration(const unf_configuration *c, unf_write write, void *user) {
  return unf_dot_configuration_named(c, NULL, write, user);
}
