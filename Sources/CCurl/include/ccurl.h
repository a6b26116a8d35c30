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

/// The sockets of one connection: one, or two while it tries two addresses at once. Unused places are CURL_SOCKET_BAD.
typedef struct {
    curl_socket_t open[4];
} ccurl_sockets;

void ccurl_sockets_init(ccurl_sockets *sockets);

/// A TCP socket for `address`, closed on exec, whose unacknowledged data kills it after `dead_after_milliseconds`.
/// Returns CURL_SOCKET_BAD when the system has none left. It is noted in `sockets` until `ccurl_close_socket`.
curl_socket_t ccurl_open_socket(
    ccurl_sockets *sockets, const struct curl_sockaddr *address, uint32_t dead_after_milliseconds);

/// A `curl_closesocket_callback`: closes a socket and forgets it; the first argument is a `ccurl_sockets`.
int ccurl_close_socket(void *sockets, curl_socket_t descriptor);

/// Lets libcurl close an easy handle's sockets by `ccurl_close_socket`. `sockets` must outlive all connections.
CURLcode ccurl_set_sockets(CURL *easy, ccurl_sockets *sockets);

/// While corked, the system sends full packets only, for 200 ms at most: what is written bit by bit leaves together
/// when `on` is 0 again. Without effect where the system knows no TCP_CORK.
void ccurl_cork(const ccurl_sockets *sockets, int on);

/// Keeps a write to a closed connection from raising SIGPIPE on the calling thread.
void ccurl_block_sigpipe(void);

/// Names the calling thread for `top -H`: at most 15 bytes, or it keeps its name. A name given through Foundation's
/// Thread did not always reach the system.
void ccurl_name_thread(const char *name);

#endif
