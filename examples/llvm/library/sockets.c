/*
 * Sockets of streams. A connection is two channels (channels.c). Whoever listens first has the
 * peers of the command line waiting, in order; what they send is there at once, and what is sent to
 * them is dropped. Threads of the program can connect to each other, too, by address.
 */
#define _GNU_SOURCE
#undef __OPTIMIZE__ /* htons() and the like are functions, too */
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "channels.h"
#include "descriptors.h"
#include "polls.h"

enum { FIRST_PORT = 32768, NAME_SIZE = 108 };

struct connection {
  struct channel *in, *out; /* of who accepts; out: NULL for a peer */
  struct connection *next;
};

struct listener {
  struct gate gate;
  struct connection *first, *last; /* that nobody accepted yet */
  int family, port;
  char name[NAME_SIZE]; /* of a local one */
  bool closed;
  struct listener *next; /* protected by the lock of the table */
};
static struct listener *listeners;
static int64_t next_peer;
static int next_port = FIRST_PORT;

/* ---- making ---- */

static struct channel *stream(void) {
  struct channel *c = __env_channel();
  c->socket = true;
  return c;
}

static struct open_file *connected(struct channel *in, struct channel *out, int flags, int family) {
  struct open_file *f = __env_new(OPEN_CHANNEL, (flags & SOCK_NONBLOCK) | O_RDWR);
  f->reads = f->writes = true;
  f->in = in;
  f->out = out;
  f->family = family;
  return f;
}

/* The next peer of the command line, from whom bytes come; NULL: there is no other one. */
static struct channel *peer(void) {
  const int64_t bytes = __unfold_peer(next_peer);
  if (bytes < 0) return NULL;
  next_peer++;
  struct channel *c = stream();
  c->peer = bytes;
  c->writers = __unfold_peer_stays(bytes) ? 1 : 0;
  c->gate.outside = true;
  __env_enter(&c->gate);
  __env_channel_leave(c);
  return c;
}

static bool is_supported(int family, int type) {
  if (family != AF_INET && family != AF_UNIX && family != AF_INET6) return false;
  if ((type & 0xf) != SOCK_STREAM) __unfold_unsupported("a socket that is no stream");
  return true;
}

int socket(int family, int type, int protocol) {
  (void)protocol;
  if (!is_supported(family, type) || family == AF_INET6) return __env_fail(EAFNOSUPPORT);
  struct open_file *f = __env_new(OPEN_SOCKET, (type & SOCK_NONBLOCK) | O_RDWR);
  f->family = family;
  return __env_number(f, (type & SOCK_CLOEXEC) != 0);
}

int socketpair(int family, int type, int protocol, int ends[2]) {
  (void)protocol;
  if (!is_supported(family, type) || family != AF_UNIX) return __env_fail(EOPNOTSUPP);
  struct channel *one = stream(), *other = stream();
  ends[0] = __env_number(connected(one, other, type, family), (type & SOCK_CLOEXEC) != 0);
  ends[1] = ends[0] >= 0
                ? __env_number(connected(other, one, type, family), (type & SOCK_CLOEXEC) != 0)
                : -1;
  return ends[1] >= 0 ? 0 : -1;
}

/* ---- addresses ---- */

/* Of a socket that is not connected; NULL with errno. */
static struct open_file *socket_of(int number, enum open_kind kind) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return NULL;
  if (f->kind != kind) __env_fail(f->kind >= OPEN_CHANNEL ? EINVAL : ENOTSOCK);
  return f->kind == kind ? f : NULL;
}

static int port_of(const struct sockaddr *address) {
  return address->sa_family == AF_INET ? ntohs(((const struct sockaddr_in *)address)->sin_port) : 0;
}

static const char *name_of(const struct sockaddr *address) {
  return address->sa_family == AF_UNIX ? ((const struct sockaddr_un *)address)->sun_path : "";
}

/* Somebody who listens there, or is bound to it; inside the lock of the table. */
static struct listener *find_listener(int family, int port, const char *name) {
  struct listener *l = listeners;
  while (l != NULL && (l->closed || l->family != family || l->port != port ||
                       strncmp(l->name, name, NAME_SIZE) != 0))
    l = l->next;
  return l;
}

