/* Compiles models with the library of whatever compiler built this, to compare with what another
 * made: each goes to the file that is named behind it.
 *
 * usage: compile [MODEL OUTPUT]...
 */
#include <stdio.h>

#include <weft/weft.h>

int main(int argc, char **argv) {
    struct weft_failure failure;
    for (int i = 1; i + 1 < argc; i += 2) {
        struct weft_network *network = NULL;
        bool good = weft_network_load(argv[i], NULL, NULL, &network, &failure) &&
                    weft_network_save(network, argv[i + 1], &failure);
        weft_network_free(network);
        if (!good) {
            fprintf(stderr, "%s: %s\n", argv[i], failure.message);
            return 2;
        }
    }
    return 0;
}
