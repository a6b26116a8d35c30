#include "callocator.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

int callocator_set_arenas(int count) { return mallopt(M_ARENA_MAX, count); }

int callocator_set_mapped_bytes(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }

int callocator_give_back(void) { return malloc_trim(0); }
#else
int callocator_set_arenas(int count) {
    (void)count;
    return 0;
}

int callocator_set_mapped_bytes(int bytes) {
    (void)bytes;
    return 0;
}

int callocator_give_back(void) { return 0; }
#endif

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
int callocator_heap(unsigned long long *used, unsigned long long *freed) {
    struct mallinfo2 all = mallinfo2();
    *used = all.uordblks + all.hblkhd;
    *freed = all.fordblks;
    return 1;
}
#else
int callocator_heap(unsigned long long *used, unsigned long long *freed) {
    (void)used;
    (void)freed;
    return 0;
}
#endif
