/* leat.h: write a transform in C. It is the guest's side of ABI leat/1
 * (flavors/wasm/README.md) and owns everything about it.
 *
 *     #include "leat.h"
 *
 *     int leat_transform(leat_text payload) {
 *         leat_emit(payload.at, payload.length);
 *         return LEAT_OK;
 *     }
 *
 * Build it with
 *
 *     clang --target=wasm32-wasi -O2 -mexec-model=reactor -o name.wasm name.c
 *
 * Include it in one file of a module. */
#ifndef LEAT_H
#define LEAT_H

#include <stddef.h>
#include <stdint.h>
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

/* The transform. The payload is valid until it returns. Emit nothing to filter the message;
 * return leat_failed("why") to make it a dead letter. */
int leat_transform(leat_text payload);

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

LEAT_EXPORT("transform") int leat_transform_export(const char *at, size_t length) {
    return leat_transform((leat_text){at, length});
}

#endif
