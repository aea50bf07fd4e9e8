/* Requests to the live server (libmicrohttpd, a thread per connection) and their answers.
 *
 * Pages of other sites get nothing: names in `Host` other than ours are refused (a name that an attacker's DNS points
 * to this machine would otherwise be our own origin to a browser), there are no CORS headers, and commands must be
 * `application/json`, which browsers do not send across origins without asking first. */
#include "live.h"
#include "run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  CONNECTIONS = 128,       /* at a time */
  IDLE_SECONDS = 15,       /* without a byte */
  BODY_MOST = 16384,       /* bytes of a command */
  BODY_DISCARDED = 1 << 20 /* bytes of one that is too long, read so that its sender reads our answer */
};
static const double request_seconds = 30, answer_seconds = 90;

/* A connection, for the sweep. */
typedef struct line {
  struct line *next, *before;
  int socket;
  double since;   /* it began to send, or we to answer */
  bool answering; /* else: a request is awaited */
} line;

struct live_http {
  live_sim *sim;
  struct MHD_Daemon *daemon;
  const char *host; /* NULL: this machine */
  bool anywhere;    /* listens on all addresses */
  view_bytes page;
  pthread_mutex_t lock;
  line *lines;
};

/* A request while its body arrives. */
typedef struct request {
  size_t size, discarded;
  bool too_long;
  char body[BODY_MOST];
} request;

/* ---- Answers ---- */

static enum MHD_Result answer_with(struct MHD_Connection *c, unsigned status, const char *type, void *data, size_t size,
                                   enum MHD_ResponseMemoryMode mode, const char *allow)
{
  struct MHD_Response *r = MHD_create_response_from_buffer(size, data, mode);
  if (!r) {
    if (mode == MHD_RESPMEM_MUST_FREE) free(data);
    return MHD_NO;
  }
  if (type) MHD_add_response_header(r, "Content-Type", type);
  MHD_add_response_header(r, "Cache-Control", "no-store");
  MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(r, "Content-Security-Policy", "frame-ancestors 'none'");
  if (allow) MHD_add_response_header(r, "Allow", allow);
  enum MHD_Result sent = MHD_queue_response(c, status, r);
  MHD_destroy_response(r);
  return sent;
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type, void *data, size_t size,
                              enum MHD_ResponseMemoryMode mode)
{
  return answer_with(c, status, type, data, size, mode, NULL);
}

