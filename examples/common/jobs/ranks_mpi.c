/* The module with MPI. Whatever is sent is so without waiting, as a send that waits spins. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

struct sent {
  struct sent *next;
  MPI_Request request;
  char bytes[];
};

static struct sent *under_way;

static void go_on(void) {
  for (struct sent **at = &under_way; *at != NULL;) {
    struct sent *message = *at;
    int done = 0;
    MPI_Test(&message->request, &done, MPI_STATUS_IGNORE);
    if (!done) {
      at = &message->next;
      continue;
    }
    *at = message->next;
    free(message);
  }
}

static bool begin(int *rank, int *count) {
  int begun = 0;
  if (MPI_Initialized(&begun) != MPI_SUCCESS) return false;
  if (!begun && MPI_Init(NULL, NULL) != MPI_SUCCESS) return false;
  return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
         MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS;
}

static void end(void) {
  while (under_way != NULL)
    go_on();
  MPI_Finalize();
}

static void abort_all(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  _Exit(status); /* it should not come back */
}

static bool send_bytes(int rank, int tag, const char *bytes, size_t size) {
  struct sent *message = malloc(sizeof *message + size + 1);
  if (message == NULL) return false;
  if (size > 0) memcpy(message->bytes, bytes, size);
  MPI_Isend(message->bytes, (int)size, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &message->request);
  message->next = under_way;
  under_way = message;
  return true;
}

static bool take(int *rank, int *tag, struct wire *to, bool *good) {
  MPI_Status status;
  int there = 0, size = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (!there) return false;
  MPI_Get_count(&status, MPI_BYTE, &size);
  *good = wire_reserve(to, (size_t)size + 1);
  if (!*good) return false;
  *rank = status.MPI_SOURCE;
  *tag = status.MPI_TAG;
  MPI_Recv(to->data + to->size, size, MPI_BYTE, *rank, *tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  to->size += (size_t)size;
  return true;
}

extern const struct ranks_module unfold_ranks;
const struct ranks_module unfold_ranks = {begin, end, abort_all, send_bytes, take, go_on};
