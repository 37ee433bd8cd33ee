/*
 * Peers, who connect to a socket on which the program listens: --symbolic-packet N,… is one that
 * sends packets of so many inputs and closes; --peer FILE has what peers do, line by line:
 *
 *   peer         another one begins (the first needs no such line)
 *   input N      sends a packet of N inputs
 *   send TEXT    sends a packet; in it \n, \r, \t, \\ and \xHH are what they are in C
 *   close        closes; who does not stays connected, and is silent
 *
 * Lines that are empty or begin with # are left out.
 */
#include "peers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "machine.h"
#include "options.h"
#include "sym.h"
#include "text.h"

struct script {
  struct sym *s;
  const char *file;
  unsigned line;
  bool begun; /* there is a peer, to whom the next line belongs */
};

static int wrong(const struct script *script, const char *what) {
  cli_say(stderr, "unfold-sym: --peer %s, line %u: %s", script->file, script->line, what);
  return CLI_USAGE;
}

static int no_memory(void) {
  cli_say(stderr, "unfold-sym: no memory for what peers send");
  return CLI_STOPPED;
}

static int begin_peer(struct script *script) {
  script->begun = true;
  return machine_peer(&script->s->machine, true) ? CLI_CLEAN : no_memory();
}

static int add_packet(struct script *script, const char *bytes, size_t size) {
  const int status = script->begun ? CLI_CLEAN : begin_peer(script);
  if (status != CLI_CLEAN) return status;
  return machine_packet(&script->s->machine, (const uint8_t *)bytes, size) ? CLI_CLEAN
                                                                           : no_memory();
}

/* What follows a backslash at *text, which is moved behind it; below 0: nothing that is known. */
static int escaped(const char **text) {
  const char c = *(*text)++;
  char digits[3] = "", *end;
  switch (c) {
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  case '\\':
    return '\\';
  case 'x':
    if (!isxdigit((unsigned char)(*text)[0]) || !isxdigit((unsigned char)(*text)[1])) return -1;
    memcpy(digits, *text, 2);
    *text += 2;
    return (int)strtol(digits, &end, 16);
  default:
    return -1;
  }
}

static int send_text(struct script *script, const char *text) {
  char *bytes = malloc(strlen(text) + 1);
  size_t size = 0;
  int status = bytes != NULL ? CLI_CLEAN : no_memory();
  while (status == CLI_CLEAN && *text != '\0') {
    int byte = (unsigned char)*text++;
    if (byte == '\\') byte = escaped(&text);
    if (byte < 0)
      status = wrong(script, "a backslash before what it does not go with");
    else
      bytes[size++] = (char)byte;
  }
  if (status == CLI_CLEAN && size == 0) status = wrong(script, "there is no text to send");
  if (status == CLI_CLEAN) status = add_packet(script, bytes, size);
  free(bytes);
  return status;
}

static int send_inputs(struct script *script, const char *text) {
  uint64_t size;
  if (!sym_read_size(&text, &size) || *text != '\0' || size == 0)
    return wrong(script, "the number of inputs is not one from 1 to 1048576");
  return add_packet(script, NULL, (size_t)size);
}

static int read_line(struct script *script, char *line) {
  line[strcspn(line, "\n")] = '\0';
  if (line[0] == '\0' || line[0] == '#') return CLI_CLEAN;
  char *behind = strchr(line, ' ');
  if (behind != NULL) *behind++ = '\0';
  if (strcmp(line, "send") == 0 && behind != NULL) return send_text(script, behind);
  if (strcmp(line, "input") == 0 && behind != NULL) return send_inputs(script, behind);
  if (strcmp(line, "peer") == 0 && behind == NULL) return begin_peer(script);
  if (strcmp(line, "close") != 0 || behind != NULL)
    return wrong(script, "not peer, send TEXT, input N or close");
  const int status = script->begun ? CLI_CLEAN : begin_peer(script);
  struct machine *m = &script->s->machine;
  if (status == CLI_CLEAN) m->files[m->file_count - 1].stays = false;
  script->begun = false;
  return status;
}

static int read_script(struct sym *s, const char *file) {
  struct script script = {s, file, 0, false};
  FILE *from = fopen(file, "r");
  char *line = NULL;
  size_t room = 0;
  int status = CLI_CLEAN;
  if (from == NULL) {
    cli_say(stderr, "unfold-sym: --peer %s: cannot be read", file);
    return CLI_USAGE;
  }
  while (status == CLI_CLEAN && getline(&line, &room, from) >= 0) {
    script.line++;
    status = read_line(&script, line);
  }
  free(line);
  fclose(from);
  return status;
}

/* --symbolic-packet N,…: one who closes behind them. */
static int read_packets(struct sym *s, const char *text) {
  struct script script = {s, "", 0, true};
  uint64_t size;
  if (!machine_peer(&s->machine, false)) return no_memory();
  while (*text != '\0') {
    if (!sym_read_size(&text, &size) || size == 0) {
      cli_say(stderr, "unfold-sym: --symbolic-packet %s: not as it should be",
              s->options.symbolic_packet);
      return CLI_USAGE;
    }
    const int status = add_packet(&script, NULL, (size_t)size);
    if (status != CLI_CLEAN) return status;
  }
  return CLI_CLEAN;
}

bool sym_read_size(const char **text, uint64_t *size) {
  char *end;
  const bool digit = **text >= '0' && **text <= '9';
  *size = strtoull(*text, &end, 10);
  const bool ends = *end == '\0' || (*end == ',' && end[1] != '\0');
  if (!digit || *size > SYM_BYTES_MOST || !ends) return false;
  *text = *end == ',' ? end + 1 : end;
  return true;
}

int sym_read_peers(struct sym *s) {
  const struct cli_options *o = &s->options;
  int status = o->symbolic_packet != NULL ? read_packets(s, o->symbolic_packet) : CLI_CLEAN;
  if (status == CLI_CLEAN && o->peer != NULL) status = read_script(s, o->peer);
  return status;
}
