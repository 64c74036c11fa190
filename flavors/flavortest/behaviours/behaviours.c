/* What the conformance suite asks of a guest, in C: the member "do", which comes first,
 * says what. behaviours.js does the same.
 *
 *     clang --target=wasm32-wasi -O2 -Wall -mexec-model=reactor -Wl,--strip-debug -I../../../guests/c \
 *         -o behaviours.wasm behaviours.c */
#include "leat.h"
#include <stdio.h>

static volatile int never;
static int count;
static char *const outside = (char *)0xfffffff0;
static char buffer[64];

static int dig(int n) { return never && n == never ? 0 : dig(n + 1) + dig(n + 2); }

static int emit_text(const char *text) {
    leat_emit(text, strlen(text));
    return LEAT_OK;
}

static int emit_times(int times) {
    while (times-- > 0) emit_text("1");
    return LEAT_OK;
}

static int emit_large(size_t length) {
    char *out = malloc(length);
    memset(out, '7', length);
    leat_emit(out, length);
    free(out);
    return LEAT_OK;
}

static int emit_id(void) {
    char id[64], out[128];
    int length = leat_meta_get("leat.id", strlen("leat.id"), id, sizeof id);
    if (length < 0 || length > (int)sizeof id) return leat_failed("no id");
    snprintf(out, sizeof out, "{\"id\":\"%.*s\"}", length, id);
    return emit_text(out);
}

static int emit_count(void) {
    char out[64];
    snprintf(out, sizeof out, "{\"count\":%d}", ++count);
    return emit_text(out);
}

/* Asks without room for an answer: the host says how much there would be, and nothing is written. */
static int emit_lengths(void) {
    char out[64];
    snprintf(out, sizeof out, "[%d,%d,%d]", leat_meta_get("leat.id", 7, NULL, 0), leat_meta_get("none", 4, NULL, 0),
             leat_config(NULL, 0));
    return emit_text(out);
}

static int hoard(void) {
    for (;;) {
        char *kept = malloc(1 << 16);
        if (kept == NULL) __builtin_trap();
        kept[never] = 1;
    }
}

static int is(leat_text payload, const char *what) {
    static const char head[] = "{\"do\":\"";
    size_t at = sizeof head - 1, n = strlen(what);
    return payload.length > at + n && memcmp(payload.at, head, at) == 0 &&
           memcmp(payload.at + at, what, n) == 0 && payload.at[at + n] == '"';
}

int leat_transform(leat_text payload) {
    if (is(payload, "filter")) return LEAT_OK;
    if (is(payload, "twice")) return emit_text("{\"n\":1}"), emit_text("{\"n\":2}");
    if (is(payload, "fail")) return leat_failed("boom: the order is wrong");
    if (is(payload, "emit, then fail")) return emit_text("{}"), leat_failed("boom at the end");
    if (is(payload, "loop")) while (!never);
    if (is(payload, "recurse")) return dig(1);
    if (is(payload, "hoard")) return hoard();
    if (is(payload, "many")) return emit_times(1000);
    if (is(payload, "large")) return emit_large(200 << 10);
    if (is(payload, "no message")) return emit_text("{\"half\":");
    if (is(payload, "id")) return emit_id();
    if (is(payload, "count")) return emit_count();
    if (is(payload, "count, then fail")) return count++, leat_failed("boom after the count");
    if (is(payload, "trap")) __builtin_trap();
    if (is(payload, "bad pointer")) leat_emit(outside, 32);
    if (is(payload, "bad key")) leat_meta_get(outside, 32, buffer, sizeof buffer);
    if (is(payload, "bad buffer")) leat_meta_get("leat.id", 7, outside, 32);
    if (is(payload, "bad buffer, no value")) leat_meta_get("none", 4, outside, 32);
    if (is(payload, "bad capacity")) leat_config(buffer, 0xf0000000);
    if (is(payload, "bad buffer, short")) leat_config(outside, 1);
    if (is(payload, "lengths")) return emit_lengths();
    leat_emit(payload.at, payload.length);
    return LEAT_OK;
}
