#define _GNU_SOURCE
#include "ccurl.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

// curl's headers replace these by type-checking macros that refuse a value whose type is only known here.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_data_callback(CURL *easy, CURLoption option, curl_write_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

CURLcode ccurl_set_debug_callback(CURL *easy, curl_debug_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
}

CURLcode ccurl_set_open_socket_callback(CURL *easy, curl_opensocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

CURLcode ccurl_set_prerequest_callback(CURL *easy, curl_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }

CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) { return curl_easy_getinfo(easy, info, value); }

CURL *ccurl_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

static const size_t places = sizeof(((ccurl_sockets *)0)->open) / sizeof(curl_socket_t);

void ccurl_sockets_init(ccurl_sockets *sockets) {
    for (size_t place = 0; place < places; place++) sockets->open[place] = CURL_SOCKET_BAD;
}

// One that finds no place is as good as any other, only never corked.
static void replace(ccurl_sockets *sockets, curl_socket_t old, curl_socket_t new) {
    for (size_t place = 0; place < places; place++) {
        if (sockets->open[place] == old) {
            sockets->open[place] = new;
            return;
        }
    }
}

curl_socket_t ccurl_open_socket(
    ccurl_sockets *sockets, const struct curl_sockaddr *address, uint32_t dead_after_milliseconds) {
    int descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor < 0) return CURL_SOCKET_BAD;
    (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#ifdef TCP_USER_TIMEOUT
    // Best effort: without it a dead peer is only found by the request's own timeout.
    unsigned int timeout = dead_after_milliseconds;
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof(timeout));
#else
    (void)dead_after_milliseconds;
#endif
    replace(sockets, CURL_SOCKET_BAD, descriptor);
    return descriptor;
}

int ccurl_close_socket(void *sockets, curl_socket_t descriptor) {
    // First: the number may be another file's as soon as it is closed.
    replace(sockets, descriptor, CURL_SOCKET_BAD);
    return close(descriptor);
}

CURLcode ccurl_set_sockets(CURL *easy, ccurl_sockets *sockets) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, ccurl_close_socket);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, sockets);
}

void ccurl_cork(const ccurl_sockets *sockets, int on) {
#ifdef TCP_CORK
    for (size_t place = 0; place < places; place++) {
        if (sockets->open[place] != CURL_SOCKET_BAD)
            (void)setsockopt(sockets->open[place], IPPROTO_TCP, TCP_CORK, &on, sizeof(on));
    }
#else
    (void)sockets;
    (void)on;
#endif
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
