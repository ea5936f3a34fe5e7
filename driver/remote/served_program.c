#include "driver/remote/served_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limit.h"
#include "base/memory.h"
#include "isa/verify/verify.h"
#include "sim/timing/bound.h"

bool served_program_check(const struct frame_load *load, uint64_t *memory,
                          struct weft_error *error) {
    uint64_t instructions = load->program_bytes / WEFT_INSTRUCTION_BYTES;
    uint64_t each = sizeof(struct weft_instruction) + FINISH_BYTES;
    if (instructions == 0 || load->program_bytes % WEFT_INSTRUCTION_BYTES != 0 ||
        load->program_bytes > WEFT_REGION_LIMIT ||
        load->limits[WEFT_REGION_PROGRAM] != load->program_bytes) {
        return weft_fail(error, WEFT_ENCODING, 0,
                         "a program of %" PRIu64 " bytes in a region of %" PRIu64
                         "; expected as many, whole instructions, at most %d",
                         load->program_bytes, load->limits[WEFT_REGION_PROGRAM], WEFT_REGION_LIMIT);
    }
    if (load->constant_bytes > load->limits[WEFT_REGION_CONSTANTS] ||
        (load->writable & 1U << WEFT_REGION_PROGRAM) != 0 || load->writable >> WEFT_REGIONS != 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "regions that no program has: %" PRIu64 " bytes of constants in %" PRIu64
                         ", %02" PRIx32 " can be written",
                         load->constant_bytes, load->limits[WEFT_REGION_CONSTANTS], load->writable);
    }
    uint64_t sum = weft_add_saturated(load->program_bytes, load->constant_bytes);
    sum = weft_add_saturated(sum, weft_mul_saturated(instructions, each));
    for (unsigned i = WEFT_REGION_CONSTANTS; i < WEFT_REGIONS; i++) {
        if (load->limits[i] > WEFT_REGION_LIMIT) {
            return weft_fail(error, WEFT_LIMIT, i,
                             "region %s has %" PRIu64 " bytes, at most %d are possible",
                             weft_region_names[i], load->limits[i], WEFT_REGION_LIMIT);
        }
        sum = weft_add_saturated(sum, load->limits[i]);
    }
    *memory = sum;
    return true;
}

/* The constants lie in the image where it has all of them. */
static bool make_regions(const struct frame_load *load, struct served_program *program,
                         struct weft_error *error) {
    program->bytes[WEFT_REGION_PROGRAM] = program->image.bytes;
    for (unsigned i = WEFT_REGION_CONSTANTS; i < WEFT_REGIONS; i++) {
        uint8_t *constants = program->image.bytes + load->program_bytes;
        if (load->limits[i] == 0) {
            continue;
        }
        if (i == WEFT_REGION_CONSTANTS && load->constant_bytes == load->limits[i]) {
            program->bytes[i] = constants;
            continue;
        }
        program->owned[i] = weft_allocate((size_t)load->limits[i], 1, "a region", error);
        if (program->owned[i] == NULL) {
            return false;
        }
        program->bytes[i] = program->owned[i];
        if (i == WEFT_REGION_CONSTANTS) {
            memcpy(program->owned[i], constants, (size_t)load->constant_bytes);
        }
    }
    return true;
}

/* Proves the program, or notes why not. */
static bool judge(const struct weft_config *config, const struct weft_timing_settings *settings,
                  uint64_t cycle_limit, struct served_program *program, struct weft_error *error) {
    struct weft_proof proof;
    const struct weft_program *checked = &program->program;
    program->is_rejected = !weft_verify(config, checked->instructions, checked->count,
                                        &program->regions, &proof, &program->rejection);
    if (program->is_rejected) {
        program->bound = cycle_limit;
        if (program->rejection.code == WEFT_OUT_OF_MEMORY) {
            *error = program->rejection;
            return false;
        }
        return true;
    }
    program->bound = weft_bound(config, settings, checked->instructions, checked->count);
    return weft_limit_asked("cycles that the program may take on this server:", program->bound,
                            cycle_limit, WEFT_CYCLE_LIMIT, "cycle-limit of weft serve", error);
}

bool served_program_make(const struct frame_load *load, struct image *image,
                         const struct weft_config *config,
                         const struct weft_timing_settings *settings, uint64_t cycle_limit,
                         bool data, struct served_program *program, struct weft_error *error) {
    struct served_program made = {.image = *image, .regions.writable = load->writable};
    *image = IMAGE_NONE;
    memcpy(made.regions.limit, load->limits, sizeof made.regions.limit);
    bool good =
        weft_program_decode(made.image.bytes, (size_t)load->program_bytes, &made.program, error) &&
        judge(config, settings, cycle_limit, &made, error) &&
        (!data || make_regions(load, &made, error));
    if (good) {
        made.finishes = weft_allocate(made.program.count, FINISH_BYTES, "a record of a run", error);
        good = made.finishes != NULL;
    }
    if (!good) {
        served_program_free(&made);
        return false;
    }
    *program = made;
    return true;
}

void served_program_free(struct served_program *program) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        free(program->owned[i]);
    }
    free(program->finishes);
    weft_program_free(&program->program);
    image_free(&program->image);
    *program = (struct served_program){.image = IMAGE_NONE};
}
