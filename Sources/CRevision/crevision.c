#include "crevision.h"

const char *crevision(void) { return KASIA_REVISION; }
