/*
 * The prefix that cutoffs leave, as an occurrence net in the Petri Net Markup Language. Transitions
 * are events. Conditions are made of pairs of an event (or ⊥) and a site that it uses.
 *
 * Of those events that use a site with the same last write w there before them, the writes are
 * pairwise in conflict: each of them takes the condition (w, s), and so no two can happen. A use
 * that commutes with others of its kind, r, has a condition (w, s, r) of its own, which it takes,
 * and so does each of the writes that does not have it in its history; a write that has, takes a
 * condition (r, s) that r makes. Two such uses of different kinds, a read and an addition, have one
 * for the two alone. Every immediate cause of an event, and every immediate conflict, is by a site
 * with the same last write, so the net has the causality and the conflicts of the prefix, and no
 * others.
 */
#include <unfold/cutoff.h>

#include "base/null.h"
#include "base/sort.h"
#include "cutoff/cutoff.h"
#include "io/output.h"
#include "structure/event.h"
#include "structure/relation.h"

/* That an event uses a site, and the last write there before it. */
struct net_use {
  uint32_t site, write, event;
  enum access access;
};

struct net {
  struct output out;
  unf_cutoffs *cutoffs;
  VECTOR(struct net_use) uses;
  handle_vector order;       /* of uses: by site, write, writes before others, event */
  handle_vector followed;    /* by event: not in the net, or its thread goes on */
  uint64_t conditions, arcs; /* numbered so far */
};

/* ---- the uses of sites ---- */

static bool add_use(struct net *n, uint32_t site, uint32_t entry, uint32_t event,
                    enum access access) {
  const unf_unfolding *u = n->out.u;
  const uint64_t need = (uint64_t)n->uses.count + 1;
  const struct net_use use = {site, entry_write(u, entry), event, access};
  if (!vector_reserve(u->context, &n->uses, need) || !vector_reserve(u->context, &n->order, need))
    return false;
  vector_push(&n->order, n->uses.count);
  vector_push(&n->uses, use);
  return true;
}

static bool add_uses(struct net *n, uint32_t event) {
  const unf_unfolding *u = n->out.u;
  const struct action *a = action_of(u, event);
  uint32_t count, followed;
  const struct use *uses = uses_of(u, a, &count);
  const uint32_t *follows = event_follows(u, event, &followed);
  bool room = add_use(n, a->site, event_at(u, event)->before, event, ACCESS_WRITE);
  for (uint32_t i = 0; room && i < count; i++)
    room = add_use(n, uses[i].site, follows[i], event, uses[i].access);
  return room;
}

