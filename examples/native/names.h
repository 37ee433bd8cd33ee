/*
 * How the key of an object is composed. In the data of a module, or in memory from before main, it
 * is the number of the module in the upper half, and the place there. One that a thread made has
 * NAMED_KINDS times a number that the thread decides, and which kind of number that is. Above that,
 * where there is more than one: the round of a barrier, which bytes of a word an atomic object has,
 * and how often the object was made anew.
 */
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

/* Where the number of a round and that of a renewal stand in a key. */
enum { ROUND_BIT = 38, RENEWED_BIT = 48, RENEWED_BIT_ROUND = 58 };
/* Which bytes of a word an atomic object has, where others have some of them too. */
enum { FIRST_BIT = 41, SIZE_BIT = 44 };
/* In place of a size: the place of an object whose initialisation is an operation. */
enum { SIZE_OF_PLACE = 15 };
/* The semaphore of the threads that join one. */
enum { KEY_OF_JOINS = NAMED_KINDS + NAMED_END };

#endif
