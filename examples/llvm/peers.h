/* What peers of the program send. */
#ifndef LLVM_PEERS_H
#define LLVM_PEERS_H

#include "sym.h"

/* Bytes of one source that can be inputs, at most. */
enum { SYM_BYTES_MOST = 1 << 20 };
/* The next number of a text, up to a comma or the end, and the text behind it. */
bool sym_read_size(const char **text, uint64_t *size);
/* Reads --symbolic-packet and --peer; an exit status. */
int sym_read_peers(struct sym *s);

#endif
