/* Files that the program reads, and what peers send. */
#ifndef LLVM_FILES_H
#define LLVM_FILES_H

#include "builtin.h"
#include "machine.h"

/* A file that the program can read, or what a peer sends. */
struct source {
  char *name;
  uint8_t *bytes;
  uint64_t size;
  uint8_t *asked;       /* by byte, whether it is an input; NULL: none is */
  struct value *values; /* of bytes of which some are inputs, in the execution */
  bool peer, stays;     /* of a peer, who stays connected behind it */
  uint64_t *ends;       /* where its packets end */
  size_t end_count;
};

extern const struct builtin_entry builtins_files[];

/* Adds a file; bytes: NULL if they are inputs. False: no memory. */
bool machine_file(struct machine *m, const char *name, const uint8_t *bytes, uint64_t size);
/* Adds a packet to what the last peer sends, or a peer that sends nothing yet, who stays connected.
 */
bool machine_packet(struct machine *m, const uint8_t *bytes, uint64_t size);
bool machine_peer(struct machine *m, bool stays);
/* Adds a file of the system. 1: it was; 0: it cannot be read; -1: no memory. */
int machine_read_file(struct machine *m, const char *name, const char *path);
/* Makes the inputs that bytes of files are, which the first thread asks for. False: no memory, or
 * one was given that is none; that is in status. */
bool machine_make_inputs(struct machine *m, struct thread *t);
void machine_files_free(struct machine *m);

/* The text that an argument points to; a text in memory. False: the thread stands. */
bool files_text(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                char *text, size_t size);
bool files_write_text(struct machine *m, struct thread *t, int64_t to, const char *text);
/* The file whose number is the first argument; NULL: the thread stands. */
const struct source *files_source(struct machine *m, struct thread *t, const struct arguments *a);
/* The number of a file of that name, which was given or read before; UINT64_MAX: none was. */
uint64_t files_find(const struct machine *m, const char *name);

#endif
