/* weft cosim: cycle simulator and RTL on the same program and data, compared. */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/machine.h"
#include "cli/memories.h"
#include "cli/program.h"
#include "cli/remote_target.h"
#include "driver/lockstep.h"

/* cosim's own exit status: both ran, and differ. */
enum {
    STATUS_DIFFERENT = 1,
};

/* What a command line asks for. */
struct comparing {
    const struct given *given;
    const struct open_options *open;
    const struct operand *operand;
    const char *target; /* of the driver: both are here, or on a server */
    struct weft_session_options options;
    struct weft_lockstep_report compared; /* owned */
};

static void print_same(const struct weft_lockstep_report *compared) {
    printf("0 cycles apart: %" PRIu64 " programs, %" PRIu64 " instructions, %" PRIu64
           " bursts, %" PRIu64 " cycles, %" PRIu64 " bytes of memory are the same\n",
           compared->programs, compared->instructions, compared->bursts, compared->cycles,
           compared->bytes);
}

/* ---- a model ---- */

static int run_session(const struct comparing *comparing, const struct weft_module *module,
                       struct weft_session *session) {
    struct weft_error error;
    const struct weft_lockstep_report *compared = &comparing->compared;
    int status = inputs_set(comparing->given, module, comparing->open->limits.bytes, session);
    if (status != STATUS_GOOD) {
        return status;
    }
    bool good = weft_session_run(session, &error);
    machine_end_progress();
    if (!good && error.code == WEFT_DIVERGENCE) {
        printf("segment %" PRIu64 ": %s", compared->programs, compared->text.bytes);
        return STATUS_DIFFERENT;
    }
    if (!good && error.code == WEFT_OUT_OF_MEMORY) {
        return report(comparing->operand->path, &error); /* nothing was compared to the end */
    }
    if (good || compared->programs > 0) {
        print_same(compared);
    }
    return good ? STATUS_GOOD : report(comparing->operand->path, &error);
}

/* What runs on the host alone would be the same without having been compared. */
static bool check_machine(const struct weft_module *module, struct weft_error *error) {
    return module->segment_count > 0 ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "nothing of it runs on the machine, so there is nothing to compare; weft "
                     "inspect says why");
}

static int compare_model(const struct comparing *comparing) {
    const struct operand *operand = comparing->operand;
    const struct weft_compile_options compile = {.keep_tensors = false};
    struct weft_error error;
    struct weft_session *session = NULL;
    struct weft_module *module =
        make_model(operand->path, operand->bytes, operand->length, comparing->open, compile);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    int status =
        check_machine(module, &error) &&
                weft_session_open(comparing->target, module, &comparing->options, &session, &error)
            ? run_session(comparing, module, session)
            : report(operand->path, &error);
    weft_session_close(session);
    weft_module_free(module);
    return status;
}

/* ---- an assembled program ---- */

static int write_dumps(const struct comparing *comparing, const struct assembled *assembled,
                       struct weft_bare *bare) {
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *wrong = NULL;
    int status = STATUS_ERROR;
    if (dumps_stage(comparing->given, &assembled->setup, bare, &batch)) {
        status = weft_file_commit(&batch, &wrong, &error) ? STATUS_GOOD : report(wrong, &error);
    }
    weft_file_discard(&batch);
    return status;
}

/* What the verifier rejects is compared in its times. */
static int run_program(const struct comparing *comparing, const struct assembled *assembled,
                       struct weft_bare *bare) {
    struct weft_error error;
    const struct weft_lockstep_report *compared = &comparing->compared;
    bool good = weft_bare_run(bare, &error);
    machine_end_progress();
    if (!good && error.code == WEFT_DIVERGENCE) {
        const struct weft_error *rejection = weft_bare_rejection(bare);
        printf("%s", compared->text.bytes);
        if (rejection != NULL) {
            printf("not proved: %s\n", rejection->message);
        }
        return STATUS_DIFFERENT;
    }
    if (good && write_dumps(comparing, assembled, bare) != STATUS_GOOD) {
        return STATUS_ERROR;
    }
    if (compared->programs > 0) {
        print_same(compared);
    }
    return good ? STATUS_GOOD : assembled_report(assembled, &error);
}

static int compare_program(const struct comparing *comparing) {
    struct weft_error error;
    struct assembled assembled;
    struct weft_bare *bare = NULL;
    if (!assembled_read(comparing->given, comparing->open, comparing->operand, &assembled)) {
        return STATUS_ERROR;
    }
    int status = STATUS_ERROR;
    if (dumps_check(comparing->given, &assembled.setup)) {
        status = assembled_open(&assembled, comparing->target, &comparing->options, &bare, &error)
                     ? run_program(comparing, &assembled, bare)
                     : assembled_report(&assembled, &error);
    }
    weft_bare_close(bare);
    assembled_free(&assembled);
    return status;
}

/* ---- weft cosim ---- */

static bool choose_target(struct comparing *comparing) {
    const char *target = given_value(comparing->given, OPTION_REMOTE);
    comparing->target = target == NULL ? "lockstep" : target_name(target);
    if (target != NULL && !is_remote(target)) {
        usage_error("cosim", "--target is for " REMOTE_PREFIX "HOST:PORT, a server of target "
                             "lockstep");
        return false;
    }
    return remote_target_apply(comparing->given, target, &comparing->options);
}

static int compare(struct comparing *comparing) {
    struct weft_error error;
    const struct machine_options machine = machine_options_of(comparing->given);
    comparing->options = weft_session_defaults();
    comparing->options.lockstep = &comparing->compared;
    machine_show_progress(&comparing->options);
    if (!machine_options_apply(&machine, &comparing->options, &error)) {
        return report("cosim", &error);
    }
    if (!choose_target(comparing)) {
        return STATUS_ERROR;
    }
    int status = comparing->operand->kind == OPERAND_MODEL ? compare_model(comparing)
                                                           : compare_program(comparing);
    weft_lockstep_report_free(&comparing->compared);
    return status;
}

int command_cosim(const struct given *given) {
    struct open_options open;
    struct operand operand;
    if (!open_options_read(given, &open) || !inputs_check(given) ||
        !operand_read(given, &operand)) {
        return STATUS_ERROR;
    }
    struct comparing comparing = {.given = given, .open = &open, .operand = &operand};
    int status = compare(&comparing);
    operand_free(&operand);
    return status;
}