/* Takes the reference; NULL: no memory. */
static enum MHD_Result answer_json(struct MHD_Connection *c, unsigned status, json_t *o)
{
  char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
  json_decref(o);
  if (!text) return MHD_NO;
  return answer(c, status, "application/json", text, strlen(text), MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *message)
{
  return answer_json(c, status, json_pack("{s:o}", "error", tool_json_text(message)));
}

/* ---- Who asks ---- */

static bool is_address(const char *name)
{
  unsigned char bytes[16];
  return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

/* "localhost:8420", "[::1]": the name without brackets and port is one of ours. */
static bool host_is_ours(const live_http *http, const char *header)
{
  char name[256];
  bool bracket = header[0] == '[';
  const char *from = header + bracket;
  size_t length = strcspn(from, bracket ? "]" : ":");
  if (length == 0 || length >= sizeof name) return false;
  memcpy(name, from, length), name[length] = 0;
  const char *rest = from + length + (bracket && from[length] == ']');
  if (*rest && (*rest != ':' || strspn(rest + 1, "0123456789") != strlen(rest + 1))) return false;
  if (!strcasecmp(name, "localhost") || !strcmp(name, "127.0.0.1") || !strcmp(name, "::1")) return true;
  return http->host && (!strcasecmp(name, http->host) || (http->anywhere && is_address(name)));
}

/* A browser says where a page that sends a command came from: it must be the place that it sends to. */
static bool origin_is_ours(const char *origin, const char *host)
{
  return !strncmp(origin, "http://", 7) && !strcasecmp(origin + 7, host);
}

static bool is_json(const char *type)
{
  size_t length = type ? strcspn(type, "; \t") : 0;
  return length == strlen("application/json") && !strncasecmp(type, "application/json", length);
}

static const char *header_of(struct MHD_Connection *c, const char *name)
{
  return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* ---- The requests ---- */

/* A whole number in the query, `value` as it is when not given. */
static bool read_count(struct MHD_Connection *c, const char *name, uint32_t most, uint32_t *value, char *message)
{
  const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
  if (!text) return true;
  char *end = NULL;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && number <= most) {
    *value = (uint32_t)number;
    return true;
  }
  snprintf(message, LIVE_MESSAGE, "%s: expected a whole number from 0 to %lu", name, (unsigned long)most);
  return false;
}

/* Whether the other side still listens: an end of its stream is seen without reading. */
static bool is_alive(void *context)
{
  char byte;
  int socket = *(int *)context;
  ssize_t got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

static enum MHD_Result send_frame(live_http *http, struct MHD_Connection *c)
{
  uint32_t after = 0, wait = 0;
  char message[LIVE_MESSAGE];
  if (!read_count(c, "after", UINT32_MAX, &after, message) || !read_count(c, "wait", 30000, &wait, message))
    return refuse(c, MHD_HTTP_BAD_REQUEST, message);
  view_bytes frame = {0};
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
  int socket = info ? info->connect_fd : -1;
  if (!live_sim_frame(http->sim, after, run_clock() + 1e-3 * wait, is_alive, &socket, &frame)) {
    view_bytes_free(&frame);
    return answer(c, MHD_HTTP_NO_CONTENT, NULL, "", 0, MHD_RESPMEM_PERSISTENT);
  }
  return answer(c, MHD_HTTP_OK, "application/octet-stream", frame.data, frame.size, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result command(live_http *http, struct MHD_Connection *c, const request *r)
{
  live_command what;
  char message[LIVE_MESSAGE];
  if (r->too_long) return refuse(c, MHD_HTTP_CONTENT_TOO_LARGE, "a command has at most 16384 bytes");
  if (!live_command_read(r->body, r->size, &what, message) || !live_sim_command(http->sim, &what, message))
    return refuse(c, MHD_HTTP_BAD_REQUEST, message);
  return answer_json(c, MHD_HTTP_OK, live_sim_state(http->sim));
}

static enum MHD_Result get(live_http *http, struct MHD_Connection *c, const char *path)
{
  if (!strcmp(path, "/api/frame")) return send_frame(http, c);
  if (!strcmp(path, "/api/scene")) return answer_json(c, MHD_HTTP_OK, live_sim_head(http->sim));
  if (!strcmp(path, "/api/state")) return answer_json(c, MHD_HTTP_OK, live_sim_state(http->sim));
  return answer(c, MHD_HTTP_OK, "text/html; charset=utf-8", http->page.data, http->page.size, MHD_RESPMEM_PERSISTENT);
}

/* What can be said before the body has come; 0: nothing against it. */
static unsigned objection(const live_http *http, struct MHD_Connection *c, const char *path, const char *method,
                          const char **why)
{
  static const char *const pages[] = {"/", "/api/frame", "/api/scene", "/api/state"};
  const char *host = header_of(c, "Host"), *origin = header_of(c, "Origin"), *length = header_of(c, "Content-Length");
  bool page = false, commands = !strcmp(path, "/api/command"), post = !strcmp(method, "POST");
  for (size_t k = 0; k < sizeof pages / sizeof pages[0]; k++) page = page || !strcmp(path, pages[k]);
  *why = "Host: expected localhost, or the name that the server was given";
  if (!host || !host_is_ours(http, host)) return MHD_HTTP_FORBIDDEN;
  *why = "no such page";
  if (!page && !commands) return MHD_HTTP_NOT_FOUND;
  if (page ? strcmp(method, "GET") && strcmp(method, "HEAD") : !post) return MHD_HTTP_METHOD_NOT_ALLOWED;
  if (!commands) return 0;
  *why = "Origin: commands come from the page of this server only";
  if (origin && !origin_is_ours(origin, host)) return MHD_HTTP_FORBIDDEN;
  *why = "Content-Type: expected application/json";
  if (!is_json(header_of(c, "Content-Type"))) return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
  *why = "a command has at most 16384 bytes";
  if (length && strtoull(length, NULL, 10) > BODY_DISCARDED) return MHD_HTTP_CONTENT_TOO_LARGE;
  return 0;
}

static enum MHD_Result take_body(request *r, const char *data, size_t *size)
{
  if (r->size + *size > BODY_MOST) r->too_long = true;
  if (r->too_long) r->discarded += *size;
  else memcpy(r->body + r->size, data, *size), r->size += *size;
  *size = 0;
  return r->discarded > BODY_DISCARDED ? MHD_NO : MHD_YES; /* NO: the connection ends */
}

static void mark(live_http *http, struct MHD_Connection *c, bool answering)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  line *l = info ? info->socket_context : NULL;
  if (!l) return;
  pthread_mutex_lock(&http->lock);
  l->answering = answering, l->since = run_clock();
  pthread_mutex_unlock(&http->lock);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *c, const char *path, const char *method,
                              const char *version, const char *data, size_t *size, void **state)
{
  live_http *http = context;
  request *r = *state;
  const char *why;
  (void)version;
  if (!r) { /* the headers are there */
    unsigned status = objection(http, c, path, method, &why);
    if (!(*state = r = calloc(1, sizeof *r))) return MHD_NO;
    if (status) mark(http, c, true);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
      return answer_with(c, status, "text/plain", "", 0, MHD_RESPMEM_PERSISTENT,
                         strcmp(path, "/api/command") ? "GET, HEAD" : "POST");
    return status ? refuse(c, status, why) : MHD_YES;
  }
  if (*size > 0) return take_body(r, data, size);
  mark(http, c, true);
  return !strcmp(method, "POST") ? command(http, c, r) : get(http, c, path);
}

static void completed(void *context, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode code)
{
  (void)code;
  mark(context, c, false);
  free(*state);
  *state = NULL;
}

/* ---- Connections ---- */

static void connection_changed(void *context, struct MHD_Connection *c, void **socket_context,
                               enum MHD_ConnectionNotificationCode code)
{
  live_http *http = context;
  line *l = *socket_context;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    *socket_context = l = info ? calloc(1, sizeof *l) : NULL;
    if (!l) return;
    l->socket = info->connect_fd, l->since = run_clock();
    pthread_mutex_lock(&http->lock);
    l->next = http->lines;
    if (l->next) l->next->before = l;
    http->lines = l;
    pthread_mutex_unlock(&http->lock);
  } else if (l) {
    pthread_mutex_lock(&http->lock);
    if (l->next) l->next->before = l->before;
    if (l->before) l->before->next = l->next;
    else http->lines = l->next;
    pthread_mutex_unlock(&http->lock);
    free(l);
    *socket_context = NULL;
  }
}

void live_http_sweep(live_http *http)
{
  double now = run_clock();
  pthread_mutex_lock(&http->lock);
  for (line *l = http->lines; l; l = l->next)
    if (now - l->since > (l->answering ? answer_seconds : request_seconds)) shutdown(l->socket, SHUT_RDWR);
  pthread_mutex_unlock(&http->lock);
}

/* ---- Start and end ---- */

__attribute__((format(printf, 1, 2))) static skein_status failure(const char *format, ...)
{
  skein_status s = {.code = SKEIN_IO_FAILURE};
  va_list args;
  va_start(args, format);
  vsnprintf(s.message, sizeof s.message, format, args);
  va_end(args);
  return s;
}

/* A listening socket on the first address that takes it; -1 with errno. */
static int listen_on(const struct addrinfo *list)
{
  int on = 1, fd = -1, error = EADDRNOTAVAIL;
  for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
    fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 64) == 0)
      break;
    error = errno;
    if (fd >= 0) close(fd);
    fd = -1;
  }
  errno = error;
  return fd;
}

