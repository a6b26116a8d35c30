#ifndef CALLOCATOR_H
#define CALLOCATOR_H

#include <stdbool.h>

/// Bytes that the program has allocated, and those that the allocator holds besides: freed pages that it has not given
/// back yet, gaps, and its own records. False if it does not tell.
bool callocator_heap(unsigned long long *used, unsigned long long *freed);

/// The settings in force, for tests: how many arenas there may be, and whether a thread gives freed pages back. False if
/// the allocator does not tell.
bool callocator_settings(unsigned *arenas, bool *gives_back);

#endif
