/* The form of a .weft file, for the files container_*.c alone; module.h has the way in.
 *
 * A header (magic, version, number of sections, fingerprint of the configuration), a table of
 * sections (tag, CRC-32 of the stored bytes, offset, stored and raw length), then the sections,
 * each deflated by zlib. All numbers are little-endian.
 *
 *     CONF  the configuration, JSON
 *     GRPH  the graph, text form
 *     BLOB  constants of the graph
 *     PROG  programs, region sizes, cycles and bindings
 *     CNST  constants region of each program
 *     NAME  names and layers, for people
 *     DECS  what was decided for each program, and what else was tried, for people: JSON
 *     EXTN  programs of targets from outside, in the order of their regions: the target's name,
 * that of the plugin that brings it, and bytes that are the target's own
 */
#ifndef WEFT_COMPILER_CONTAINER_H
#define WEFT_COMPILER_CONTAINER_H

enum {
    MAGIC_BYTES = 8,
    HEADER_BYTES = MAGIC_BYTES + 16,
    ENTRY_BYTES = 32, /* of the table */
};
#define MAGIC "WEFT\r\n\x1a\n"

enum section {
    CONF,
    GRPH,
    BLOB,
    PROG,
    CNST,
    NAME,
    DECS,
    EXTN,
    SECTIONS
};
#define SECTION_TAGS                                                                               \
    { "CONF", "GRPH", "BLOB", "PROG", "CNST", "NAME", "DECS", "EXTN" }

#endif
