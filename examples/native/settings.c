#include "settings.h"

#include <stdio.h>
#include <string.h>
#include <text.h>

#include "../common/settings.h"
#include "control.h"
#include "control/settings.h"
#include "level.h"

static bool copy(char *to, size_t size, const char *from) {
  int needed = snprintf(to, size, "%s", from);
  if (needed >= 0 && (size_t)needed < size) return true;
  cli_say(stderr, "unfold: %s: too long", from);
  return false;
}

enum { REORDER_DEFAULT = 5 }; /* of a hundred traces */

bool settings_fill(struct control *control, const struct cli_options *o) {
  struct settings *s = &control->settings;
  unf_explorer_options explorer;
  cli_options_explorer(o, &explorer);
  s->algorithm = explorer.algorithm;
  s->k = explorer.alternative.k;
  s->order = explorer.order;
  s->seed = explorer.seed;
  s->max_switches = explorer.max_switches;
  s->bound = o->bound == CLI_NUMBER_NONE ? UINT64_MAX : (uint64_t)o->bound;
  s->max_timeouts = o->max_timeouts == CLI_NUMBER_NONE ? UINT64_MAX : (uint64_t)o->max_timeouts;
  s->max_preemptions = explorer.max_preemptions;
  s->probes = explorer.probes;
  s->runs = cli_samples(o) ? explorer.runs : 0;
  s->steps = explorer.steps;
  s->depth = explorer.depth;
  s->max_executions = o->max_executions;
  s->max_events = o->max_events;
  s->max_memory = o->max_memory;
  s->collect = explorer.collect;
  s->max_seconds = o->max_seconds;
  s->stop_at_first = o->stop_at_first;
  s->kill_at_exit = o->exit == CLI_KILL;
  s->races = o->races;
  s->ifaa = o->ifaa;
  s->races_every = o->races_every > 0 ? o->races_every : 1;
  s->learn = o->learn == CLI_LEARN_ON;
  s->reorder_asked = o->reorder != CLI_NUMBER_NONE;
  s->reorder = s->reorder_asked ? (uint64_t)o->reorder : REORDER_DEFAULT;
  s->replay = o->replay != NULL;
  s->list_events = o->report != NULL && o->replay == NULL && !cli_shares(o);
  s->standard_output_taken = o->json;
  s->expect_exit = (int)o->expect_exit;
  s->output = o->output == CLI_OUTPUT_KEEP    ? OUTPUT_KEEP
              : o->output == CLI_OUTPUT_FIRST ? OUTPUT_FIRST
                                              : OUTPUT_DISCARD;
  s->in_place = o->mode == CLI_IN_PROCESS;
  s->fibers = s->in_place || o->backend == CLI_FIBERS;
  s->save_every = o->save_every;
  s->step_socket = s->items_socket = s->processor = -1;
  s->choices_from = s->most_steps = UINT64_MAX;
  const bool alone = !cli_shares(o); /* several workers have a journal */
  const char *name = strrchr(o->arguments[0], '/');
  cli_shown(name != NULL ? name + 1 : o->arguments[0], s->program, sizeof s->program);
  return level_begin(control, o) &&
         copy(s->trace_folder, sizeof s->trace_folder, o->trace_dir != NULL ? o->trace_dir : ".") &&
         copy(s->schedule, sizeof s->schedule, o->replay != NULL ? o->replay : "") &&
         copy(s->dot, sizeof s->dot, o->dot != NULL ? o->dot : "") &&
         copy(s->save, sizeof s->save, o->save != NULL && alone ? o->save : "") &&
         copy(s->go_on, sizeof s->go_on, o->go_on != NULL && alone ? o->go_on : "");
}
