/* OpenMP: openmp CASE [wrong]. */
#include <assert.h>
#include <string.h>

static int wrong, sum;

/* Wrong: a step of its own for reading, and one for writing. */
static void critical(void) {
#pragma omp parallel num_threads(2)
  {
    int seen = 0;
    if (wrong) {
#pragma omp critical
      seen = sum;
    }
#pragma omp critical
    sum = (wrong ? seen : sum) + 1;
  }
  assert(sum == 2);
}

static void loop(void) {
#pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 3; i++) {
    int seen = 0;
    if (wrong) {
#pragma omp atomic capture
      seen = sum += 0;
#pragma omp atomic write
      sum = seen + i;
    } else {
#pragma omp atomic
      sum += i;
    }
  }
  assert(sum == 3);
}

static int total(void) {
  int seen;
#pragma omp atomic capture
  seen = sum += 0;
  return seen;
}

/* Wrong: the task is not waited for; the end of the region does that. */
static void tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp master
  {
#pragma omp task
    {
#pragma omp atomic
      sum += 1;
    }
    if (wrong) assert(total() == 1);
  }
  assert(total() == 1);
}

int main(int argc, char **argv) {
  wrong = argc > 2;
  if (strcmp(argv[1], "critical") == 0) critical();
  if (strcmp(argv[1], "for") == 0) loop();
  if (strcmp(argv[1], "tasks") == 0) tasks();
}
