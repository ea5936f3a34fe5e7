/* weft verify */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/program.h"

static void print_proof(const struct weft_config *config, const struct weft_proof *proof,
                        uint64_t bound) {
    printf("proved for %s: %zu instructions never fault, race or deadlock\n", config->name,
           proof->instructions);
    printf("    %zu tokens, at most %u in a semaphore; %zu bank hand-overs and %zu concurrent "
           "transfers checked\n",
           proof->tokens, proof->peak_tokens, proof->bank_pairs, proof->memory_pairs);
    printf("    at most %" PRIu64 " cycles\n", bound);
}

static int verify_module(const char *path, const struct weft_module *module) {
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment *segment = &module->segments[i];
        struct weft_proof proof;
        struct weft_error error;
        struct weft_regions regions;
        weft_segment_regions(segment, &regions);
        if (!weft_verify(&module->config, segment->program.instructions, segment->program.count,
                         &regions, &proof, &error)) {
            return report(path, &error);
        }
        printf("segment %u: ", i);
        print_proof(&module->config, &proof, segment->bound);
    }
    return STATUS_GOOD;
}

static int verify_model(const struct open_options *open, const struct operand *operand) {
    const struct weft_compile_options options = {.keep_tensors = false};
    struct weft_module *module =
        make_model(operand->path, operand->bytes, operand->length, open, options);
    if (module == NULL) {
        return STATUS_ERROR; /* reading verifies, and has printed the counterexample */
    }
    int status = verify_module(operand->path, module);
    weft_module_free(module);
    return status;
}

static int verify_program(const struct given *given, const struct open_options *open,
                          const struct operand *operand) {
    const struct weft_session_options options = weft_session_defaults();
    struct assembled assembled;
    struct weft_proof proof;
    struct weft_error error;
    uint64_t bound = 0;
    int status = STATUS_GOOD;
    if (!assembled_read(given, open, operand, &assembled)) {
        return STATUS_ERROR;
    }
    if (weft_bare_verify(&assembled.setup, &options, &proof, &bound, &error)) {
        print_proof(&assembled.config, &proof, bound);
    } else {
        status = assembled_report(&assembled, &error);
    }
    assembled_free(&assembled);
    return status;
}

int command_verify(const struct given *given) {
    struct open_options open;
    struct operand operand;
    if (!open_options_read(given, &open) || !operand_read(given, &operand)) {
        return STATUS_ERROR;
    }
    int status = operand.kind == OPERAND_MODEL ? verify_model(&open, &operand)
                                               : verify_program(given, &open, &operand);
    operand_free(&operand);
    return status;
}
