/* leat.h: write a transform, or the guest of a causal stage, in C. It is the guest's side of
 * ABI leat/1 (flavors/wasm/README.md) and owns everything about it.
 *
 *     #include "leat.h"
 *
 *     int leat_transform(leat_text payload) {
 *         leat_emit(payload.at, payload.length);
 *         return LEAT_OK;
 *     }
 *
 * The guest of a stage says which of the two it is, before the include:
 *
 *     #define LEAT_FOLD                  // or LEAT_HANDLE, and leat_handle
 *     #include "leat.h"
 *
 *     int leat_fold(leat_call call) {    // a state that counts the records of a key
 *         leat_text state = call.state;
 *         return leat_answer("{\"state\":%d}", leat_is(state, "null") ? 1 : atoi(state.at) + 1);
 *     }
 *
 * Build either with
 *
 *     clang --target=wasm32-wasi -O2 -mexec-model=reactor -o name.wasm name.c
 *
 * Include it in one file of a module. */
#ifndef LEAT_H
#define LEAT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAT_IMPORT(name) __attribute__((import_module("leat"), import_name(name)))
#define LEAT_EXPORT(name) __attribute__((export_name(name)))

/* Bytes that somebody else owns. */
typedef struct {
    const char *at;
    size_t length;
} leat_text;

enum { LEAT_OK = 0, LEAT_FAILED = 1 };
enum { LEAT_DEBUG, LEAT_INFO, LEAT_WARN, LEAT_ERROR };

/* One output. The host copies the bytes. */
LEAT_IMPORT("emit") void leat_emit(const void *at, size_t length);
LEAT_IMPORT("fail") void leat_fail(const char *at, size_t length);
/* The length of an annotation of the message, or -1; nothing is written if it exceeds capacity. */
LEAT_IMPORT("meta_get") int leat_meta_get(const char *key, size_t key_length, char *buffer, size_t capacity);
/* Annotates the next output. */
LEAT_IMPORT("meta_set") void leat_meta_set(const char *key, size_t key_length, const char *value, size_t length);
LEAT_IMPORT("log") void leat_log(int level, const char *at, size_t length);
/* The time at which the message was admitted, in milliseconds since 1970. */
LEAT_IMPORT("now") int64_t leat_now(void);
/* {"constants": {...}, "parameters": {...}}; as leat_meta_get. */
LEAT_IMPORT("config") int leat_config(char *buffer, size_t capacity);

static inline int leat_failed(const char *why) {
    leat_fail(why, strlen(why));
    return LEAT_FAILED;
}

/* The room that the host writes messages into, until it asks for more. */
LEAT_EXPORT("leat_room") void *leat_room(size_t length) {
    static char *room;
    free(room);
    room = malloc(length);
    if (room == NULL) __builtin_trap();
    return room;
}

/* Whether a text is this one. */
static inline int leat_is(leat_text text, const char *what) {
    return text.length == strlen(what) && memcmp(text.at, what, text.length) == 0;
}

static inline size_t leat_skip(leat_text text, size_t at, const char *any) {
    while (at < text.length && text.at[at] != 0 && strchr(any, text.at[at]) != NULL) at++;
    return at;
}

/* Where the value that begins at `at` ends. */
static inline size_t leat_value_end(leat_text text, size_t at) {
    int depth = 0, quoted = 0;
    for (; at < text.length; at++) {
        char c = text.at[at];
        if (quoted) {
            if (c == '\\') at++;
            if (c == '"' && depth == 0) return at + 1;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = 1;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return at;
            if (--depth == 0) return at + 1;
        } else if (depth == 0 && strchr(", \t\r\n", c) != NULL) {
            return at;
        }
    }
    return text.length;
}

/* The value of an object's member, as it is written; {NULL, 0} where there is no such member or the
 * text is no object. Of two with one name it is the last; names are
 * compared as they are written, escapes and all. The text is JSON, as all that the host gives to a stage is. */
static inline leat_text leat_member(leat_text object, const char *name) {
    leat_text found = {NULL, 0};
    size_t at = leat_skip(object, 0, " \t\r\n");
    if (at == object.length || object.at[at] != '{') return found;
    at = leat_skip(object, at + 1, " \t\r\n");
    while (at < object.length && object.at[at] == '"') {
        size_t end = leat_value_end(object, at);
        leat_text key = {object.at + at + 1, end - at - 2};
        size_t start = leat_skip(object, end, " \t\r\n:");
        at = leat_value_end(object, start);
        if (leat_is(key, name)) found = (leat_text){object.at + start, at - start};
        at = leat_skip(object, at, " \t\r\n,");
    }
    return found;
}

#if defined LEAT_FOLD || defined LEAT_HANDLE

/* What the guest of a stage is given: the members of runtime.Entry's call, each as the JSON that it is. */
typedef struct {
    leat_text state; /* of a fold: the state of the record's key, null where there is none */
    leat_text topic; /* the topic's name, in quotes */
    leat_text key;   /* a string, {"base64": "..."} or null */
    leat_text value;
    leat_text msg; /* the record: it has partition, offset, timestamp and headers, too */
} leat_call;

/* A text as an argument of a format's %.*s. */
#define LEAT_TEXT(text) (int)(text).length, (text).at

/* The answer as JSON, by a format of printf: of a fold {"state": ..., "emit": [...]}, of a handler a list of
 * emissions. Call it once, and return what it returns; a handler that emits nothing returns LEAT_OK. */
__attribute__((format(printf, 1, 2))) static inline int leat_answer(const char *format, ...) {
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text == NULL) __builtin_trap();
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(values);
    leat_emit(text, (size_t)length);
    free(text);
    return LEAT_OK;
}

static inline leat_text leat_call_member(leat_text object, const char *name) {
    leat_text value = leat_member(object, name);
    return value.at == NULL ? (leat_text){"null", 4} : value;
}

static inline leat_call leat_call_of(leat_text text) {
    leat_text msg = leat_call_member(text, "msg");
    return (leat_call){leat_call_member(text, "state"), leat_call_member(msg, "topic"), leat_call_member(msg, "key"),
                       leat_call_member(msg, "value"), msg};
}

#endif

/* What the host calls. */
#if defined LEAT_FOLD && defined LEAT_HANDLE
#error "leat.h: a stage has a fold or a handler: define one of LEAT_FOLD and LEAT_HANDLE"
#elif defined LEAT_FOLD
/* The fold. The call is valid until it returns; return leat_failed("why") to fail. */
int leat_fold(leat_call call);

LEAT_EXPORT("fold") int leat_fold_export(const char *at, size_t length) {
    return leat_fold(leat_call_of((leat_text){at, length}));
}
#elif defined LEAT_HANDLE
/* The handler; as leat_fold. */
int leat_handle(leat_call call);

LEAT_EXPORT("handle") int leat_handle_export(const char *at, size_t length) {
    return leat_handle(leat_call_of((leat_text){at, length}));
}
#else
/* The transform. The payload is valid until it returns. Emit nothing to filter the message;
 * return leat_failed("why") to make it a dead letter. */
int leat_transform(leat_text payload);

LEAT_EXPORT("transform") int leat_transform_export(const char *at, size_t length) {
    return leat_transform((leat_text){at, length});
}

#endif

#endif