int bind(int number, const struct sockaddr *address, socklen_t size) {
  (void)size;
  struct open_file *f = socket_of(number, OPEN_SOCKET);
  if (f == NULL) return -1;
  struct listener *l = __unfold_allocate(sizeof *l);
  *l = (struct listener){.gate = {.state = GATE_EMPTY}, .family = f->family};
  strncpy(l->name, name_of(address), NAME_SIZE - 1);
  __env_table_lock();
  l->port = port_of(address);
  if (l->port == 0 && f->family == AF_INET) l->port = next_port++;
  const bool taken = find_listener(l->family, l->port, l->name) != NULL;
  if (!taken) {
    l->next = listeners;
    listeners = l;
    f->listener = l;
    f->port = l->port;
  }
  __env_table_unlock();
  return taken ? __env_fail(EADDRINUSE) : 0;
}

static void enqueue(struct listener *l, struct channel *in, struct channel *out) {
  struct connection *c = __unfold_allocate(sizeof *c);
  *c = (struct connection){in, out, NULL};
  if (l->first == NULL)
    l->first = c;
  else
    l->last->next = c;
  l->last = c;
  l->gate.readable = true;
}

int listen(int number, int most) {
  (void)most;
  struct open_file *f = __env_file(number);
  if (f != NULL && f->kind == OPEN_LISTENER) return 0;
  f = socket_of(number, OPEN_SOCKET);
  if (f == NULL) return -1;
  if (f->listener == NULL) return __env_fail(EDESTADDRREQ);
  struct listener *l = f->listener;
  __env_table_lock();
  f->kind = OPEN_LISTENER;
  __env_enter(&l->gate);
  l->gate.outside = f->family == AF_INET;
  for (struct channel *in = l->gate.outside ? peer() : NULL; in != NULL; in = peer())
    enqueue(l, in, NULL);
  __env_leave(&l->gate);
  __env_table_unlock();
  return 0;
}

struct gate *__env_listener_gate(struct listener *l) {
  return &l->gate;
}

void __env_listener_close(struct listener *l, const struct open_file *file) {
  __env_table_lock();
  l->closed = true;
  __env_table_unlock();
  __env_enter(&l->gate);
  __env_drop(&l->gate, file);
  __env_leave(&l->gate);
}

/* ---- connections ---- */

static void put_address(struct sockaddr *to, socklen_t *size, int family, int port) {
  if (to == NULL) return;
  struct sockaddr_in inet = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  const socklen_t all = family == AF_INET ? sizeof inet : offsetof(struct sockaddr_un, sun_path);
  memcpy(to, family == AF_INET ? (const void *)&inet : &local, all < *size ? all : *size);
  *size = all;
}

int accept4(int number, struct sockaddr *address, socklen_t *size, int flags) {
  struct open_file *f = socket_of(number, OPEN_LISTENER);
  if (f == NULL) return -1;
  struct listener *l = f->listener;
  if (__env_blocks(f))
    __env_await(&l->gate);
  else
    __env_enter(&l->gate);
  struct connection *c = l->first;
  if (c != NULL) l->first = c->next;
  l->gate.readable = l->first != NULL;
  __env_leave(&l->gate);
  if (c == NULL) return __env_fail(EAGAIN);
  put_address(address, size, l->family, FIRST_PORT - 1);
  return __env_number(connected(c->in, c->out, flags, l->family), (flags & SOCK_CLOEXEC) != 0);
}

int accept(int number, struct sockaddr *address, socklen_t *size) {
  return accept4(number, address, size, 0);
}

