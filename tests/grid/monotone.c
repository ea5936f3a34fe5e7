/* Does more of a resource ever cost cycles? Networks over a grid of resources around ref16.
 *
 * usage: monotone [OPTION]... [--models DIR]... [NETWORK...]
 *   --models DIR    where NAME.tflite lies; the first folder that has it is taken
 *   --differ N      in how many resources a point differs from ref16 at most (1 to 5); default: 2,
 * of large networks 1
 *   --most PERCENT  end with status 1 when a doubling costs more, e.g. 0.5
 *   --jobs N        processes at a time; default: as many as there are processors
 *   --json FILE     every point and the worst doublings
 *
 * The grid: ACT, WGT, ACC and queue_depth from half to four times those of ref16, and 1 to 8 images
 * at once; beside these, ACT, WGT and ACC doubled together. A doubling is a step along one of the
 * axes; what counts is the cycles of an image. Small regions are kept on the machine. A step where
 * the host has not as many operators on both sides is not compared. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json_file.h"
#include "tests/bench/models.h"
#include "tests/grid/networks.h"
#include "tests/grid/processes.h"
#include "tests/grid/resources.h"

enum {
    MOST_WORDS = 64,
    MOST_FOLDERS = 8,
    SHOWN = 3,          /* doublings of a network that are printed */
    MOST_SECONDS = 1800 /* that a point may take */
};

struct network {
    const char *name;
    uint8_t *model;
    size_t length;
    unsigned differ;
    size_t compiled;
    bool *wanted;               /* by point */
    struct measurement *points; /* by point; shared memory */
};

/* The points of a network that are compiled, one after another. */
struct work {
    const struct network *network;
    size_t *point; /* by task */
};

/* ---- measuring ---- */

static void measure(void *context, size_t index) {
    const struct work *work = context;
    size_t point = work->point[index];
    resource_point_measure(work->network->model, work->network->length, point,
                           &work->network->points[point]);
}

static void died(void *context, size_t index, const char *how) {
    const struct work *work = context;
    struct measurement *measurement = &work->network->points[work->point[index]];
    (void)snprintf(measurement->error, sizeof measurement->error, "%s", how);
}

static bool measure_network(struct network *network, unsigned jobs) {
    struct work work = {network, calloc(RESOURCE_POINTS, sizeof(size_t))};
    network->wanted = calloc(RESOURCE_POINTS, sizeof *network->wanted);
    network->points = shared_memory(RESOURCE_POINTS * sizeof *network->points);
    if (work.point == NULL || network->wanted == NULL || network->points == NULL) {
        free(work.point);
        return false;
    }
    for (size_t i = 0; i < RESOURCE_POINTS; i++) {
        network->wanted[i] =
            resource_point_differs(i) <= network->differ || resource_point_is_scaled_memory(i);
        if (network->wanted[i]) {
            work.point[network->compiled++] = i;
        }
    }
    const struct tasks tasks = {.count = network->compiled,
                                .jobs = jobs,
                                .most_seconds = MOST_SECONDS,
                                .context = &work,
                                .run = measure,
                                .died = died};
    run_tasks(&tasks);
    free(work.point);
    return true;
}

/* ---- doublings ---- */

struct doubling {
    size_t from, to; /* points */
    const char *resource;
    double percent; /* by which an image takes longer behind it */
};

static int compare_doublings(const void *a, const void *b) {
    double x = ((const struct doubling *)a)->percent;
    double y = ((const struct doubling *)b)->percent;
    return (x < y) - (x > y);
}

static bool is_measured(const struct network *network, size_t point) {
    return network->wanted[point] && network->points[point].cycles > 0;
}

/* All doublings between points that were measured, the worst first. */
static size_t find_doublings(const struct network *network, struct doubling *doublings) {
    size_t count = 0;
    for (size_t from = 0; from < RESOURCE_POINTS; from++) {
        for (size_t axis = 0; axis < RESOURCE_STEPS; axis++) {
            size_t to = resource_point_doubled(from, axis);
            if (to == RESOURCE_POINTS || !is_measured(network, from) || !is_measured(network, to) ||
                network->points[from].host_operators != network->points[to].host_operators) {
                continue;
            }
            double before = measured_cycles_per_image(&network->points[from], from);
            double after = measured_cycles_per_image(&network->points[to], to);
            doublings[count++] = (struct doubling){from, to, resource_step_names[axis],
                                                   100 * (after - before) / before};
        }
    }
    qsort(doublings, count, sizeof *doublings, compare_doublings);
    return count;
}

/* ---- report ---- */

static json_t *points_json(const struct network *network) {
    json_t *list = json_array();
    for (size_t i = 0; i < RESOURCE_POINTS; i++) {
        const struct measurement *m = &network->points[i];
        char text[128];
        if (network->wanted[i]) {
            resource_point_text(i, text, sizeof text);
            (void)json_array_append_new(
                list, json_pack("{s:s, s:I, s:f, s:I, s:s}", "point", text, "cycles",
                                (json_int_t)m->cycles, "cycles_per_image",
                                measured_cycles_per_image(m, i), "host_operators",
                                (json_int_t)m->host_operators, "error", m->error));
        }
    }
    return list;
}

