/* Writes grey pictures as an array of the digits' input: grey less 128.
 *
 * usage: weft_board_pictures PICTURE.png... > pictures.h
 */
#include <stdio.h>

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

enum {
    SIDE = 16
};

int main(int argc, char **argv) {
    printf("enum { PICTURES = %d };\n\nstatic const signed char pictures[PICTURES][%d] = {\n",
           argc - 1, SIDE * SIDE);
    for (int i = 1; i < argc; i++) {
        int width = 0;
        int height = 0;
        int channels = 0;
        unsigned char *grey = stbi_load(argv[i], &width, &height, &channels, 1);
        if (grey == NULL || width != SIDE || height != SIDE) {
            (void)fprintf(stderr, "%s: not a picture of %d by %d\n", argv[i], SIDE, SIDE);
            return 1;
        }
        printf("    {");
        for (int k = 0; k < SIDE * SIDE; k++) {
            printf("%d,%s", grey[k] - 128, k % 16 == 15 ? "\n     " : " ");
        }
        printf("},\n");
        stbi_image_free(grey);
    }
    printf("};\n");
    return 0;
}