int connect(int number, const struct sockaddr *address, socklen_t size) {
  (void)size;
  struct open_file *f = __env_file(number);
  if (f != NULL && f->kind == OPEN_CHANNEL) return __env_fail(EISCONN);
  f = socket_of(number, OPEN_SOCKET);
  if (f == NULL) return -1;
  __env_table_lock();
  struct listener *l = find_listener(f->family, port_of(address), name_of(address));
  struct channel *in = l == NULL && f->family == AF_INET ? peer() : NULL, *out = NULL;
  __env_table_unlock();
  if (l != NULL) {
    in = stream();
    out = stream();
    __env_enter(&l->gate);
    if (l->closed) l = NULL;
    if (l != NULL) enqueue(l, out, in);
    if (l != NULL) __env_leave(&l->gate);
  }
  if (in == NULL || (out != NULL && l == NULL))
    return __env_fail(f->family == AF_UNIX ? ENOENT : ECONNREFUSED);
  f->in = in;
  f->out = out;
  f->reads = f->writes = true;
  f->kind = OPEN_CHANNEL;
  return 0;
}

int shutdown(int number, int how) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (f->kind != OPEN_CHANNEL) return __env_fail(ENOTCONN);
  if (how != SHUT_RD && f->out != NULL && f->writes) {
    __env_enter(&f->out->gate);
    f->out->writers--;
    __env_channel_leave(f->out);
    f->writes = false;
  }
  if (how != SHUT_WR && f->in != NULL && f->reads) {
    __env_enter(&f->in->gate);
    f->in->writers = 0; /* the end, for who reads here */
    __env_channel_leave(f->in);
  }
  return 0;
}

/* ---- messages ---- */

static bool blocks(const struct open_file *f, int flags) {
  return (flags & MSG_DONTWAIT) == 0 && __env_blocks(f);
}

ssize_t recv(int number, void *to, size_t size, int flags) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (f->kind != OPEN_CHANNEL || f->in == NULL) return __env_fail(ENOTCONN);
  if ((flags & ~(MSG_DONTWAIT | MSG_PEEK | MSG_NOSIGNAL)) != 0)
    __unfold_unsupported("recv with such flags");
  return __env_channel_read(f->in, to, (size_t)__unfold_known((int64_t)size), blocks(f, flags),
                            (flags & MSG_PEEK) != 0);
}

ssize_t recvfrom(int number, void *to, size_t size, int flags, struct sockaddr *address,
                 socklen_t *address_size) {
  put_address(address, address_size, AF_INET, FIRST_PORT - 1);
  return recv(number, to, size, flags);
}

ssize_t send(int number, const void *from, size_t size, int flags) {
  struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (f->kind != OPEN_CHANNEL) return __env_fail(ENOTCONN);
  if (!f->writes) return __env_broken((flags & MSG_NOSIGNAL) == 0);
  if (f->out == NULL) {
    __env_drop_bytes(from, size);
    return (ssize_t)size;
  }
  return __env_send(f->out, from, (size_t)__unfold_known((int64_t)size), blocks(f, flags),
                    (flags & MSG_NOSIGNAL) == 0);
}

ssize_t sendto(int number, const void *from, size_t size, int flags, const struct sockaddr *address,
               socklen_t address_size) {
  (void)address;
  (void)address_size;
  return send(number, from, size, flags);
}

ssize_t sendmsg(int number, const struct msghdr *message, int flags) {
  (void)flags;
  if (message->msg_controllen != 0) __unfold_unsupported("sendmsg with control data");
  return writev(number, message->msg_iov, (int)message->msg_iovlen);
}

ssize_t recvmsg(int number, struct msghdr *message, int flags) {
  (void)flags;
  message->msg_controllen = 0;
  message->msg_flags = 0;
  return readv(number, message->msg_iov, (int)message->msg_iovlen);
}

/* ---- options and names ---- */

int setsockopt(int number, int level, int option, const void *value, socklen_t size) {
  (void)level;
  (void)option;
  (void)value;
  (void)size;
  return __env_file(number) != NULL ? 0 : -1;
}

int getsockopt(int number, int level, int option, void *value, socklen_t *size) {
  const struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  memset(value, 0, *size);
  if (level == SOL_SOCKET && option == SO_TYPE) *(int *)value = SOCK_STREAM;
  if (level == SOL_SOCKET && (option == SO_SNDBUF || option == SO_RCVBUF)) *(int *)value = 65536;
  if (level == SOL_SOCKET && option == SO_ACCEPTCONN) *(int *)value = f->kind == OPEN_LISTENER;
  return 0;
}

