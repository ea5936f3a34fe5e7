#include <string.h>

#include "sim/timing/timing.h"

/* Digits, of which at least one; larger numbers than `most` are `most` and more. */
static bool read_digits(const char **at, uint64_t most, uint64_t *number) {
    const char *first = *at;
    for (*number = 0; **at >= '0' && **at <= '9'; ++*at) {
        uint64_t longer = *number * 10 + (uint64_t)(**at - '0');
        *number = *number <= most ? longer : *number;
    }
    return *at != first;
}

/* MHz with or without a fraction, as kHz, rounded; strtod() would read what the locale says. */
static bool read_clock(const char *text, uint32_t *clock) {
    const char *at = text;
    uint64_t whole = 0;
    uint64_t fraction = 0;
    if (!read_digits(&at, WEFT_DRAM_MOST_CLOCK, &whole)) {
        return false;
    }
    if (*at == '.') {
        const char *rest = ++at;
        for (unsigned i = 0; i < 4; i++) {
            fraction = fraction * 10 + (uint64_t)(*at >= '0' && *at <= '9' ? *at++ - '0' : 0);
        }
        at += strspn(at, "0123456789");
        if (at == rest) {
            return false;
        }
    }
    uint64_t least = (uint64_t)WEFT_DRAM_LEAST_CLOCK;
    uint64_t rounded = whole * 1000 + (fraction + 5) / 10;
    *clock = (uint32_t)rounded;
    return *at == '\0' && whole * 1000 >= least && rounded <= WEFT_DRAM_MOST_CLOCK;
}

bool weft_memory_read_dram(const char *text, struct weft_memory_settings *memory) {
    for (unsigned i = WEFT_DRAM_NONE + 1; i < WEFT_DRAMS; i++) {
        size_t length = strlen(weft_dram_names[i]);
        uint32_t clock = 0;
        if (strncmp(text, weft_dram_names[i], length) == 0 && text[length] == '@' &&
            read_clock(text + length + 1, &clock)) {
            memory->dram = (enum weft_dram)i;
            memory->clock = clock;
            return true;
        }
    }
    return false;
}
