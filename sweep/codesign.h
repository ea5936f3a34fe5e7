/* Looks for a machine and a schedule together: the fastest for a model, of all machines whose area
 * is not above a limit (docs/tune.md). Machines are chosen by what is known of others
 * (sweep/guide.h); the best few of them are tuned (compiler/tune) in turns. */
#ifndef WEFT_SWEEP_CODESIGN_H
#define WEFT_SWEEP_CODESIGN_H

#include "compiler/tune/tune.h"
#include "driver/area.h"
#include "sweep/definition.h"

/* Which parameters vary, and what they can be, when nobody says. External memory belongs to the
 * system, and features to what models need: they stay as they are. */
enum {
    CODESIGN_DEFAULT_AXES = 15
};
extern const char *const codesign_default_grid[CODESIGN_DEFAULT_AXES];

struct codesign_options {
    /* One configuration, where it begins, and axes that are parameters of the machine. It must
     * outlive the search. */
    const struct sweep_definition *grid;
    const struct weft_area_model *area; /* must outlive it, too */
    double most_area;                   /* in its unit; 0: that of the first machine */
    struct tune_options tune;
    /* Compiles the model for a machine. */
    bool (*compile)(void *context, const struct weft_config *config, struct weft_module **module,
                    struct weft_error *error);
    void *context;
    /* Called with whole lines of the log, as they come to be; NULL: there is no log. */
    bool (*write)(void *context, const struct weft_text *lines, struct weft_error *error);
    void *write_context;
    uint32_t effort; /* of `compile`, for the log */
};

/* A machine that was tried. */
struct codesign_machine {
    struct weft_config config;
    double area;
    uint64_t compiled; /* cycles as compiled; 0: it was refused */
    uint64_t tuned;    /* cycles of the fastest schedule known */
    uint64_t tried;    /* schedules */
    bool is_refused;
    char message[sizeof((struct weft_error *)NULL)->message]; /* why it was */
};

struct codesign;

/* Compiles the model for the machine where it begins, which is tuned and may win if its area is not
 * above the limit. Errors: WEFT_SWEEP, the axes are not parameters, or there is no one
 * configuration; WEFT_CONFIG, no machine of the grid can be; WEFT_LIMIT, it has too many; those of
 * the compilation; WEFT_OUT_OF_MEMORY. */
bool codesign_open(const struct codesign_options *options, struct codesign **codesign,
                   struct weft_error *error);
void codesign_close(struct codesign *codesign);

/* Appends the first line of a log of this search, as it is after codesign_open(). */
void codesign_log_head(const struct codesign *codesign, struct weft_text *text);

/* Goes on, right after codesign_open(), with what a log holds. It must be of this model, first
 * machine, area model, and these options of the compiler; grid and limit may be others. The best
 * machines within the limit are compiled, and their schedules made again: they must take the cycles
 * that the log says. Others are only known. *whole: bytes up to the end of the last whole line;
 * what stands after it was not written to its end. Errors: WEFT_DECISIONS, position = line;
 * WEFT_OUT_OF_MEMORY. */
bool codesign_resume(struct codesign *codesign, const char *text, size_t length, size_t *whole,
                     struct weft_error *error);

/* One piece of work: a machine, or at most `most` schedules, at least one, of a machine. A machine
 * is refused, and that is no error, when the model does not fit it, or when it leaves more to the
 * host than the first one. What comes of all calls depends on the seed and on the sum of `most`, if
 * each but the last is CODESIGN_SCHEDULES. *more: false when there is nothing left that could be
 * tried. Errors: WEFT_OUT_OF_MEMORY, WEFT_INTERNAL, those of `write`. */
enum {
    CODESIGN_SCHEDULES = 16
};
bool codesign_step(struct codesign *codesign, uint64_t most, bool *more, struct weft_error *error);

/* Those that were tried; the first is where it began. */
size_t codesign_count(const struct codesign *codesign);
const struct codesign_machine *codesign_machine(const struct codesign *codesign, size_t index);
double codesign_most_area(const struct codesign *codesign);
uint64_t codesign_tried(const struct codesign *codesign); /* schedules of all machines */

/* The fastest machine whose area is not above the limit; of several the smallest, of these the
 * first. False: there is none. */
bool codesign_best(const struct codesign *codesign, size_t *index);

/* Appends its decisions as weft_compile() takes them. Errors: WEFT_ARGUMENT, there is no machine;
 * WEFT_OUT_OF_MEMORY. */
bool codesign_decisions(const struct codesign *codesign, struct weft_text *text,
                        struct weft_error *error);

#endif
