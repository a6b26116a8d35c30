#include "curl_yardstick.h"

#include <curl/curl.h>
#include <stdlib.h>

typedef struct {
    CURL *easy;
    // In front of the shared list: what this request alone says.
    struct curl_slist own[2];
} transfer;

struct curl_yardstick {
    CURLM *multi;
    struct curl_slist *headers;
    transfer *transfers;
    int streams;
};

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

curl_yardstick *curl_yardstick_open(const char *certificate_authority, int streams, const char *const *headers,
                                    size_t header_count, const void *body, size_t body_length) {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return NULL;
    curl_yardstick *yardstick = calloc(1, sizeof(curl_yardstick));
    if (!yardstick) return NULL;
    yardstick->streams = streams;
    yardstick->multi = curl_multi_init();
    yardstick->transfers = calloc((size_t)streams, sizeof(transfer));
    if (!yardstick->multi || !yardstick->transfers) goto failed;
    for (size_t index = 0; index < header_count; index++) {
        struct curl_slist *longer = curl_slist_append(yardstick->headers, headers[index]);
        if (!longer) goto failed;
        yardstick->headers = longer;
    }
    curl_multi_setopt(yardstick->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(yardstick->multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    curl_multi_setopt(yardstick->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)streams);
    for (int index = 0; index < streams; index++) {
        CURL *easy = curl_easy_init();
        if (!easy) goto failed;
        yardstick->transfers[index].easy = easy;
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_CAINFO, certificate_authority);
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)body_length);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &yardstick->transfers[index]);
    }
    return yardstick;
failed:
    curl_yardstick_close(yardstick);
    return NULL;
}

static void start(curl_yardstick *yardstick, transfer *transfer, const curl_yardstick_request *request) {
    transfer->own[0].data = (char *)request->id;
    transfer->own[0].next = &transfer->own[1];
    transfer->own[1].data = (char *)request->collapse_id;
    transfer->own[1].next = yardstick->headers;
    curl_easy_setopt(transfer->easy, CURLOPT_URL, request->url);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->own);
    curl_multi_add_handle(yardstick->multi, transfer->easy);
}

size_t curl_yardstick_send(curl_yardstick *yardstick, const curl_yardstick_request *requests, size_t count) {
    size_t next = 0, ended = 0, accepted = 0;
    while (next < count && next < (size_t)yardstick->streams) {
        start(yardstick, &yardstick->transfers[next], &requests[next]);
        next++;
    }
    while (ended < count) {
        int running = 0;
        if (curl_multi_perform(yardstick->multi, &running) != CURLM_OK) break;
        int left = 0;
        CURLMsg *message;
        while ((message = curl_multi_info_read(yardstick->multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *easy = message->easy_handle;
            transfer *transfer = NULL;
            long status = 0;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            curl_multi_remove_handle(yardstick->multi, easy);
            ended++;
            if (status == 200) accepted++;
            if (next < count) start(yardstick, transfer, &requests[next++]);
        }
        if (ended < count) curl_multi_poll(yardstick->multi, NULL, 0, 1000, NULL);
    }
    return accepted;
}

void curl_yardstick_close(curl_yardstick *yardstick) {
    if (!yardstick) return;
    for (int index = 0; yardstick->transfers && index < yardstick->streams; index++) {
        if (yardstick->transfers[index].easy) curl_easy_cleanup(yardstick->transfers[index].easy);
    }
    free(yardstick->transfers);
    if (yardstick->multi) curl_multi_cleanup(yardstick->multi);
    curl_slist_free_all(yardstick->headers);
    free(yardstick);
}
