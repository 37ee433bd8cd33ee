/*
 * Letters between the explorers and the ledger of one exploration: numbers, and steps by names that
 * mean the same in every process. A letter has its own numbers for its steps, and for the threads
 * and objects that they name, and says in front what they are.
 */
#ifndef EXPLORATION_DISTRIBUTION_LETTER_H
#define EXPLORATION_DISTRIBUTION_LETTER_H

#include "base/bytes.h"
#include "structure/index.h"
#include "structure/unfolding.h"

enum letter_kind { LETTER_ITEM = 1, LETTER_REPORT, LETTER_LEDGER, LETTER_KINDS };

/* What a thread did, and what it was about to do before: what an event carries follows from both.
 * Of one node, steps with the same action are the same. */
struct named_step {
  uint32_t action, operation;
};

/* That of an event. */
struct named_step unfi_letter_step_of(unf_unfolding *u, uint32_t event);

/* A letter that is being written. All zero but `u` is an empty one. */
struct letter {
  unf_unfolding *u;
  VECTOR(uint32_t) threads, objects; /* by their numbers in the letter */
  VECTOR(struct named_step) steps;
  /* By handle, of steps by that of the action: that number, from 1; 0: none. */
  VECTOR(uint32_t) thread_numbers, object_numbers, step_numbers;
  VECTOR(uint8_t) body;    /* as bytes, since it can be long */
  VECTOR(uint8_t) written; /* the first steps, so many, as bytes */
  uint32_t written_steps;
  uint8_t *block; /* in which it is written */
};

/* Append to the body; false: refused, and the body is as it was. */
static inline bool letter_put(struct letter *letter, uint64_t number) {
  const uint64_t room = (uint64_t)letter->body.count + BYTES_LONGEST;
  if (!vector_reserve(letter->u->context, &letter->body, room)) return false;
  uint8_t *to = letter->body.data + letter->body.count;
  letter->body.count += (uint32_t)(bytes_at(to, number) - to);
  return true;
}
/* Gives a step a number, in place of the one that its action has with another operation. */
bool unfi_letter_number_step(struct letter *letter, struct named_step step);
static inline bool letter_put_step(struct letter *letter, struct named_step step) {
  uint32_t number =
      step.action < letter->step_numbers.capacity ? letter->step_numbers.data[step.action] : 0;
  bool known = number != 0 && letter->steps.data[number - 1].operation == step.operation;
  if (!known && !unfi_letter_number_step(letter, step)) return false;
  return letter_put(letter, letter->step_numbers.data[step.action]);
}
bool unfi_letter_put_event(struct letter *letter, uint32_t event);
/* In place of a step: there are no more. */
static inline bool letter_put_end(struct letter *letter) {
  return letter_put(letter, 0);
}
/* Writes the letter down. It stays as it is. */
unf_status unfi_letter_send(struct letter *letter, enum letter_kind kind, unf_write write,
                            void *user);
/* For the next letter. Names stay, as long as they are few: then most letters have the same ones,
 * so that they are written, and understood, once. */
void unfi_letter_empty(struct letter *letter);
/* Has no name stay: the letter will not depend on those before it. */
void unfi_letter_forget(struct letter *letter);
void unfi_letter_free(struct letter *letter);

/* What a letter names, by its numbers. */
struct letter_names {
  VECTOR(uint32_t) threads, objects;
  VECTOR(struct named_step) steps;
  VECTOR(uint8_t) bytes; /* that all these come of; none: that is not known */
};

/* A letter that is being read. All zero is an empty one; one that was opened can be opened again,
 * for the next letter. */
struct letter_in {
  unf_unfolding *u;
  struct bytes_in in;
  struct letter_names now;
  VECTOR(struct letter_names) kept; /* of other letters */
  uint32_t keeps, next;             /* so many, at most; which of them goes first */
  VECTOR(uint32_t) set;             /* scratch */
};

/* Names all that the letter names. Whatever comes of it, it is to be closed in the end. */
unf_status unfi_letter_open(struct letter_in *letter, unf_unfolding *u, enum letter_kind kind,
                            unf_read read, void *user);
/* Reads a step, which is interned; false: there are no more, or the status says why not. */
static inline bool letter_step(struct letter_in *letter, struct named_step *step) {
  uint32_t number =
      unfi_bytes_get_below(&letter->in, (uint64_t)letter->now.steps.count + 1, "number of a step");
  if (number == 0) return false;
  *step = letter->now.steps.data[number - 1];
  return true;
}
/* Reads the end of the letter. */
unf_status unfi_letter_finish(struct letter_in *letter);
void unfi_letter_close(struct letter_in *letter);

#endif
