/* Time that passes. */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

/* Seconds on a clock that nobody sets, since a moment that is the same for the whole process: of
 * use as differences alone. */
double weft_clock_seconds(void);

#endif
