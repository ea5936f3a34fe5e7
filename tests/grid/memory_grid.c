/* Every network on every size of memory: what is refused, and whether the bytes are right.
 *
 * usage: memory_grid [OPTION]... MODELS_DIR GOLDENS_DIR [NETWORK...]
 *   --digits DIR    models/digits: the network that is taken when the folders are not there
 *   --stride N      every N-th point of the grid only
 *   --full          large networks at every point, too, and not at every LARGE_STRIDE-th
 *   --run-every N   run one case of every N-th compiled point on func and cycle (default 8)
 *   --jobs N        processes at a time; default: as many as there are processors
 *   --verbose       one line for each point that is refused
 *
 * The grid: ACT 2 KB to 4 MB, WGT 2 KB to 1 MB, B 8, 16 and 32, every power of two; a point of it
 * that is no legal configuration is counted and left out. Refused is a point that does not compile;
 * where an operator of the model goes to the host that does not go there on ref16 is said, too.
 * Small regions are kept on the machine: they are no question of room. Exits with 1 when anything
 * is refused, crashes, or gives other bytes than the reference. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "tests/golden/goldens.h"
#include "tests/grid/memory_points.h"
#include "tests/grid/networks.h"
#include "tests/grid/processes.h"

enum {
    MOST_WORDS = 64,
    MOST_NETWORKS = 64,
    LARGE_STRIDE = 7,
    MOST_SECONDS = 900 /* that a point may take */
};

struct network {
    const char *name;
    uint8_t *model;
    size_t length;
    struct golden_set set;
    struct golden_cases cases;
    struct host_set host; /* on ref16 */
};

/* A point of one network. */
struct job {
    const struct network *network;
    struct memory_point point;
    bool run; /* on the simulators, too */
};

struct grid {
    size_t network_count;
    struct network networks[MOST_NETWORKS];
    size_t job_count;
    struct job *jobs;
    struct outcome *outcomes; /* by job; shared memory */
};

/* ---- one point ---- */

static bool compile(const struct network *network, const struct weft_config *config,
                    struct weft_module **module, struct weft_error *error) {
    const struct weft_compile_options options = {.model_name = network->name, .keep_regions = true};
    return weft_compile(network->model, network->length, config, &options, module, error);
}

/* Runs one case, another one at each point, and compares its output. */
static bool run(const struct job *job, size_t index, const char *target,
                const struct weft_module *module, struct weft_error *error) {
    const struct network *network = job->network;
    const struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = NULL;
    const char *name = network->cases.names[index % network->cases.count];
    bool equal = false;
    bool good = weft_session_open(target, module, &options, &session, error) &&
                golden_run(&network->set, name, module, session, error) &&
                golden_compare(&network->set, name, module, session, &equal, error);
    weft_session_close(session);
    return !good || equal ? good : weft_fail(error, WEFT_INTERNAL, 0, "%s differs", name);
}

static void run_point(void *context, size_t index) {
    const struct grid *grid = context;
    const struct job *job = &grid->jobs[index];
    struct outcome *outcome = &grid->outcomes[index];
    struct weft_config config;
    struct weft_module *module = NULL;
    struct weft_error error;
    if (!memory_point_config(&job->point, &config, &error)) {
        outcome->state = POINT_ILLEGAL;
        (void)snprintf(outcome->reason, sizeof outcome->reason, "%s", error.message);
        return;
    }
    double start = weft_clock_seconds();
    if (!compile(job->network, &config, &module, &error)) {
        outcome->state = POINT_REFUSED;
        (void)snprintf(outcome->reason, sizeof outcome->reason, "%s", error.message);
        return;
    }
    outcome->seconds = weft_clock_seconds() - start;
    outcome->cycles = weft_module_cycles(module);
    note_new_host_operators(module, &job->network->host, outcome);
    outcome->state = outcome->to_host > 0 ? POINT_TO_HOST : POINT_GOOD;
    static const char *const targets[] = {"func", "cycle"};
    for (size_t i = 0; i < 2 && job->run && outcome->state != POINT_WRONG; i++) {
        outcome->ran = true;
        if (!run(job, index, targets[i], module, &error)) {
            outcome->state = POINT_WRONG;
            (void)snprintf(outcome->reason, sizeof outcome->reason, "%s: %s", targets[i],
                           error.message);
        }
    }
    weft_module_free(module);
}

