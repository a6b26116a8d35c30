#ifndef CURL_YARDSTICK_H
#define CURL_YARDSTICK_H

#include <stddef.h>

/// A loop around libcurl's multi interface that sends notifications and does nothing else: no queue, no store, no
/// threads, no deadlines. What it reaches is what libcurl reaches.
typedef struct curl_yardstick curl_yardstick;

/// What differs from one request to the next.
typedef struct {
    const char *url;
    /// Whole header lines.
    const char *id;
    const char *collapse_id;
} curl_yardstick_request;

/// One connection with up to `streams` requests at once. All texts are copied, `body` is not.
///
/// NULL when there is no memory.
curl_yardstick *curl_yardstick_open(const char *certificate_authority, int streams, const char *const *headers,
                                    size_t header_count, const void *body, size_t body_length);

/// Sends all requests; returns how many were answered with 200.
size_t curl_yardstick_send(curl_yardstick *yardstick, const curl_yardstick_request *requests, size_t count);

void curl_yardstick_close(curl_yardstick *yardstick);

#endif
