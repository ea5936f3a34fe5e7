#include "cli/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/options.h"

/* When --to does not say it: waveforms are slow and large. */
#define WAVE_CYCLES 10000

/* A number from `low` to `high`; *number stays as it is when the option is not given. */
static bool take_number(const char *name, const char *text, uint64_t low, uint64_t high,
                        uint64_t *number, struct weft_error *error) {
    uint64_t value = 0;
    if (text == NULL) {
        return true;
    }
    if (!read_number(text, high, &value) || value < low) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "--%s needs a number of cycles, %" PRIu64 " to %" PRIu64 ", not '%.40s'",
                         name, low, high, text);
    }
    *number = value;
    return true;
}

static bool apply_wave(const struct machine_options *given, struct weft_session_options *options,
                       struct weft_error *error) {
    bool window = given->from != NULL || given->to != NULL || given->segment != NULL;
    uint64_t segment = 0;
    if (given->wave == NULL) {
        return !window || weft_fail(error, WEFT_ARGUMENT, 0,
                                    "--from, --to and --segment say what --wave FILE is to hold");
    }
    if (given->segment != NULL && !read_number(given->segment, UINT32_MAX, &segment)) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "--segment needs a number, not '%.40s'",
                         given->segment);
    }
    options->wave = given->wave;
    options->wave_segment = (uint32_t)segment;
    if (!take_number("from", given->from, 0, INT64_MAX, &options->wave_from, error)) {
        return false;
    }
    options->wave_to = options->wave_from + WAVE_CYCLES;
    return take_number("to", given->to, options->wave_from, INT64_MAX, &options->wave_to, error);
}

static const double most_clock = 1e6; /* MHz */

/* MHz, more than 0. */
static bool read_clock(const char *text, double *clock) {
    static const char digits[] = "0123456789.";
    char *end = NULL;
    *clock = strtod(text, &end);
    bool is_number = *end == '\0' && strspn(text, digits) == strlen(text);
    return is_number && *clock > 0 && *clock <= most_clock;
}

bool machine_dram(const char *text, struct weft_memory_settings *memory, struct weft_error *error) {
    return text == NULL || weft_memory_read_dram(text, memory) ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "--dram needs ddr3-1600 or lpddr4-3200, @ and the machine's clock, %d "
                     "to %d MHz, not '%.40s'",
                     WEFT_DRAM_LEAST_CLOCK / 1000, WEFT_DRAM_MOST_CLOCK / 1000, text);
}

struct machine_options machine_options_of(const struct given *given) {
    return (struct machine_options){.watchdog = given_value(given, OPTION_WATCHDOG),
                                    .latency = given_value(given, OPTION_LATENCY),
                                    .interval = given_value(given, OPTION_INTERVAL),
                                    .dram = given_value(given, OPTION_DRAM),
                                    .clock = given_value(given, OPTION_CLOCK),
                                    .wave = given_value(given, OPTION_WAVE),
                                    .from = given_value(given, OPTION_FROM),
                                    .to = given_value(given, OPTION_TO),
                                    .segment = given_value(given, OPTION_WAVE_SEGMENT)};
}

bool machine_options_apply(const struct machine_options *given,
                           struct weft_session_options *options, struct weft_error *error) {
    return take_number("watchdog", given->watchdog, 1, UINT64_MAX, &options->watchdog, error) &&
           take_number("latency", given->latency, 1, WEFT_SLOWEST_MEMORY, &options->memory.latency,
                       error) &&
           take_number("interval", given->interval, 1, WEFT_SLOWEST_MEMORY,
                       &options->memory.interval, error) &&
           machine_dram(given->dram, &options->memory, error) && apply_wave(given, options, error);
}

bool machine_clock(const struct machine_options *given, double *clock, struct weft_error *error) {
    *clock = 0;
    return given->clock == NULL || read_clock(given->clock, clock) ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "--clock needs MHz, more than 0 and at most %.0f, not '%.40s'", most_clock,
                     given->clock);
}

bool machine_one_clock(const struct weft_memory_settings *memory, double *clock,
                       struct weft_error *error) {
    double beside = (double)memory->clock / 1e3;
    if (memory->dram == WEFT_DRAM_NONE) {
        return true;
    }
    if (*clock > 0 && llround(1e3 * *clock) != memory->clock) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "the machine has one clock: it is %g MHz beside %s, and %g MHz as the "
                         "clock",
                         beside, weft_dram_names[memory->dram], *clock);
    }
    *clock = beside;
    return true;
}

static void print_progress(void *context, uint64_t cycle, uint64_t last) {
    static time_t shown;
    time_t now = time(NULL);
    (void)context;
    if (now != shown) {
        shown = now;
        fprintf(stderr, "\rcycle %" PRIu64 " of %" PRIu64 " ", cycle, last);
    }
}

void machine_show_progress(struct weft_session_options *options) {
    if (isatty(STDERR_FILENO) != 0) {
        options->progress = print_progress;
    }
}

void machine_end_progress(void) {
    if (isatty(STDERR_FILENO) != 0) {
        fprintf(stderr, "\r\033[K");
    }
}
