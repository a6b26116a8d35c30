#ifndef FRAME_YARDSTICK_H
#define FRAME_YARDSTICK_H

#include <stddef.h>
#include <stdint.h>

/// The fields of one request that differ from the others'.
typedef struct {
    const char *path;
    const char *id;
    const char *collapse_id;
} frame_yardstick_request;

typedef struct frame_yardstick frame_yardstick;

/// A loop that sends one body again and again over one connection: libcurl connects, nghttp2 makes the frames, and
/// nothing else is done. `names` and `values` are the fields that all requests share; none of the strings is copied.
/// Returns NULL if there is no connection, or if it does not speak HTTP/2.
frame_yardstick *frame_yardstick_open(
    const char *origin, const char *authority, const char *certificate_authority, uint32_t streams,
    const char *const *names, const char *const *values, size_t fields, const uint8_t *body, size_t body_bytes);

/// Sends all, the first alone; returns how many were answered with 200.
size_t frame_yardstick_send(frame_yardstick *loop, const frame_yardstick_request *requests, size_t count);

void frame_yardstick_close(frame_yardstick *loop);

#endif
