#ifndef CALLOCATOR_H
#define CALLOCATOR_H

// What Swift's Glibc module does not have of <malloc.h>.

/// Lets glibc divide the heap into so many arenas at most; 0 if it refuses, or if the C library is another one.
int callocator_set_arenas(int count);

/// Makes glibc ask the system for each block of so many bytes or more that no free part of the heap holds, and give it
/// back when it is freed, however many such blocks come and go; 0 if it refuses, or if the C library is another one.
int callocator_set_mapped_bytes(int bytes);

/// Bytes of the heap that are in use, and that were freed and may still be with the process; 0 if the C library does
/// not tell.
int callocator_heap(unsigned long long *used, unsigned long long *freed);

/// Gives what was freed in whole pages back to the system; 0 if nothing was given, or if the C library cannot.
int callocator_give_back(void);

#endif
