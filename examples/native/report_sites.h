/* What was seen of atomic operations in code without callbacks. */
#ifndef NATIVE_REPORT_SITES_H
#define NATIVE_REPORT_SITES_H

#include <jansson.h>

struct control;

void report_sites(const struct control *control);
json_t *report_sites_json(const struct control *control);

#endif
