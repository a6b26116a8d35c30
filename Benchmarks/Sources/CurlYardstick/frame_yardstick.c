#define _GNU_SOURCE
#include "frame_yardstick.h"

#include <curl/curl.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { largest_frame = 16384 + 9, enough = 16384, most_fields = 24 };

struct frame_yardstick {
    CURL *easy;
    CURLM *multi;
    curl_socket_t descriptor;
    bool has_http2, is_over;
    nghttp2_session *session;
    const char *authority;
    const char *const *names;
    const char *const *values;
    size_t fields;
    const uint8_t *body;
    size_t body_bytes;
    uint32_t streams;
    size_t in_flight, accepted;
    uint8_t outgoing[enough + largest_frame];
    uint8_t incoming[65536];
};

// MARK: nghttp2's callbacks. A stream's user data is how much of the body was sent.

static ssize_t read_body(
    nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t room, uint32_t *flags,
    nghttp2_data_source *source, void *context) {
    frame_yardstick *loop = context;
    size_t sent = (size_t)nghttp2_session_get_stream_user_data(session, stream);
    size_t count = loop->body_bytes - sent < room ? loop->body_bytes - sent : room;
    (void)source;
    memcpy(bytes, loop->body + sent, count);
    if (sent + count == loop->body_bytes) *flags |= NGHTTP2_DATA_FLAG_EOF;
    nghttp2_session_set_stream_user_data(session, stream, (void *)(sent + count));
    return (ssize_t)count;
}

static int header_came(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_bytes, const uint8_t *value,
    size_t value_bytes, uint8_t flags, void *context) {
    (void)session, (void)frame, (void)flags;
    if (name_bytes == 7 && memcmp(name, ":status", 7) == 0 && value_bytes == 3 && memcmp(value, "200", 3) == 0)
        ((frame_yardstick *)context)->accepted++;
    return 0;
}

static int stream_ended(nghttp2_session *session, int32_t stream, uint32_t code, void *context) {
    (void)session, (void)stream, (void)code;
    ((frame_yardstick *)context)->in_flight--;
    return 0;
}

// MARK: The connection

static void handshake_moved(const SSL *ssl, int where, int code) {
    (void)code;
    if (!(where & SSL_CB_HANDSHAKE_DONE)) return;
    const unsigned char *chosen = NULL;
    unsigned int length = 0;
    SSL_get0_alpn_selected(ssl, &chosen, &length);
    frame_yardstick *loop = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    loop->has_http2 = length == 2 && memcmp(chosen, "h2", 2) == 0;
}

static CURLcode offer_http2(CURL *easy, void *context, void *loop) {
    (void)easy;
    SSL_CTX_set_app_data(context, loop);
    SSL_CTX_set_info_callback(context, handshake_moved);
    return SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\x02h2", 3) == 0 ? CURLE_OK : CURLE_OUT_OF_MEMORY;
}

static bool connect_to(frame_yardstick *loop, const char *origin, const char *certificate_authority) {
    CURL *easy = loop->easy;
    curl_easy_setopt(easy, CURLOPT_URL, origin);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_ENABLE_ALPN, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, offer_http2);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, loop);
    curl_easy_setopt(easy, CURLOPT_CAINFO, certificate_authority);
    if (curl_multi_add_handle(loop->multi, easy) != CURLM_OK) return false;
    int running = 1;
    while (running > 0) {
        if (curl_multi_perform(loop->multi, &running) != CURLM_OK) return false;
        if (running > 0) curl_multi_poll(loop->multi, NULL, 0, 1000, NULL);
    }
    int left = 0;
    CURLMsg *message = curl_multi_info_read(loop->multi, &left);
    if (!message || message->data.result != CURLE_OK || !loop->has_http2) return false;
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &loop->descriptor) == CURLE_OK;
}

static bool begin_session(frame_yardstick *loop) {
    nghttp2_session_callbacks *callbacks;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) return false;
    nghttp2_session_callbacks_set_on_header_callback(callbacks, header_came);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_ended);
    int code = nghttp2_session_client_new(&loop->session, callbacks, loop);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_settings_entry no_push = {NGHTTP2_SETTINGS_ENABLE_PUSH, 0};
    return code == 0 && nghttp2_submit_settings(loop->session, NGHTTP2_FLAG_NONE, &no_push, 1) == 0;
}

