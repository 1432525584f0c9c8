#ifndef ERRNO_H
#define ERRNO_H
#endif
