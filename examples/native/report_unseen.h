/* What of the program was not seen, so that its executions may be more than those explored. */
#ifndef NATIVE_REPORT_UNSEEN_H
#define NATIVE_REPORT_UNSEEN_H

#include <jansson.h>
#include <stdbool.h>

struct control;

/* Asks the scanner about code that was not searched. *list has an object for each kind and module
 * (doc/json.md), *lines a line of text for each kind; both are empty if nothing is unseen. */
void report_unseen(struct control *control, json_t **list, json_t **lines);

/* Whether read-modify-writes of code without callbacks were operations. */
bool sites_seen(const struct control *control);
/* Whether all its other accesses were seen, too. */
bool moves_seen(const struct control *control);
/* Whether plain accesses were watched for data races. */
bool accesses_seen(const struct control *control);

/* Whether the program has several threads, and code whose plain accesses --atomics all shows. */
bool all_would_show(const struct control *control);

#endif
