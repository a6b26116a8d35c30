#ifndef CCURL_H
#define CCURL_H

// libcurl's setopt and getinfo are variadic, which Swift cannot call: one wrapper for each kind of argument.

#include <curl/curl.h>
#include <stdint.h>

/// Initialises libcurl for the process. Call it once, before any other function.
CURLcode ccurl_global_init(void);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_data_callback(CURL *easy, CURLoption option, curl_write_callback callback);
CURLcode ccurl_set_debug_callback(CURL *easy, curl_debug_callback callback);
CURLcode ccurl_set_open_socket_callback(CURL *easy, curl_opensocket_callback callback);
CURLcode ccurl_set_prerequest_callback(CURL *easy, curl_prereq_callback callback);

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value);

/// The next finished transfer and its result, or NULL when none is left: a CURLMsg holds its result in a union.
CURL *ccurl_next_finished(CURLM *multi, CURLcode *result);

/// A TCP socket for `address`, closed on exec, whose unacknowledged data kills it after `dead_after_milliseconds`.
/// Returns CURL_SOCKET_BAD when the system has none left.
curl_socket_t ccurl_open_socket(const struct curl_sockaddr *address, uint32_t dead_after_milliseconds);

/// Keeps a write to a closed connection from raising SIGPIPE on the calling thread.
void ccurl_block_sigpipe(void);

#endif
