/* The points of the grid of resources around ref16, and what a network takes at one of them. */
#ifndef WEFT_TESTS_GRID_RESOURCES_H
#define WEFT_TESTS_GRID_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum resource {
    RESOURCE_ACT, /* each of the first four: half, once, twice and four times that of ref16 */
    RESOURCE_WGT,
    RESOURCE_ACC,
    RESOURCE_QUEUE,
    RESOURCE_BATCH, /* 1, 2, 4, 8 images */
    RESOURCES
};
enum {
    RESOURCE_VALUES = 4,
    RESOURCE_POINTS = 1024, /* RESOURCE_VALUES to the power of RESOURCES */
    /* Ways to double: each resource, or ACT, WGT and ACC together. */
    STEP_MEMORY = RESOURCES,
    RESOURCE_STEPS
};
extern const char *const resource_step_names[RESOURCE_STEPS];

/* "ACT 262144, WGT 131072, ACC 65536, queue 8, batch 1" */
void resource_point_text(size_t point, char *text, size_t size);

/* In how many resources does a point differ from ref16 and one image? */
unsigned resource_point_differs(size_t point);

/* Is it ref16 with ACT, WGT and ACC scaled together? */
bool resource_point_is_scaled_memory(size_t point);

/* The point with a resource doubled, or RESOURCE_POINTS where the grid ends. */
size_t resource_point_doubled(size_t point, size_t step);

struct measurement {
    uint64_t cycles; /* 0: it failed */
    uint64_t host_operators;
    char error[256];
};

/* Compiles the model for the point, small regions kept on the machine. */
void resource_point_measure(const uint8_t *model, size_t length, size_t point,
                            struct measurement *measurement);

double measured_cycles_per_image(const struct measurement *measurement, size_t point);

#endif