static void died(void *context, size_t index, const char *how) {
    const struct grid *grid = context;
    grid->outcomes[index].state = POINT_DIED;
    (void)snprintf(grid->outcomes[index].reason, sizeof grid->outcomes[index].reason, "%s", how);
}

/* ---- networks ---- */

/* Which operators of the model the host carries out on ref16. */
static bool find_host(struct network *network, struct weft_error *error) {
    struct weft_config config;
    struct weft_module *module = NULL;
    if (!weft_config_find("ref16", &config, error) || !compile(network, &config, &module, error)) {
        return false;
    }
    bool good = host_set_make(&network->host, module, error);
    weft_module_free(module);
    return good;
}

static void add_network(struct grid *grid, const char *name, const char *model,
                        struct golden_set set) {
    struct network *network = &grid->networks[grid->network_count++];
    struct weft_error error;
    *network = (struct network){.name = name, .set = set, .cases = golden_cases_list(&set)};
    if (network->cases.count == 0) {
        fprintf(stderr, "memory_grid: no cases in %s\n", set.inputs);
        exit(2);
    }
    if (!weft_file_read(model, &network->model, &network->length, &error) ||
        !find_host(network, &error)) {
        fprintf(stderr, "memory_grid: %s: %s\n", model, error.message);
        exit(2);
    }
}

static void add_networks(struct grid *grid, const char *const *words, const char *digits) {
    char path[1024];
    if (access(words[0], F_OK) != 0 || access(words[1], F_OK) != 0) {
        printf("no models and goldens at %s: the embedded network alone\n", words[0]);
        (void)snprintf(path, sizeof path, "%s/digits.tflite", digits);
        add_network(grid, "digits", path, golden_set_of_digits(digits));
        return;
    }
    const char *const *names = words[2] != NULL ? words + 2 : grid_networks;
    for (; *names != NULL && grid->network_count < MOST_NETWORKS; names++) {
        (void)snprintf(path, sizeof path, "%s/%s.tflite", words[0], *names);
        add_network(grid, *names, path, golden_set_of(words[1], *names));
    }
}

static void add_jobs(struct grid *grid, uint64_t stride, uint64_t run_every, bool full) {
    grid->jobs = calloc(grid->network_count * MEMORY_POINTS, sizeof *grid->jobs);
    grid->outcomes = shared_memory(grid->network_count * MEMORY_POINTS * sizeof *grid->outcomes);
    if (grid->jobs == NULL || grid->outcomes == NULL) {
        fprintf(stderr, "memory_grid: no memory\n");
        exit(2);
    }
    for (size_t n = 0; n < grid->network_count; n++) {
        const struct network *network = &grid->networks[n];
        uint64_t step = stride * (grid_is_large(network->length) && !full ? LARGE_STRIDE : 1);
        for (size_t i = n % step; i < MEMORY_POINTS; i += step) {
            grid->jobs[grid->job_count] =
                (struct job){network, memory_point(i), grid->job_count % run_every == 0};
            grid->job_count++;
        }
    }
}

/* ---- report ---- */

static void print_network(const struct grid *grid, const struct network *network, bool verbose) {
    unsigned counts[POINT_STATES] = {0};
    unsigned ran = 0;
    double slowest = 0;
    for (size_t i = 0; i < grid->job_count; i++) {
        const struct outcome *outcome = &grid->outcomes[i];
        const struct job *job = &grid->jobs[i];
        if (job->network != network) {
            continue;
        }
        counts[outcome->state]++;
        ran += outcome->ran;
        slowest = outcome->seconds > slowest ? outcome->seconds : slowest;
        if (verbose && outcome->state > POINT_GOOD) {
            printf("%s: ACT %" PRIu32 ", WGT %" PRIu32 ", B %" PRIu32 ": %s: %s\n", network->name,
                   job->point.act_bytes, job->point.wgt_bytes, job->point.block,
                   point_state_names[outcome->state], outcome->reason);
        }
    }
    printf("%-28s", network->name);
    for (int state = 0; state < POINT_STATES; state++) {
        printf(" %7u", counts[state]);
    }
    printf(" %7u %8.2f\n", ran, slowest);
}

