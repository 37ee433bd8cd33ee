/* What the command line says, as the library takes it. */
#include "settings.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

/* New events after which events are freed, unless --collect says something else: about 100 MB. */
#define COLLECT       1000000
#define COLLECT_EARLY 10000
/* Of probes: see unf_explorer_options. */
#define PROBES 2

/* UNF_OK, UNF_UNSUPPORTED with a text, or an error that stands for no memory. */
static unf_status try_options(const unf_explorer_options *options, char *text, size_t size) {
  unf_context *context = NULL;
  unf_unfolding *unfolding = NULL;
  unf_explorer *explorer = NULL;
  unf_status status = unf_context_new(NULL, &context);
  if (status == UNF_OK) status = unf_unfolding_new(context, NULL, &unfolding);
  if (status == UNF_OK) status = unf_explorer_new(unfolding, options, &explorer);
  if (status != UNF_OK && context != NULL) {
    static const char before[] = "unf_explorer_options: ";
    const char *detail = unf_context_detail(context)->text, *at = strstr(detail, before);
    snprintf(text, size, "%s", at != NULL ? at + strlen(before) : detail);
    for (char *c = strchr(text, '_'); c != NULL; c = strchr(c, '_')) /* as options are written */
      *c = '-';
  }
  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return status;
}

static uint64_t number_or(int64_t number, uint64_t other) {
  return number == CLI_NUMBER_NONE ? other : (uint64_t)number;
}

/* What was asked for, without what is there unless something else is said. */
static void asked_for(const struct cli_options *options, unf_explorer_options *out) {
  const unf_explorer_options defaults = UNF_EXPLORER_OPTIONS_INIT;
  *out = defaults;
  out->algorithm = options->algorithm;
  out->alternative.k = options->k;
  out->order = options->order;
  out->seed = number_or(options->seed, 0);
  out->max_switches = number_or(options->max_switches, UNF_UNBOUNDED);
  out->max_preemptions = number_or(options->max_preemptions, UNF_UNBOUNDED);
  out->cutoffs = options->cutoffs.order;
  out->collect = number_or(options->collect, 0);
  out->probes = number_or(options->probes, 0);
  if (options->runs > 0) out->runs = options->runs;
  if (options->depth > 0) out->depth = (uint32_t)options->depth;
  out->steps = options->steps;
}

bool cli_samples(const struct cli_options *options) {
  return options->algorithm == UNF_RANDOM || options->algorithm == UNF_PCT;
}

bool cli_options_supported(const struct cli_options *options, char *text, size_t size) {
  unf_explorer_options asked;
  asked_for(options, &asked);
  return try_options(&asked, text, size) != UNF_UNSUPPORTED;
}

/* Events are freed, and probes made, where that can be; a file of all events, or their number,
 * needs all events. */
void cli_options_explorer(const struct cli_options *options, unf_explorer_options *out) {
  char text[240];
  /* Without a store of events to look for alternatives in, hardly an event is met again. */
  bool early =
      options->algorithm == UNF_ODPOR || options->algorithm == UNF_EAGER || cli_samples(options);
  asked_for(options, out);
  unf_explorer_options more = *out;
  if (options->collect == CLI_NUMBER_NONE && options->dot == NULL && options->max_events == 0) {
    more.collect = early ? COLLECT_EARLY : COLLECT;
    if (try_options(&more, text, sizeof text) == UNF_OK) out->collect = more.collect;
  }
  more = *out;
  if (options->probes == CLI_NUMBER_NONE) {
    more.probes = PROBES;
    if (try_options(&more, text, sizeof text) == UNF_OK) out->probes = more.probes;
  }
}

void cli_options_limits(const struct cli_options *options, unf_limits *out) {
  out->events = options->max_events;
  out->bytes = options->max_memory;
  out->runs = options->max_executions;
  out->seconds = options->max_seconds;
}
