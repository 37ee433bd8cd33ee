/* Starting the program under test and watching over it. */
#ifndef NATIVE_LAUNCH_H
#define NATIVE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "control/settings.h"
#include "watch.h"

struct control;

/* The block that launcher and program share, empty but for its head; *memory is its number. NULL
 * with a message. */
struct control *control_new(int *memory);

/* Looks for the program as execvp does. Says on standard error when there is none,
 * and returns false. */
bool find_program(const char *name, char *path, size_t size);

/* Why a program cannot be preloaded into, or NULL. */
const char *program_unsuited(const char *path);

/* Puts down where the programs are that it needs, as become_program() does. */
bool find_tools(struct settings *settings);

/* Becomes the program, with the libraries preloaded. Returns only on failure, after a message. */
void become_program(struct control *control, const char *path, char **arguments, int memory);

/* Runs it in a child and watches it, to the end of the exploration. False with a message when it
 * could not be started. */
bool run_program(struct control *control, const char *path, char **arguments, int memory,
                 struct watched *watched);

#endif
