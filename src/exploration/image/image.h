/*
 * An exploration written down: its parts, in the order in which they stand. Handles are written as
 * they are, and are given again in the same order, so that whatever goes by their order comes out
 * the same; each is said by a canonical name before it is used: an event by its action and the
 * events that it follows. What is read is checked as if an enemy had written it.
 */
#ifndef EXPLORATION_IMAGE_IMAGE_H
#define EXPLORATION_IMAGE_IMAGE_H

#include <unfold/explore.h>

#include "base/bytes.h"
#include "configuration/configuration.h"

#define IMAGE_MAGIC   "unfexpl\n"
#define IMAGE_VERSION 4u

/* What was said of an object: a place, a maximum, an initial value. */
enum { SAID_PLACE = 1, SAID_MAXIMUM = 2, SAID_INITIAL = 4, SAID_MOST = 8 };

#endif
