/* The block in a file from which an exploration goes on. */
#ifndef NATIVE_CONTROL_SAVED_H
#define NATIVE_CONTROL_SAVED_H

enum { SAVED_HEAD_ROOM = 4 << 20 };

/* A part of the block, from one field up to another. */
struct saved_part {
  char *from, *to;
};

/* The parts of the block that a file has which is saved: what the next exploration has to know, and
 * what was found. */
#define SAVED_PARTS(control)                                                                       \
  {                                                                                                \
    {(char *)&(control)->range_count, (char *)&(control)->carried},                                \
        {(char *)&(control)->outcome, (char *)&(control)->steps},                                  \
  }
enum { SAVED_PIECE = 4096 };
#define SAVED_BLOCK "unfold-block 1\n"

#endif
