/* Where a field is in the text of a scene: jansson knows lines of syntax errors only. The text must be valid JSON. */
#ifndef SK_SCENE_LOCATE_H
#define SK_SCENE_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

/* One step of a path: a field of an object, or (key NULL) an item of an array. */
typedef struct sk_path_step {
  const char *key;
  size_t index;
} sk_path_step;

typedef struct sk_span {
  size_t start, end; /* bytes of a value, end excluded */
} sk_span;

/* The value at the end of the path; false when the text has none. */
bool sk_locate(const char *text, const sk_path_step *path, int steps, sk_span *value);
/* Number of the line (from 1) of a byte. */
int sk_line(const char *text, size_t at);

#endif
