#include <stddef.h>

#include <jemalloc/jemalloc.h>
