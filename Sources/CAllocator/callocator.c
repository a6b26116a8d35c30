#include "callocator.h"

#include <stdint.h>

// jemalloc's names then begin with je_ here, whether the library's do (as on macOS) or not (as in Debian).
#define JEMALLOC_NO_DEMANGLE
#include <jemalloc/jemalloc.h>

// Read by jemalloc before main. A thread of its own gives pages back some seconds after they were freed: without it an
// idle process would keep them. MALLOC_CONF in the environment wins.
const char *je_malloc_conf = "background_thread:true,narenas:4";

static bool read_value(const char *name, void *value, size_t bytes) {
    size_t length = bytes;
    return je_mallctl(name, value, &length, NULL, 0) == 0 && length == bytes;
}

bool callocator_heap(unsigned long long *used, unsigned long long *freed) {
    // The numbers are those of the last epoch: this begins one.
    uint64_t epoch = 1;
    size_t allocated = 0, resident = 0;
    if (je_mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch)) != 0) return false;
    if (!read_value("stats.allocated", &allocated, sizeof(allocated))) return false;
    if (!read_value("stats.resident", &resident, sizeof(resident))) return false;
    *used = allocated;
    *freed = resident > allocated ? resident - allocated : 0;
    return true;
}

bool callocator_settings(unsigned *arenas, bool *gives_back) {
    return read_value("opt.narenas", arenas, sizeof(*arenas)) &&
           read_value("background_thread", gives_back, sizeof(*gives_back));
}
