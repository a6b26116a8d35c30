#define _GNU_SOURCE
#include "ccurl.h"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

// curl's headers replace these by type-checking macros that refuse a value whose type is only known here.
#undef curl_easy_setopt
#undef curl_easy_getinfo

CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

bool ccurl_has_openssl(void) {
    const curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);
    return version->ssl_version && strncmp(version->ssl_version, "OpenSSL/", 8) == 0;
}

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }

CURLcode ccurl_get_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

bool ccurl_take_result(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return true;
        }
    }
    return false;
}

CURLMcode ccurl_wait(CURLM *multi, curl_socket_t descriptor, bool for_writing, int milliseconds) {
    struct curl_waitfd extra = {.fd = descriptor, .events = CURL_WAIT_POLLIN};
    if (for_writing) extra.events |= CURL_WAIT_POLLOUT;
    return curl_multi_poll(multi, &extra, descriptor == CURL_SOCKET_BAD ? 0 : 1, milliseconds, NULL);
}

// libcurl does not tell which protocol the server chose, nor keeps the SSL within reach before the first byte: the end
// of the handshake is the moment at which it can be asked.
static void handshake_moved(const SSL *ssl, int where, int code) {
    (void)code;
    if (!(where & SSL_CB_HANDSHAKE_DONE)) return;
    ccurl_connection *connection = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    const unsigned char *chosen = NULL;
    unsigned int length = 0;
    SSL_get0_alpn_selected(ssl, &chosen, &length);
    connection->has_http2 = length == 2 && memcmp(chosen, "h2", 2) == 0;
}

static CURLcode prepare_tls(CURL *easy, void *context, void *connection) {
    (void)easy;
    static const unsigned char offer[] = {2, 'h', '2'};
    SSL_CTX_set_app_data(context, connection);
    SSL_CTX_set_info_callback(context, handshake_moved);
    // One read of the socket takes many answers; without it each takes two.
    SSL_CTX_set_read_ahead(context, 1);
    return SSL_CTX_set_alpn_protos(context, offer, sizeof(offer)) == 0 ? CURLE_OK : CURLE_OUT_OF_MEMORY;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    ccurl_connection *connection = context;
    // libcurl connects to this very address: there is no second look-up that could give another one.
    if (connection->may_connect && !connection->may_connect(&address->addr, address->addrlen)) {
        connection->has_refused_address = true;
        return CURL_SOCKET_BAD;
    }
    connection->has_allowed_address = true;
    int descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor < 0) return CURL_SOCKET_BAD;
    (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    // Best effort: without it a slow reader is found later.
    int bytes = connection->send_buffer_bytes;
    if (bytes > 0) (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    return descriptor;
}

CURLcode ccurl_set_connection(CURL *easy, ccurl_connection *connection) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, prepare_tls);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, connection);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, connection);
    return code;
}

void ccurl_block_sigpipe(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

void ccurl_name_thread(const char *name) {
#ifdef __APPLE__
    pthread_setname_np(name);
#else
    pthread_setname_np(pthread_self(), name);
#endif
}
