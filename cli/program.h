/* An assembled program as the command line gives it: its file, its configuration, its regions. */
#ifndef WEFT_CLI_PROGRAM_H
#define WEFT_CLI_PROGRAM_H

#include "cli/operand.h"
#include "driver/bare.h"

struct assembled {
    const struct operand *operand;
    struct weft_config config;
    struct weft_program program;
    uint8_t *content[WEFT_REGIONS]; /* owned; of regions from files */
    struct weft_bare_setup setup;   /* of these */
};

/* Reads program, configuration and the files of its regions. The operand must outlive it. False
 * after a message; release it with assembled_free(). */
bool assembled_read(const struct given *given, const struct open_options *open,
                    const struct operand *operand, struct assembled *assembled);

void assembled_free(struct assembled *assembled);

/* Opens it on a target, with the content of its regions. Errors: those of weft_bare_open(). */
bool assembled_open(struct assembled *assembled, const char *target,
                    const struct weft_session_options *options, struct weft_bare **bare,
                    struct weft_error *error);

/* The name of its file without folders and ending, for headings. */
void assembled_name(const struct assembled *assembled, char *name, size_t size);

/* report() of an error about the program; one about an instruction names the line of the text, too.
 */
int assembled_report(const struct assembled *assembled, const struct weft_error *error);

#endif
