#ifndef CREVISION_H
#define CREVISION_H

/// The revision that the build was told of, as git describes it; "unknown" where it was told of none.
const char *crevision(void);

#endif