int getsockname(int number, struct sockaddr *address, socklen_t *size) {
  const struct open_file *f = __env_file(number);
  if (f != NULL) put_address(address, size, f->family, f->port);
  return f != NULL ? 0 : -1;
}

int getpeername(int number, struct sockaddr *address, socklen_t *size) {
  const struct open_file *f = __env_file(number);
  if (f == NULL) return -1;
  if (f->kind != OPEN_CHANNEL) return __env_fail(ENOTCONN);
  put_address(address, size, f->family, FIRST_PORT - 1);
  return 0;
}

struct found {
  struct addrinfo info;
  struct sockaddr_in address;
};

/* Every name is this machine. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *wanted,
                struct addrinfo **to) {
  const int family = wanted != NULL ? wanted->ai_family : AF_UNSPEC;
  if (family != AF_UNSPEC && family != AF_INET) return EAI_FAMILY;
  struct found *f = calloc(1, sizeof *f);
  const bool passive = wanted != NULL && (wanted->ai_flags & AI_PASSIVE) != 0;
  f->address.sin_family = AF_INET;
  f->address.sin_port = htons((uint16_t)(service != NULL ? atoi(service) : 0));
  f->address.sin_addr.s_addr = htonl(name == NULL && passive ? INADDR_ANY : INADDR_LOOPBACK);
  f->info.ai_family = AF_INET;
  f->info.ai_socktype =
      wanted != NULL && wanted->ai_socktype != 0 ? wanted->ai_socktype : SOCK_STREAM;
  f->info.ai_protocol = wanted != NULL ? wanted->ai_protocol : 0;
  f->info.ai_addrlen = sizeof f->address;
  f->info.ai_addr = (struct sockaddr *)&f->address;
  *to = &f->info;
  return 0;
}

void freeaddrinfo(struct addrinfo *info) {
  free(info);
}

const char *gai_strerror(int error) {
  return error == EAI_FAMILY ? "ai_family not supported" : "another error";
}

/* ---- bytes in the order of the network ---- */

uint16_t htons(uint16_t x) {
  return (uint16_t)(x << 8 | x >> 8);
}
uint16_t ntohs(uint16_t x) {
  return htons(x);
}
uint32_t htonl(uint32_t x) {
  return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}
uint32_t ntohl(uint32_t x) {
  return htonl(x);
}

in_addr_t inet_addr(const char *text) {
  struct in_addr to;
  return inet_pton(AF_INET, text, &to) == 1 ? to.s_addr : INADDR_NONE;
}

int inet_pton(int family, const char *text, void *to) {
  unsigned parts[4] = {0};
  int part = 0, digits = 0;
  if (family != AF_INET) return family == AF_INET6 ? 0 : __env_fail(EAFNOSUPPORT);
  for (; *text != '\0'; text++) {
    if (*text == '.' && digits > 0 && part < 3) {
      part++;
      digits = 0;
    } else if (*text >= '0' && *text <= '9' && digits < 3) {
      parts[part] = 10 * parts[part] + (unsigned)(*text - '0');
      digits++;
    } else {
      return 0;
    }
  }
  if (part != 3 || digits == 0) return 0;
  for (int i = 0; i < 4; i++) {
    if (parts[i] > 255) return 0;
    ((unsigned char *)to)[i] = (unsigned char)parts[i];
  }
  return 1;
}

int inet_aton(const char *text, struct in_addr *to) {
  return inet_pton(AF_INET, text, to) == 1;
}

const char *inet_ntop(int family, const void *from, char *to, socklen_t size) {
  const unsigned char *b = from;
  if (family != AF_INET) {
    __env_fail(EAFNOSUPPORT);
    return NULL;
  }
  snprintf(to, size, "%d.%d.%d.%d", b[0], b[1], b[2], b[3]);
  return to;
}
