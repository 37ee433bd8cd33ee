/* Read-modify-writes of code that was not searched when the program ran. */
#ifndef NATIVE_COUNT_SITES_H
#define NATIVE_COUNT_SITES_H

struct control;

/* Fills in the numbers of the modules that the program had, from the scanner, which takes some
 * 100 ns for each instruction. Modules that it does not answer for stay not searched. */
void count_sites(struct control *control);

#endif
