/* What is drawn of the unfolding, when an exploration is over. */
#ifndef NATIVE_PRELOAD_PICTURES_H
#define NATIVE_PRELOAD_PICTURES_H

/* Writes the file of --dot, and lists the events for --report, as far as they are wanted. */
void pictures_write(void);

#endif
