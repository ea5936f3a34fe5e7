/* Memory for what Verilator generates when there is no more: its constructors and its run time do
 * not survive an allocation that fails. All of operator new of the RTL's library ends here: it asks
 * malloc() and, where that has nothing, takes from the reserve of the machine that is at work. */
#ifndef WEFT_HW_TB_RESERVE_H
#define WEFT_HW_TB_RESERVE_H

#include <cstddef>

enum {
    WEFT_RESERVE_NAME = 256
};

/* Belongs to a machine; starts as zeros. */
struct weft_reserve {
    unsigned char *bytes;
    size_t length;
    size_t used;    /* bytes that were taken, ever */
    char *names[4]; /* blocks of WEFT_RESERVE_NAME bytes for weft_reserve_string() */
};

/* False: there is no memory for it. */
bool weft_reserve_open(weft_reserve *reserve, size_t length);

/* Nothing that came from it may be in use. */
void weft_reserve_close(weft_reserve *reserve);

/* From now on this thread takes from `reserve`; nullptr: from the few bytes that the library has
 * for its own initialisation. Returns the one before. */
weft_reserve *weft_reserve_use(weft_reserve *reserve);

/* strdup() for Verilator's run time, which never looks whether it succeeded; it frees what it gets.
 * Throws std::bad_alloc where the reserve has no name left, either. */
char *weft_reserve_string(const char *text);

#endif
