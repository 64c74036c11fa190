/* A transform that is an ordinary program: one message on standard input, one on standard
 * output. It knows nothing of leat; the document says `abi: command`.
 *
 *     clang --target=wasm32-wasi -O2 -o upper.wasm upper.c */
#include <ctype.h>
#include <stdio.h>

int main(void) {
    int c, n = 0;
    for (; (c = getchar()) != EOF; n++) putchar(toupper(c));
    if (n == 0) {
        fputs("nothing to read\n", stderr);
        return 1;
    }
    return 0;
}
