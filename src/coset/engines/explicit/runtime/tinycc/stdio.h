#ifndef STDIO_H
#define STDIO_H

#include <stddef.h>

typedef struct file FILE;

FILE *fopen(const char *name, const char *mode);
int fscanf(FILE *file, const char *format, ...);
int fclose(FILE *file);

#endif
