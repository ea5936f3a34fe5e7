/* What the process of a session gives up before it reads a byte from outside. */
#ifndef WEFT_DRIVER_REMOTE_CONFINE_H
#define WEFT_DRIVER_REMOTE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Ends with its parent; has no files open but standard input, output and error, and two of its own;
 * gains no rights by what it runs; leaves no core file; has at most so many bytes of memory beside
 * what it began with, seconds of processor time, and a few files. False when one of these cannot be
 * had: then it must not go on. */
bool confine(pid_t parent, int first, int second, uint64_t memory, uint64_t seconds);

/* It starts no more threads and processes. Where a limit does not hold, for root, this does
 * nothing.
 */
void confine_threads(void);

#endif