static json_t *doubling_json(const struct network *network, const struct doubling *d) {
    char text[128];
    resource_point_text(d->from, text, sizeof text);
    return json_pack("{s:s, s:s, s:f, s:f, s:f}", "resource", d->resource, "from", text, "percent",
                     d->percent, "before",
                     measured_cycles_per_image(&network->points[d->from], d->from), "after",
                     measured_cycles_per_image(&network->points[d->to], d->to));
}

static void print_failures(const struct network *network) {
    for (size_t i = 0; i < RESOURCE_POINTS; i++) {
        char text[128];
        if (network->wanted[i] && network->points[i].cycles == 0) {
            resource_point_text(i, text, sizeof text);
            printf("%-28s not measured at %s: %s\n", network->name, text, network->points[i].error);
        }
    }
}

/* Prints the worst doublings; returns the worst, or 0 when none costs anything. */
static double print_network(const struct network *network, double most, json_t *root) {
    struct doubling *doublings =
        calloc((size_t)RESOURCE_POINTS * RESOURCE_STEPS, sizeof *doublings);
    size_t count = doublings == NULL ? 0 : find_doublings(network, doublings);
    size_t above = 0;
    json_t *worst = json_array();
    while (above < count && doublings[above].percent > most) {
        above++;
    }
    for (size_t i = 0; i < count && i < SHOWN && (i == 0 || doublings[i].percent > 0); i++) {
        const struct doubling *d = &doublings[i];
        char text[128];
        resource_point_text(d->from, text, sizeof text);
        printf("%-28s %+8.2f %%  %-12s %12.0f -> %12.0f  %s\n", i == 0 ? network->name : "",
               d->percent, d->resource,
               measured_cycles_per_image(&network->points[d->from], d->from),
               measured_cycles_per_image(&network->points[d->to], d->to), text);
        (void)json_array_append_new(worst, doubling_json(network, d));
    }
    printf("%-28s %zu of %zu doublings above %.2f %%, %zu points\n", "", above, count, most,
           network->compiled);
    print_failures(network);
    double percent = count > 0 && doublings[0].percent > 0 ? doublings[0].percent : 0;
    (void)json_object_set_new(root, network->name,
                              json_pack("{s:f, s:I, s:I, s:o, s:o}", "worst_percent", percent,
                                        "doublings", (json_int_t)count, "above", (json_int_t)above,
                                        "worst", worst, "points", points_json(network)));
    free(doublings);
    return percent;
}

/* Returns the worst doubling in percent, less than 0 when there is no such model. */
static double check_network(const char *name, char *const *folders, unsigned differ, unsigned jobs,
                            double most, json_t *root) {
    struct network network = {.name = name};
    double worst = -1;
    network.model = read_model(name, folders, &network.length);
    if (network.model == NULL) {
        printf("%-28s skipped: no such model\n", name);
        return worst;
    }
    network.differ = differ > 0 ? differ : grid_is_large(network.length) ? 1 : 2;
    if (measure_network(&network, jobs)) {
        worst = print_network(&network, most, root);
        (void)fflush(stdout);
    }
    free(network.wanted);
    free(network.model);
    return worst;
}

int main(int argc, char **argv) {
    const char *words[MOST_WORDS + 1] = {NULL};
    const char *folders[MOST_FOLDERS + 1] = {NULL};
    const char *most_text = NULL;
    const char *differ_text = "0";
    const char *jobs_text = "0";
    const char *json = NULL;
    size_t word_count = 0;
    size_t folder_count = 0;
    uint64_t differ = 0;
    uint64_t jobs = 0;
    const struct option_spec specs[] = {
        {.name = "models", .list = folders, .count = &folder_count, .most = MOST_FOLDERS},
        {.name = "most", .value = &most_text},
        {.name = "differ", .value = &differ_text},
        {.name = "jobs", .value = &jobs_text},
        {.name = "json", .value = &json},
    };
    if (!read_options(argv[0], argc, argv, specs, sizeof specs / sizeof specs[0], words,
                      &word_count, MOST_WORDS) ||
        !read_number(differ_text, RESOURCES, &differ) || !read_number(jobs_text, 64, &jobs)) {
        return usage_error("monotone", "see the top of tests/grid/monotone.c");
    }
    const char *const *names = word_count > 0 ? words : grid_networks;
    double most = most_text == NULL ? 0.5 : strtod(most_text, NULL);
    double worst = -1;
    json_t *root = json_object();
    struct weft_error error;
    printf("%-28s %10s  %-12s %12s    %12s  %s\n", "network", "worst", "doubled", "cycles before",
           "after", "from");
    for (; *names != NULL; names++) {
        double found = check_network(*names, (char *const *)(uintptr_t)folders, (unsigned)differ,
                                     (unsigned)jobs, most, root);
        worst = found > worst ? found : worst;
    }
    if (json == NULL) {
        json_decref(root);
    } else if (!write_json_file(json, root, &error)) {
        return report(json, &error);
    }
    return worst < 0 ? 77 : most_text != NULL && worst > most ? 1 : 0;
}