/* Every reason once, with how many points it has and the first of them. */
static void print_reasons(const struct grid *grid) {
    for (size_t i = 0; i < grid->job_count; i++) {
        const struct outcome *outcome = &grid->outcomes[i];
        unsigned count = 0;
        bool is_first = outcome->state != POINT_GOOD;
        for (size_t k = 0; k < grid->job_count; k++) {
            bool same = grid->jobs[k].network == grid->jobs[i].network &&
                        grid->outcomes[k].state == outcome->state &&
                        strcmp(grid->outcomes[k].reason, outcome->reason) == 0;
            is_first = is_first && !(same && k < i);
            count += same;
        }
        if (is_first &&
            (outcome->state != POINT_ILLEGAL || grid->jobs[i].network == grid->networks)) {
            printf("%s, %u x %s (ACT %" PRIu32 ", WGT %" PRIu32 ", B %" PRIu32 "): %s\n",
                   grid->jobs[i].network->name, count, point_state_names[outcome->state],
                   grid->jobs[i].point.act_bytes, grid->jobs[i].point.wgt_bytes,
                   grid->jobs[i].point.block, outcome->reason);
        }
    }
}

/* Returns how many points are not as they should be. */
static unsigned print_grid(const struct grid *grid, bool verbose) {
    unsigned counts[POINT_STATES] = {0};
    printf("%-28s", "points of the grid");
    for (int state = 0; state < POINT_STATES; state++) {
        printf(" %7s", point_state_names[state]);
    }
    printf(" %7s %8s\n", "run", "slowest");
    for (size_t n = 0; n < grid->network_count; n++) {
        print_network(grid, &grid->networks[n], verbose);
    }
    print_reasons(grid);
    for (size_t i = 0; i < grid->job_count; i++) {
        counts[grid->outcomes[i].state]++;
    }
    unsigned wrong = counts[POINT_WRONG] + counts[POINT_DIED];
    printf("%zu points, %u of them no configuration, %u with operators on the host, %u refused, %u "
           "wrong\n",
           grid->job_count, counts[POINT_ILLEGAL], counts[POINT_TO_HOST], counts[POINT_REFUSED],
           wrong);
    return wrong + counts[POINT_REFUSED];
}

int main(int argc, char **argv) {
    const char *words[MOST_WORDS + 1] = {NULL};
    const char *digits = "models/digits";
    const char *texts[] = {"1", "8", "0"}; /* stride, run-every, jobs */
    const char *full = NULL;
    const char *verbose = NULL;
    uint64_t numbers[3];
    size_t count = 0;
    const struct option_spec specs[] = {
        {.name = "digits", .value = &digits},
        {.name = "stride", .value = &texts[0]},
        {.name = "run-every", .value = &texts[1]},
        {.name = "jobs", .value = &texts[2]},
        {.name = "full", .is_flag = true, .value = &full},
        {.name = "verbose", .is_flag = true, .value = &verbose},
    };
    static struct grid grid;
    bool good = read_options(argv[0], argc, argv, specs, sizeof specs / sizeof specs[0], words,
                             &count, MOST_WORDS);
    for (size_t i = 0; good && i < 3; i++) {
        good = read_number(texts[i], 1000000, &numbers[i]) && (numbers[i] > 0 || i == 2);
    }
    if (!good || count < 2) {
        return usage_error("memory_grid", "give the folders of models and goldens");
    }
    add_networks(&grid, words, digits);
    add_jobs(&grid, numbers[0], numbers[1], full != NULL);
    const struct tasks tasks = {.count = grid.job_count,
                                .jobs = (unsigned)numbers[2],
                                .most_seconds = MOST_SECONDS,
                                .context = &grid,
                                .run = run_point,
                                .died = died};
    run_tasks(&tasks);
    return print_grid(&grid, verbose != NULL) == 0 ? 0 : 1;
}