static int compare_numbers(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

static int compare_uses(const void *net, uint32_t a, uint32_t b) {
  const struct net *n = net;
  const struct net_use *x = &n->uses.data[a], *y = &n->uses.data[b];
  if (x->site != y->site) return compare_numbers(x->site, y->site);
  if (x->write != y->write) return compare_numbers(x->write, y->write);
  if ((x->access == ACCESS_WRITE) != (y->access == ACCESS_WRITE))
    return x->access == ACCESS_WRITE ? -1 : 1;
  return compare_numbers(x->event, y->event);
}

/* ---- elements ---- */

static void put_name(struct net *n, const char *before) {
  unfi_put(&n->out, "<name><text>");
  unfi_put(&n->out, before);
}

static void put_transition(struct net *n, uint32_t event, bool cutoff) {
  struct output *out = &n->out;
  const unf_action action = unfi_action(out->u, event_at(out->u, event)->action);
  unfi_put(out, "   <transition id=\"e");
  unfi_put_u64(out, event);
  unfi_put(out, "\">");
  put_name(n, "");
  unfi_put_thread_label(out, action.thread);
  unfi_put(out, " ");
  unfi_put_event_label(out, event);
  unfi_put(out, "</text></name><toolspecific tool=\"libunfold\" version=\"1\"><action>");
  unfi_put_action(out, &action);
  unfi_put(out, cutoff ? "</action><cutoff/></toolspecific></transition>\n"
                       : "</action></toolspecific></transition>\n");
}

static void put_arc(struct net *n, const char *from, uint64_t source, const char *to,
                    uint64_t target) {
  struct output *out = &n->out;
  unfi_put(out, "   <arc id=\"a");
  unfi_put_u64(out, ++n->arcs);
  unfi_put(out, "\" source=\"");
  unfi_put(out, from);
  unfi_put_u64(out, source);
  unfi_put(out, "\" target=\"");
  unfi_put(out, to);
  unfi_put_u64(out, target);
  unfi_put(out, "\"/>\n");
}

static void takes(struct net *n, uint32_t event) {
  put_arc(n, "c", n->conditions, "e", event);
}

/* A condition that an event makes by its use of a site; one of ⊥ is marked. */
static void put_condition(struct net *n, uint32_t event, uint32_t site) {
  struct output *out = &n->out;
  const struct site *s = &out->u->sites.data[site];
  unfi_put(out, "   <place id=\"c");
  unfi_put_u64(out, ++n->conditions);
  unfi_put(out, "\">");
  put_name(n, s->is_thread ? "thread " : "");
  if (s->is_thread)
    unfi_put_thread_label(out, s->subject);
  else
    unfi_put_object_label(out, s->subject);
  unfi_put(out, event == 0 ? " at first" : " after e");
  if (event != 0) unfi_put_u64(out, event);
  unfi_put(out, "</text></name>");
  if (event == 0) unfi_put(out, "<initialMarking><text>1</text></initialMarking>");
  unfi_put(out, "<toolspecific tool=\"libunfold\" version=\"1\"><event>e");
  unfi_put_u64(out, event);
  unfi_put(out, "</event><site>");
  unfi_put_u64(out, site);
  unfi_put(out, "</site></toolspecific></place>\n");
  if (event != 0) put_arc(n, "e", event, "c", n->conditions);
}

/* ---- conditions of a site and a write ---- */

/* Uses with the same write before them: `writes` of them write, and come first. */
struct net_group {
  uint32_t site, write, first, writes, count;
};

static const struct net_use *use_in(const struct net *n, const struct net_group *g, uint32_t i) {
  return &n->uses.data[n->order.data[g->first + i]];
}

/* The conditions that a use takes, and makes, because of the writes. */
static void put_commuting(struct net *n, const struct net_group *g, uint32_t event) {
  const unf_unfolding *u = n->out.u;
  uint32_t behind = 0;
  put_condition(n, g->write, g->site);
  takes(n, event);
  for (uint32_t i = 0; i < g->writes; i++) {
    const uint32_t write = use_in(n, g, i)->event;
    if (unfi_precedes(u, event, write))
      behind++;
    else
      takes(n, write);
  }
  if (behind == 0) return;
  put_condition(n, event, g->site);
  for (uint32_t i = 0; i < g->writes; i++)
    if (unfi_precedes(u, event, use_in(n, g, i)->event)) takes(n, use_in(n, g, i)->event);
}

/* Of two uses that do not commute, and are no writes. */
static void put_pair(struct net *n, const struct net_group *g, uint32_t a, uint32_t b) {
  const unf_unfolding *u = n->out.u;
  const bool before = unfi_precedes(u, a, b), after = !before && unfi_precedes(u, b, a);
  put_condition(n, before ? a : after ? b : g->write, g->site);
  if (!before) takes(n, a);
  if (!after) takes(n, b);
}

static unf_status put_group(struct net *n, const struct net_group *g) {
  unf_context *context = n->out.u->context;
  unf_status status = unfi_work(context, g->count);
  if (g->writes > 0) {
    put_condition(n, g->write, g->site);
    for (uint32_t i = 0; i < g->writes; i++)
      takes(n, use_in(n, g, i)->event);
  }
  for (uint32_t i = g->writes; status == UNF_OK && i < g->count; i++) {
    const struct net_use *use = use_in(n, g, i);
    status = unfi_work(context, (uint64_t)g->count + 1);
    put_commuting(n, g, use->event);
    for (uint32_t j = g->writes; j < i; j++) {
      const struct net_use *other = use_in(n, g, j);
      const bool adds = use->access == ACCESS_ADD, other_adds = other->access == ACCESS_ADD;
      if (adds != other_adds) put_pair(n, g, other->event, use->event);
    }
  }
  return status == UNF_OK ? n->out.status : status;
}

static unf_status put_conditions(struct net *n) {
  unf_status status = n->out.status;
  unfi_sort_by(n->order.data, n->order.count, compare_uses, n);
  for (uint32_t i = 0; status == UNF_OK && i < n->order.count;) {
    const struct net_use *first = &n->uses.data[n->order.data[i]];
    struct net_group g = {first->site, first->write, i, 0, 0};
    for (; i < n->order.count; i++, g.count++) {
      const struct net_use *use = &n->uses.data[n->order.data[i]];
      if (use->site != g.site || use->write != g.write) break;
      g.writes += use->access == ACCESS_WRITE;
    }
    status = put_group(n, &g);
  }
  return status;
}

/* An event that nothing follows at the site of its thread makes a condition too, so that a marking
 * says where threads are, and different configurations lead to different ones. */
static void put_ends(struct net *n) {
  const unf_unfolding *u = n->out.u;
  for (uint32_t i = 0; i < n->uses.count; i++) {
    const struct net_use *use = &n->uses.data[i];
    if (use->write != 0 && action_of(u, use->write)->site == use->site)
      n->followed.data[use->write] = 1;
  }
  for (uint32_t e = 1; n->out.status == UNF_OK && e < u->store.count; e++)
    if (n->followed.data[e] == 0) put_condition(n, e, action_of(u, e)->site);
}

/* ---- the whole ---- */

/* Writes the transitions, and lists their uses. */
static unf_status put_events(struct net *n) {
  const unf_unfolding *u = n->out.u;
  unf_status status = UNF_OK;
  if (!vector_reserve(u->context, &n->followed, u->store.count)) return unfi_refused(u->context);
  vector_push(&n->followed, 1);
  for (uint32_t e = 1; status == UNF_OK && e < u->store.count; e++) {
    unf_cutoff_verdict verdict;
    status = unf_cutoffs_verdict(n->cutoffs, e, &verdict);
    if (status == UNF_OK) status = unfi_work(u->context, 1);
    const bool in = verdict == UNF_CUTOFF_KEPT || verdict == UNF_CUTOFF_IS;
    vector_push(&n->followed, !in);
    if (status != UNF_OK || !in) continue;
    if (!add_uses(n, e)) return unfi_refused(u->context);
    put_transition(n, e, verdict == UNF_CUTOFF_IS);
    status = n->out.status;
  }
  return status;
}

static unf_status put_net(struct net *n) {
  struct output *out = &n->out;
  unfi_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
                " <net id=\"prefix\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
                "  <page id=\"page\">\n");
  unf_status status = put_events(n);
  if (status == UNF_OK) status = put_conditions(n);
  if (status == UNF_OK) put_ends(n);
  unfi_put(out, "  </page>\n </net>\n</pnml>\n");
  return status == UNF_OK ? unfi_output_end(out) : status;
}

unf_status unf_pnml_prefix(unf_cutoffs *c, const unf_names *names, unf_write write, void *user) {
  RETURN_IF_NULL(c->u->context, c, write);
  unf_context *context = c->u->context;
  if (!unfi_names_fit(context, names)) return UNF_INVALID;
  if (c->u->consistency != NULL) return unfi_fail(context, UNF_UNSUPPORTED, "a net with literals");
  struct net n = {.cutoffs = c};
  unfi_output_begin(&n.out, c->u, write, user);
  n.out.names = names;
  n.out.markup = true;
  unf_status status = put_net(&n);
  vector_free(context, &n.uses);
  vector_free(context, &n.order);
  vector_free(context, &n.followed);
  return status;
}
