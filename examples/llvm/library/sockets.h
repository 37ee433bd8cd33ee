/* Sockets that listen, as they are closed and waited for. */
#ifndef SOCKETS_H
#define SOCKETS_H

struct gate;
struct listener;
struct open_file;

void __env_listener_close(struct listener *l, const struct open_file *file);
struct gate *__env_listener_gate(struct listener *l);

#endif