frame_yardstick *frame_yardstick_open(
    const char *origin, const char *authority, const char *certificate_authority, uint32_t streams,
    const char *const *names, const char *const *values, size_t fields, const uint8_t *body, size_t body_bytes) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    frame_yardstick *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->easy = curl_easy_init();
    loop->multi = curl_multi_init();
    loop->authority = authority, loop->names = names, loop->values = values, loop->fields = fields;
    loop->body = body, loop->body_bytes = body_bytes, loop->streams = streams;
    if (loop->easy && loop->multi && fields + 6 <= most_fields && connect_to(loop, origin, certificate_authority)
        && begin_session(loop))
        return loop;
    frame_yardstick_close(loop);
    return NULL;
}

void frame_yardstick_close(frame_yardstick *loop) {
    if (loop->multi && loop->easy) curl_multi_remove_handle(loop->multi, loop->easy);
    if (loop->easy) curl_easy_cleanup(loop->easy);
    if (loop->multi) curl_multi_cleanup(loop->multi);
    nghttp2_session_del(loop->session);
    free(loop);
}

// MARK: Sending

static nghttp2_nv field(const char *name, const char *value, uint8_t flags) {
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), flags};
}

static void submit(frame_yardstick *loop, const frame_yardstick_request *request) {
    nghttp2_nv fields[most_fields];
    size_t count = 0;
    fields[count++] = field(":method", "POST", NGHTTP2_NV_FLAG_NONE);
    fields[count++] = field(":scheme", "https", NGHTTP2_NV_FLAG_NONE);
    fields[count++] = field(":authority", loop->authority, NGHTTP2_NV_FLAG_NONE);
    fields[count++] = field(":path", request->path, NGHTTP2_NV_FLAG_NO_INDEX);
    for (size_t index = 0; index < loop->fields; index++)
        fields[count++] = field(loop->names[index], loop->values[index], NGHTTP2_NV_FLAG_NONE);
    fields[count++] = field("apns-id", request->id, NGHTTP2_NV_FLAG_NO_INDEX);
    fields[count++] = field("apns-collapse-id", request->collapse_id, NGHTTP2_NV_FLAG_NO_INDEX);
    nghttp2_data_provider body = {.read_callback = read_body};
    if (nghttp2_submit_request(loop->session, NULL, fields, count, &body, NULL) > 0) loop->in_flight++;
    else loop->is_over = true;
}

static size_t room(const frame_yardstick *loop) {
    uint32_t limit = nghttp2_session_get_remote_settings(loop->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    if (limit > loop->streams) limit = loop->streams;
    return limit > loop->in_flight ? limit - loop->in_flight : 0;
}

// Returns whether the socket takes no more.
static bool send_all(
    frame_yardstick *loop, const frame_yardstick_request *requests, size_t limit, size_t *next, size_t *start,
    size_t *end) {
    for (;;) {
        while (*start == 0 && *end < enough) {
            const uint8_t *bytes;
            ssize_t count = nghttp2_session_mem_send(loop->session, &bytes);
            if (count < 0) loop->is_over = true;
            if (count > 0) {
                memcpy(loop->outgoing + *end, bytes, (size_t)count);
                *end += (size_t)count;
            } else if (*next < limit && room(loop) > 0 && !loop->is_over) {
                submit(loop, &requests[(*next)++]);
            } else {
                break;
            }
        }
        if (*start == *end || loop->is_over) return false;
        size_t sent = 0;
        CURLcode code = curl_easy_send(loop->easy, loop->outgoing + *start, *end - *start, &sent);
        if (code == CURLE_AGAIN) return true;
        if (code != CURLE_OK) loop->is_over = true;
        *start += sent;
        if (*start == *end) *start = *end = 0;
    }
}

static void receive_all(frame_yardstick *loop) {
    for (;;) {
        size_t count = 0;
        CURLcode code = curl_easy_recv(loop->easy, loop->incoming, sizeof loop->incoming, &count);
        if (code == CURLE_AGAIN) return;
        if (code != CURLE_OK || count == 0 || nghttp2_session_mem_recv(loop->session, loop->incoming, count) < 0) {
            loop->is_over = true;
            return;
        }
    }
}

size_t frame_yardstick_send(frame_yardstick *loop, const frame_yardstick_request *requests, size_t count) {
    size_t next = 0, start = 0, end = 0;
    loop->accepted = 0;
    while (!loop->is_over && (next < count || loop->in_flight > 0)) {
        bool is_blocked = send_all(loop, requests, loop->accepted > 0 ? count : 1, &next, &start, &end);
        struct curl_waitfd wait = {.fd = loop->descriptor, .events = CURL_WAIT_POLLIN};
        if (is_blocked) wait.events |= CURL_WAIT_POLLOUT;
        curl_multi_poll(loop->multi, &wait, 1, 1000, NULL);
        receive_all(loop);
    }
    return loop->accepted;
}
