/*
 * Probes: executions that belong to the estimate and not to the exploration. They have an unfolding
 * of their own, with the same names, so that no event, list or count of the exploration knows of
 * them.
 *
 * Let a probe perform the events e1 … en of a maximal configuration T, of which ei was drawn with
 * chance q(ei | e1 … ei-1). Mi is what could have come instead of ei without leaving T: the events
 * of T whose causes are all among e1 … ei-1, of which ei is one. Let q(Mi) be the chance of all of
 * them together, as it was at that step. The value of the probe is the product of 1 / q(Mi).
 *
 * Its expectation is the number of maximal configurations, whatever the chances are, as long as an
 * event that could be drawn is left in every T that the events so far lie in: q(e | …) / q(Mi) is a
 * distribution over Mi, so w = Π q(ei | …) / q(Mi) is one over the linearisations of T, and
 *
 *   E = Σ_T Σ_{e1 … en of T} Π q(ei | …) · Π 1 / q(Mi) = Σ_T Σ_{e1 … en of T} w = Σ_T 1.
 *
 * This is Knuth's estimator (Estimating the efficiency of backtrack programs, 1975) for the tree of
 * all interleavings, with what the interleavings of one trace have in common divided out. The
 * chances may depend on everything that is past, also on earlier probes.
 */
#ifndef EXPLORATION_PROBES_PROBE_H
#define EXPLORATION_PROBES_PROBE_H

#include <unfold/explore.h>

#include "configuration/configuration.h"

/* A thread that could act at a step, and the chance of each of its actions. */
struct prospect {
  uint32_t thread;
  double chance;
};

/* A thread that could act, while the step is chosen: its actions, and how willingly it is taken. */
struct contender {
  uint32_t thread, first, count;
  uint32_t object; /* what others can contend with it for; NONE: nothing */
  double weight;
};

/* Of a thread, in the probe at hand. */
struct pace {
  double fade;     /* falls while it could act and others do */
  uint32_t step;   /* the last one (from 1) at which it could act; 0: none */
  uint32_t object; /* and on what; or NONE */
  uint32_t user;   /* what is known of its uses of the object, or 0 */
};

/* What a thread does with an object. */
struct user {
  uint32_t thread, next; /* of the object: the number of another one, or 0 */
  uint32_t done, most;   /* uses in the probe at hand; in one of those before */
  double mean;           /* in those before */
};

/* Of an object, while a step is chosen. */
struct stand {
  uint32_t step;   /* the last one (from 1) at which a thread could act on it; 0: none */
  uint32_t count;  /* such threads, at that step */
  double expected; /* uses by threads that are not there yet; below 0: to be found */
};

struct chances {
  VECTOR(struct pace) paces; /* by thread */
  VECTOR(struct user) users; /* numbered from 1 */
  VECTOR(struct stand) stands;
  handle_vector users_of; /* by object: the first user, or 0 */
  VECTOR(uint8_t) tried;  /* by object: locked by operations that can fail */
};

/* Of a site: one more than the last step so far that used it in each mode. */
struct last_use {
  uint32_t written, read, added;
};

struct probes {
  uint64_t density;
  uint64_t seed;
  bool running;
  bool recent; /* the last run was a probe, whose steps are still in `events` */
  bool lost;   /* one was dropped, or too large: the mean of the others is not what it should be */
  uint32_t shared; /* after a probe: steps that the next run has in common with it; else NONE */
  unf_unfolding *u;
  uint32_t said; /* of what was said of objects: so much is known in the probes' unfolding too */
  unf_configuration C;
  handle_vector events; /* of the probe at hand, in order */
  VECTOR(struct prospect) prospects;
  handle_vector ends;         /* by step: where its prospects end */
  VECTOR(unf_action) actions; /* of the contenders */
  VECTOR(struct contender) contenders;
  struct chances chances;
  handle_vector ready;          /* by step: the first one at which it was possible */
  handle_vector next;           /* by thread: its next step */
  VECTOR(struct last_use) uses; /* by site */
  uint64_t count;
  double mean, squares; /* of the values; the sum of the squares of what they are off it */
};

/* The run protocol in a probe. */
bool unfi_probe_due(const unf_explorer *x);
unf_status unfi_probe_begin(unf_explorer *x, unf_run *run);
unf_status unfi_probe_offer(unf_explorer *x, uint32_t thread, const unf_operation *operation);
unf_status unfi_probe_step(unf_explorer *x, unf_step *step);
/* The step is this action of one of the contenders. */
unf_status unfi_probe_take(unf_explorer *x, unf_action action);
unf_status unfi_probe_commit(unf_explorer *x);
unf_status unfi_probe_finish(unf_explorer *x, bool error, unf_verdict *verdict);
/* The action of a step of the probe at hand, or of the last run, with the names of the exploration.
 */
unf_status unfi_probe_action(const unf_explorer *x, uint32_t step, unf_action *out);
/* Back to the exploration. */
void unfi_probe_end(unf_explorer *x);
void unfi_probe_free(unf_explorer *x);

#endif
