/*
 * Which facts are asked about together: those that share inputs, over others. A fact that comes to
 * a set whose values are known is asked with its slice alone: facts are listed by their inputs, so
 * that the rest of the set is not looked at.
 */
#ifndef TERMS_SLICES_H
#define TERMS_SLICES_H

#include "knowledge.h"

/* The inputs that a term depends on: their number, then they. NULL: no memory. */
const uint32_t *slices_inputs(struct knowledge *knowledge, term a);
/* The facts of a set, with as much room again for some that exclude each other; NULL: no memory. */
term *slices_list(struct knowledge *knowledge, uint32_t set);
/* Of a set what shares inputs with the facts that another one does not have; UINT32_MAX: no memory.
 */
uint32_t slices_beside(struct knowledge *knowledge, uint32_t set, uint32_t other);
/* A part of a slice: some facts around those that are new. */
struct near {
  uint32_t set;
  const uint32_t *held; /* inputs of its facts that other facts of the slice mention, too; valid
                         * until something is asked */
  uint32_t held_count;
};
/* Of a set some facts around those that another one does not have, as many as `most` or a few more;
 * the set that is made still has them. False: the slice has no others, or there is no memory. */
bool slices_near(struct knowledge *knowledge, uint32_t set, uint32_t other, uint32_t most,
                 struct near *near);
/* The parts of a list, sets that share no inputs, to be freed; returns how many there are, 0: no
 * memory. */
uint32_t slices_take_apart(struct knowledge *knowledge, const term *list, uint32_t count,
                           uint32_t **parts);
/* A fact is to be in a set: it is among those that its inputs are asked for with. False: no memory.
 */
bool slices_mention(struct knowledge *knowledge, term fact);
/* The set of those facts of a set that say something of inputs which are used, by number, or of
 * inputs that such facts join with them; the others can be left out, as long as they are known to
 * be true for some values: else it is the set itself. UINT32_MAX: no memory. */
uint32_t slices_about_used(struct knowledge *knowledge, uint32_t set, const bool *used);
/* Makes room in a list of numbers, with this value in what is new. False: no memory. */
bool slices_room(struct knowledge *knowledge, uint32_t **list, uint32_t *room, uint32_t wanted,
                 int value);

#endif
