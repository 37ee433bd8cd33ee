/* How the key of an object that a thread made is composed: NAMED_KINDS times a number that the
 * thread decides, and which kind of number that is. An object in the data of a module has no such
 * thread; its key is the number of the module, in the upper half, and its place there. */
#ifndef NATIVE_NAMES_H
#define NATIVE_NAMES_H

enum {
  NAMED_INITIALISED, /* how many objects the thread initialised before */
  NAMED_FIRST_USE,   /* how many it was the first to use */
  NAMED_STACK,       /* how far it is from the beginning of the thread's stack */
  NAMED_END,
  NAMED_SIGNALS,
  NAMED_HEAP, /* where it is in the thread's heap */
  NAMED_KINDS
};

#endif
