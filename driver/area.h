/* The area of a machine: what its modules take, by formulas that were fitted to Yosys, and its
 * RAMs, of which every one is known (docs/area.md). */
#ifndef WEFT_DRIVER_AREA_H
#define WEFT_DRIVER_AREA_H

#include "isa/config.h"

enum {
    WEFT_AREA_RESOURCES = 4, /* that a target may have */
    WEFT_AREA_PARTS = 16,    /* of the machine */
    WEFT_AREA_MODULES = 96,
    WEFT_AREA_TERMS = 512,      /* of all modules */
    WEFT_AREA_FACTORS = 4,      /* of a term */
    WEFT_AREA_SHAPES = 8,       /* of a block of RAM */
    WEFT_AREA_MACRO_WORDS = 32, /* a memory of fewer is no SRAM macro: hw/tools/sram.v */
};

struct weft_area_resource {
    char name[16];
    double weight; /* of one, in the unit of the area */
};

/* A shape of a block of RAM. */
struct weft_area_shape {
    uint32_t width; /* bits of a word */
    uint32_t words;
};

enum weft_area_form {
    WEFT_AREA_VALUE,
    WEFT_AREA_BITS,  /* ceil(log2(value)): the bits that count up to it */
    WEFT_AREA_SMALL, /* the value below WEFT_AREA_MACRO_WORDS, else 0: words that are flip-flops */
    WEFT_AREA_FORMS
};

/* A parameter of the configuration, in one of the forms. */
struct weft_area_factor {
    uint8_t parameter; /* index in weft_parameter_list */
    uint8_t form;
};

/* Of a module: the product of its factors, 1 where it has none, times so much of each resource. */
struct weft_area_term {
    uint8_t part;
    uint8_t factor_count;
    struct weft_area_factor factors[WEFT_AREA_FACTORS];
    double per[WEFT_AREA_RESOURCES];
};

/* RAMs of few words, which are made of other cells than blocks. */
struct weft_area_small {
    uint32_t below;              /* words: a RAM of fewer is one of them; 0: none is */
    struct weft_area_shape cell; /* of what they are made */
    double per_cell[WEFT_AREA_RESOURCES];
    double per_bit[WEFT_AREA_RESOURCES];    /* of a word */
    double per_choice[WEFT_AREA_RESOURCES]; /* of a bit, for each cell after the first whose words
                                               it is chosen from */
};

/* A target as a file of hw/technology/area has it. */
struct weft_area_model {
    char name[32];
    char label[48]; /* tells it from others of its name: what areas are known by */
    char unit[16];  /* of the area */
    uint32_t resource_count;
    struct weft_area_resource resources[WEFT_AREA_RESOURCES];
    uint32_t part_count;
    char parts[WEFT_AREA_PARTS][16];
    uint32_t module_count;
    char modules[WEFT_AREA_MODULES][32];
    uint32_t term_count;
    struct weft_area_term terms[WEFT_AREA_TERMS];
    uint32_t ram; /* index of the resource that RAM is made of */
    uint32_t shape_count;
    struct weft_area_shape shapes[WEFT_AREA_SHAPES];
    struct weft_area_small small;
};

/* Reads the JSON text of a target. Error: WEFT_TECHNOLOGY, position = line. */
bool weft_area_parse(const char *text, size_t length, struct weft_area_model *model,
                     struct weft_error *error);

/* The target where none is named; cli/options.def says it, too. */
#define WEFT_DEFAULT_AREA "ecp5"

/* A target of hw/technology/area by its name ("ecp5"); else, a file of that name, which is not
 * called like one of these inside, unless it is the same, has the modules of the machine, and an
 * area above 0, and none of a resource below 0, for each machine that is built in. Errors: also
 * those of weft_file_read(). */
bool weft_area_find(const char *name, struct weft_area_model *model, struct weft_error *error);

/* The RAMs of a configuration that are alike. */
struct weft_area_rams {
    const char *memory;
    uint32_t count;
    uint32_t width; /* bits of a word */
    uint32_t words;
    bool has_strobes; /* each byte is written for itself */
};

/* All of them; returns how many there are of rams[5]. */
uint32_t weft_area_rams_of(const struct weft_config *config, struct weft_area_rams rams[5]);

/* What RAMs take of each resource, all `ram->count` of them. */
void weft_area_ram_counts(const struct weft_area_model *model, const struct weft_area_rams *ram,
                          double counts[WEFT_AREA_RESOURCES]);

struct weft_area {
    double counts[WEFT_AREA_PARTS][WEFT_AREA_RESOURCES]; /* without RAMs */
    double rams[WEFT_AREA_RESOURCES];
    double totals[WEFT_AREA_RESOURCES];
    double total; /* in the unit of the area */
};

struct weft_area weft_area_of(const struct weft_area_model *model,
                              const struct weft_config *config);

#endif
