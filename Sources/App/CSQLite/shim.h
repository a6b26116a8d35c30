// The system's SQLite. On Apple's systems the SDK's module SQLite3 is imported instead.
#include <sqlite3.h>
