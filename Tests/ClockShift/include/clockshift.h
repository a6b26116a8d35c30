#ifndef CLOCKSHIFT_H
#define CLOCKSHIFT_H

/// The environment variable that names the file with the seconds to move by.
const char *clockshift_variable(void);

#endif
