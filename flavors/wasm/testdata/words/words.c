/* The C program of package wasm's proofs; it does what words/go does. */
#include "../../../../guests/c/leat.h"
#include <stdio.h>

typedef struct {
    const char *at;
    size_t length;
    int count;
} word;

static int compare(const void *a, const void *b) {
    const word *x = a, *y = b;
    if (x->count != y->count) return y->count - x->count;
    size_t n = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->at, y->at, n);
    return order ? order : (int)x->length - (int)y->length;
}

int leat_transform(leat_text payload) {
    if (payload.length && payload.at[0] == '=') {
        leat_emit(payload.at, payload.length);
        return LEAT_OK;
    }
    word *words = malloc((payload.length / 2 + 1) * sizeof *words);
    size_t n = 0, i;
    const char *at = payload.at, *end = payload.at + payload.length;
    while (at < end) {
        while (at < end && strchr(" \t\r\n", *at)) at++;
        const char *start = at;
        while (at < end && !strchr(" \t\r\n", *at)) at++;
        size_t length = at - start;
        if (!length) break;
        for (i = 0; i < n; i++)
            if (words[i].length == length && !memcmp(words[i].at, start, length)) break;
        if (i == n) words[n++] = (word){start, length, 0};
        words[i].count++;
    }
    qsort(words, n, sizeof *words, compare);
    char *out = malloc(payload.length + 16 * n + 1), *p = out;
    for (i = 0; i < n; i++) p += sprintf(p, "%.*s %d\n", (int)words[i].length, words[i].at, words[i].count);
    leat_emit(out, p - out);
    free(out);
    free(words);
    return LEAT_OK;
}
