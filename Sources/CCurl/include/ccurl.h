#ifndef CCURL_H
#define CCURL_H

// libcurl's setopt and getinfo are variadic, which Swift cannot call: one wrapper for each kind of argument. Beside them
// what libcurl wants as C callbacks.

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/// Initialises libcurl for the process. Call it once, before any other function.
CURLcode ccurl_global_init(void);

/// Whether libcurl's TLS is OpenSSL's, which `ccurl_connection` needs.
bool ccurl_has_openssl(void);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);

CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_socket(CURL *easy, curl_socket_t *value);

/// Whether a transfer has ended since the last call; then `result` is how.
bool ccurl_take_result(CURLM *multi, CURLcode *result);

/// Waits for the descriptor, for `curl_multi_wakeup`, or for the time to pass. CURL_SOCKET_BAD: for libcurl's own
/// descriptors only.
CURLMcode ccurl_wait(CURLM *multi, curl_socket_t descriptor, bool for_writing, int milliseconds);

/// What the callbacks of one connection need and find out. It must outlive the handle.
typedef struct {
    /// SO_SNDBUF: without it the system's buffer grows to megabytes, and hides that the peer reads slowly.
    int send_buffer_bytes;
    /// Whether a socket may be opened to an address; NULL: to all. It is asked with the address that is connected to,
    /// after the name was looked up.
    bool (*may_connect)(const struct sockaddr *address, unsigned int length);
    /// Set when an address was refused, and when one was not.
    bool has_refused_address;
    bool has_allowed_address;
    /// Set at the end of the TLS handshake: whether the server chose HTTP/2 by ALPN.
    bool has_http2;
} ccurl_connection;

/// Offers HTTP/2 to the server, and nothing else, and opens sockets that are closed on exec, to allowed addresses only.
///
/// libcurl's own ALPN must be off (CURLOPT_SSL_ENABLE_ALPN): if libcurl knew that HTTP/2 was chosen, it would speak it
/// itself. No https proxy may be set: its TLS would be offered HTTP/2, too.
CURLcode ccurl_set_connection(CURL *easy, ccurl_connection *connection);

/// Keeps a write to a closed connection from raising SIGPIPE on the calling thread.
void ccurl_block_sigpipe(void);

/// Names the calling thread for `top -H`: at most 15 bytes, or it keeps its name. A name given through Foundation's
/// Thread did not always reach the system.
void ccurl_name_thread(const char *name);

#endif
