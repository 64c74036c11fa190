/* Rates an enriched order from 0 to 100 and changes no other byte of it. It means the same as
 * guests/go/score. */
#include "../leat.h"
#include <stdio.h>

typedef struct {
    const char *at, *end;
} reader;

static void skip_space(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at)) r->at++;
}

static void skip_string(reader *r) {
    for (r->at++; r->at < r->end && *r->at != '"'; r->at++)
        if (*r->at == '\\') r->at++;
    r->at++;
}

/* Skips one JSON value: the host has checked that the payload is JSON. */
static void skip_value(reader *r) {
    int depth = 0;
    do {
        skip_space(r);
        if (r->at >= r->end) return;
        switch (*r->at) {
        case '"': skip_string(r); break;
        case '{': case '[': depth++; r->at++; break;
        case '}': case ']': depth--; r->at++; break;
        case ',': case ':': r->at++; break;
        default:
            while (r->at < r->end && !strchr(",:]} \t\r\n", *r->at)) r->at++;
        }
    } while (depth > 0);
}

static int elements(reader r) {
    int n = 0;
    for (r.at++, skip_space(&r); r.at < r.end && *r.at != ']'; skip_space(&r)) {
        if (*r.at == ',') r.at++;
        skip_value(&r);
        n++;
    }
    return n;
}

static int named(leat_text key, const char *name) {
    return key.length == strlen(name) && memcmp(key.at, name, key.length) == 0;
}

int leat_transform(leat_text payload) {
    static const int weights[] = {0, 10, 25};
    double total = 0;
    int items = 0, priority = 0;
    reader r = {payload.at, payload.at + payload.length};
    if (r.at == r.end || *r.at != '{') return leat_failed("not an order");
    for (r.at++, skip_space(&r); r.at < r.end && *r.at != '}'; skip_space(&r)) {
        if (*r.at == ',') { r.at++; skip_space(&r); }
        leat_text key = {r.at + 1, 0};
        skip_string(&r);
        key.length = r.at - 1 - key.at;
        skip_space(&r);
        r.at++;
        skip_space(&r);
        reader value = r;
        skip_value(&r);
        value.end = r.at;
        /* A number is followed by a comma or a bracket, which ends strtod. */
        if (named(key, "total")) total = strtod(value.at, NULL);
        if (named(key, "priority")) priority = atoi(value.at);
        if (named(key, "items") && *value.at == '[') items = elements(value);
    }
    /* C does not check an index by itself. */
    if ((unsigned)priority >= sizeof weights / sizeof *weights) __builtin_trap();
    int points = (int)total / 50 + items + weights[priority];
    const char *last = payload.at + payload.length - 1;
    while (*last != '}') last--;
    char tail[32];
    int tail_length = snprintf(tail, sizeof tail, ",\"score\":%d}", points < 100 ? points : 100);
    size_t head = last - payload.at;
    char *out = malloc(head + tail_length);
    memcpy(out, payload.at, head);
    memcpy(out + head, tail, tail_length);
    leat_emit(out, head + tail_length);
    free(out);
    return LEAT_OK;
}
