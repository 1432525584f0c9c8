#ifndef UNISTD_H
#define UNISTD_H

#define _SC_PAGESIZE 30

long sysconf(int name);

#endif
