/* Programs that need something of the system for themselves: PROGRAM WHAT.
 *   port   two threads listen at a port and connect to it, in turn under a lock
 *   file   two threads make a file that must not be there, and remove it, in turn
 * The exit status is 1 when somebody else has it. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 47113, TURNS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool failed;

static bool use_port(void) {
  const int one = 1, server = socket(AF_INET, SOCK_STREAM, 0),
            client = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  bool good = bind(server, (struct sockaddr *)&address, sizeof address) == 0 &&
              listen(server, 1) == 0 &&
              connect(client, (struct sockaddr *)&address, sizeof address) == 0;
  close(client);
  close(server);
  return good;
}

static bool use_file(void) {
  const int file = open("only-one", O_CREAT | O_EXCL | O_WRONLY, 0600);
  const bool good = file >= 0 && write(file, "x", 1) == 1;
  if (file >= 0) close(file);
  return good && unlink("only-one") == 0;
}

static bool (*use)(void);

static void *work(void *unused) {
  for (int i = 0; i < TURNS; i++) {
    pthread_mutex_lock(&lock);
    failed |= !use();
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[3];
  use = argc > 1 && strcmp(argv[1], "port") == 0 ? use_port : use_file;
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  return failed;
}
