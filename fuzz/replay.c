/* SPDX-License-Identifier: Apache-2.0
 * replay.c - runs a target on every file of the folders named, without libFuzzer: so that corpora and old findings are
 * tests with any compiler. A target that wants files to start from gets them with `make fuzz`. */
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_BYTES = 4096, INPUT_BYTES_MAX = 16 << 20 };

static bool run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    uint8_t *data = malloc(INPUT_BYTES_MAX);
    size_t len = fread(data, 1, INPUT_BYTES_MAX, file);
    fclose(file);
    uint8_t *exact = malloc(len + (len == 0)); /* of the exact size, so that a sanitizer sees every read beyond it */
    memcpy(exact, data, len);
    free(data);
    fprintf(stderr, "%s\n", path);
    (void)LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    return true;
}

static int run_folder(const char *folder) {
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return 0;
    }
    int count = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[PATH_BYTES];
        if (entry->d_name[0] != '.' && snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_BYTES) {
            count += run_file(path);
        }
    }
    closedir(dir);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        count += run_folder(argv[i]);
    }
    printf("%d inputs\n", count);
    return 0;
}
