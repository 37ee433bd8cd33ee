/* Files: their bytes, and what is known of them. */
#ifndef TREE_H
#define TREE_H

#include "library.h"

#include <sys/types.h>

struct node {
  int64_t source; /* a file of unfold-sym; -1: the bytes are here */
  unsigned char *bytes;
  size_t size, allocated;
  bool directory;
  unsigned mode, links, number;
  int64_t modified; /* in nanoseconds of the clock */
  int lock[14];     /* a pthread_rwlock_t: readers do not depend on each other */
};

/* The node of a path; made, emptied as flags of open() say; NULL with errno. */
struct node *__env_open_node(const char *path, int flags, unsigned mode);
ssize_t __env_node_read(struct node *node, void *to, size_t size, off_t offset);
ssize_t __env_node_write(struct node *node, const void *from, size_t size, off_t offset,
                         bool appends, off_t *end);
off_t __env_node_size(struct node *node);
int __env_node_truncate(struct node *node, off_t size);

#endif