static skein_status open_socket(const char *host, int *port, int *fd)
{
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *list = NULL;
  char service[16];
  const char *name = host ? host : "127.0.0.1";
  snprintf(service, sizeof service, "%d", *port);
  int found = getaddrinfo(name, service, &hints, &list);
  if (found != 0) return failure("--host: %s: %s", name, gai_strerror(found));
  *fd = listen_on(list);
  int error = errno;
  freeaddrinfo(list);
  if (*fd < 0) return failure("cannot listen on %s port %d: %s", name, *port, strerror(error));
  struct sockaddr_storage at;
  socklen_t size = sizeof at;
  char text[16];
  if (getsockname(*fd, (struct sockaddr *)&at, &size) == 0 &&
      getnameinfo((struct sockaddr *)&at, size, NULL, 0, text, sizeof text, NI_NUMERICSERV) == 0)
    *port = atoi(text);
  return (skein_status){.code = SKEIN_OK};
}

skein_status live_http_start(live_sim *sim, const char *host, int *port, live_http **out)
{
  int fd = -1;
  *out = NULL;
  live_http *http = calloc(1, sizeof *http);
  if (!http || !view_page_live(&http->page)) {
    free(http);
    return (skein_status){SKEIN_NO_MEMORY, "out of memory"};
  }
  http->sim = sim, http->host = host;
  http->anywhere = host && (!strcmp(host, "0.0.0.0") || !strcmp(host, "::"));
  pthread_mutex_init(&http->lock, NULL);
  skein_status s = open_socket(host, port, &fd);
  if (s.code == SKEIN_OK) {
    http->daemon =
        MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_AUTO, 0, NULL, NULL,
                         handle, http, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, completed,
                         http, MHD_OPTION_NOTIFY_CONNECTION, connection_changed, http, MHD_OPTION_END);
    if (!http->daemon) s = failure("the server did not start: %s", strerror(errno)), close(fd);
  }
  if (s.code == SKEIN_OK) *out = http;
  else live_http_stop(http);
  return s;
}

void live_http_stop(live_http *http)
{
  if (!http) return;
  if (http->daemon) MHD_stop_daemon(http->daemon);
  pthread_mutex_destroy(&http->lock);
  view_bytes_free(&http->page);
  free(http);
}
