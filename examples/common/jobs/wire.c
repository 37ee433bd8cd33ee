/* Frames: a head of fixed size, and what is behind it. Both ends are one program. */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { READ_AT_ONCE = 65536 };

double wire_report_seconds(unsigned workers) {
  const double share = 0.002, most = 0.05; /* of one worker nobody waits for anything */
  return workers > 1 && workers * share < most ? workers * share : most;
}

void wire_counts_add(struct wire_counts *counts, const unf_counts *more) {
#define WIRE_ADD(field) counts->field += more->field;
  WIRE_COUNTS(WIRE_ADD)
#undef WIRE_ADD
}

bool wire_reserve(struct wire *wire, size_t more) {
  if (wire->room - wire->size >= more) return true;
  const size_t room = 2 * wire->room + more;
  char *bigger = realloc(wire->data, room);
  if (bigger == NULL) return false;
  wire->data = bigger;
  wire->room = room;
  return true;
}

bool wire_append(void *user, const char *bytes, size_t size) {
  struct wire *wire = user;
  if (!wire_reserve(wire, size)) return false;
  if (size > 0) memcpy(wire->data + wire->size, bytes, size);
  wire->size += size;
  return true;
}

bool wire_begin(struct wire *wire, size_t *frame) {
  static const struct wire_head none;
  *frame = wire->size;
  return wire_append(wire, (const char *)&none, sizeof none);
}

void wire_finish(struct wire *wire, size_t frame, struct wire_head head) {
  head.size = (uint32_t)(wire->size - frame - sizeof head) - head.more;
  memcpy(wire->data + frame, &head, sizeof head);
}

bool wire_next(struct wire *wire, struct wire_head *head, char **bytes) {
  const size_t left = wire->size - wire->at;
  if (left < sizeof *head) return false;
  memcpy(head, wire->data + wire->at, sizeof *head);
  const size_t behind = (size_t)head->size + head->more;
  if (left - sizeof *head < behind) return false;
  *bytes = wire->data + wire->at + sizeof *head;
  wire->at += sizeof *head + behind;
  return true;
}

bool wire_tidy(struct wire *wire, size_t room) {
  if (wire->at > 0) {
    memmove(wire->data, wire->data + wire->at, wire->size - wire->at);
    wire->size -= wire->at;
    wire->at = 0;
  }
  return wire_reserve(wire, room);
}

long wire_read(struct wire *wire, int socket) {
  ssize_t got;
  if (!wire_tidy(wire, READ_AT_ONCE)) return -1;
  do
    got = recv(socket, wire->data + wire->size, wire->room - wire->size, 0);
  while (got < 0 && errno == EINTR);
  if (got > 0) wire->size += (size_t)got;
  return got;
}

bool wire_write(struct wire *wire, int socket) {
  while (wire->at < wire->size) {
    ssize_t sent = send(socket, wire->data + wire->at, wire->size - wire->at, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) wire->at += (size_t)sent;
  }
  wire->size = wire->at = 0;
  return true;
}

void wire_free(struct wire *wire) {
  free(wire->data);
  memset(wire, 0, sizeof *wire);
}

bool wire_take(void *user, void *to, size_t size, size_t *got) {
  struct wire_bytes *bytes = user;
  const size_t left = bytes->size - bytes->at;
  *got = size < left ? size : left;
  if (*got > 0) memcpy(to, bytes->data + bytes->at, *got);
  bytes->at += *got;
  return true;
}
