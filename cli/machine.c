#include "cli/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAVE_CYCLES 10000 /* when --to does not say it: waveforms are slow and large */

/* A number from `low` to `high`; leaves it alone when the option is not given. */
static bool take_number(const char *name, const char *text, uint64_t low, uint64_t high,
                        uint64_t *number, struct weft_error *error) {
    if (text == NULL) {
        return true;
    }
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);
    bool digits = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    if (!digits || strlen(text) > 19 || value < low || value > high) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "--%s needs a number from %" PRIu64 " to %" PRIu64 ", not '%.40s'", name,
                         low, high, text);
    }
    *number = value;
    return true;
}

static bool apply_wave(const struct machine_options *given, uint32_t segments,
                       struct weft_session_options *options, struct weft_error *error) {
    bool window = given->from != NULL || given->to != NULL || given->segment != NULL;
    if (given->wave == NULL) {
        return !window || weft_fail(error, WEFT_ARGUMENT, 0,
                                    "--from, --to and --segment say what --wave FILE records");
    }
    uint64_t segment = 0;
    if (!take_number("from", given->from, 0, UINT64_MAX, &options->wave_from, error)) {
        return false;
    }
    options->wave = given->wave;
    options->wave_to = options->wave_from + WAVE_CYCLES;
    if (!take_number("to", given->to, options->wave_from, UINT64_MAX, &options->wave_to, error) ||
        !take_number("segment", given->segment, 0, segments - 1, &segment, error)) {
        return false;
    }
    options->wave_segment = (uint32_t)segment;
    return true;
}

bool machine_options_apply(const struct machine_options *given, uint32_t segments,
                           struct weft_session_options *options, struct weft_error *error) {
    enum {
        SLOWEST = 1000000, /* more would make no sense and could overflow times */
    };
    return take_number("watchdog", given->watchdog, 1, UINT64_MAX, &options->watchdog, error) &&
           take_number("latency", given->latency, 1, SLOWEST, &options->memory_latency, error) &&
           take_number("interval", given->interval, 1, SLOWEST, &options->memory_interval, error) &&
           apply_wave(given, segments, options, error);
}
