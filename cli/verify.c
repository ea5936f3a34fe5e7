/* weft verify */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"

int command_verify(int argc, char **argv) {
    struct open_options open = {0};
    const struct option_spec specs[] = {OPEN_OPTION_SPECS(&open)};
    const char *words[1];
    size_t count = 0;
    if (!read_options(argc, argv, specs, sizeof specs / sizeof specs[0], words, &count, 1) ||
        !read_limits("verify", &open)) {
        return STATUS_ERROR;
    }
    if (count != 1) {
        return usage_error("verify", "give a .weft file or a model");
    }
    uint8_t *bytes = NULL;
    struct weft_module *module = open_module(words[0], &open, &bytes);
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
            status = report(words[0], &error);
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
