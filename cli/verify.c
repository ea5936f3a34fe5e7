/* weft verify */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"

int command_verify(const struct given *given) {
    struct open_options open;
    if (!open_options_read(given, &open)) {
        return STATUS_ERROR;
    }
    uint8_t *bytes = NULL;
    struct weft_module *module = open_module(given->operand, &open, &bytes);
    if (module == NULL) {
        return STATUS_ERROR; /* reading verifies, and has printed the counterexample */
    }
    int status = STATUS_GOOD;
    for (uint32_t i = 0; i < module->segment_count && status == STATUS_GOOD; i++) {
        const struct weft_segment *segment = &module->segments[i];
        struct weft_proof proof;
        struct weft_error error;
        struct weft_regions regions;
        weft_segment_regions(segment, &regions);
        if (!weft_verify(&module->config, segment->program.instructions, segment->program.count,
                         &regions, &proof, &error)) {
            status = report(given->operand, &error);
            break;
        }
        printf("segment %u: proved for %s: %zu instructions never fault, race or deadlock\n", i,
               module->config.name, proof.instructions);
        printf("    %zu tokens, at most %u in a semaphore; %zu bank hand-overs and %zu concurrent "
               "transfers checked\n",
               proof.tokens, proof.peak_tokens, proof.bank_pairs, proof.memory_pairs);
        printf("    at most %" PRIu64 " cycles\n", segment->bound);
    }
    weft_module_free(module);
    free(bytes);
    return status;
}
