/* Inside the reader of USD text: the stage as it is found in the text (usda_stage.c) and what is made of it
 * (file_usda.c). */
#ifndef SK_SCENE_USDA_STAGE_H
#define SK_SCENE_USDA_STAGE_H

#include "scene/files.h"

enum { SK_USD_DEEPEST = 64 }; /* prims in each other */

/* Bytes of the text. */
typedef struct sk_text {
  const char *at, *end;
} sk_text;

typedef enum sk_usd_attribute {
  SK_USD_POINTS,
  SK_USD_COUNTS,
  SK_USD_WIDTHS,
  SK_USD_FACE_COUNTS,
  SK_USD_FACE_INDICES,
  SK_USD_ST,
  SK_USD_ST_INDICES,
  SK_USD_ORIENTATION,
  SK_USD_XFORM_ORDER,
  SK_USD_XFORM_OP, /* any of them: its name is kept */
  SK_USD_ATTRIBUTES
} sk_usd_attribute;

typedef struct sk_usd_sample {
  double time; /* code; -infinity: the one value */
  sk_text value;
} sk_usd_sample;

typedef struct sk_usd_found {
  sk_usd_attribute what;
  sk_text name;     /* of an operation: "xformOp:translate" */
  int first, count; /* of the samples */
  int before;       /* the one that was found before in the same prim; -1: none */
} sk_usd_found;

typedef struct sk_usd_prim {
  int parent; /* -1: none */
  int last;   /* that was found in it; -1: none */
  sk_text type;
} sk_usd_prim;

typedef struct sk_usd_stage {
  sk_text from;
  size_t size;
  sk_list prims, founds, samples;
  double metres, codes; /* per unit; time codes per second */
  bool z_up;
} sk_usd_stage;

bool sk_text_starts(const sk_text *t, const char *word);
bool sk_text_is(sk_text t, const char *word);
/* Over a quoted word that begins here, or a path <...> or an asset @...@; false: it does not end. */
bool sk_text_quote(char c);
bool sk_text_skip_quoted(sk_text *t);

/* All prims that are defined and what is wanted of them; to be closed also after a failure. There is a zero byte behind
 * the text. */
skein_status sk_usd_open(const char *bytes, size_t size, sk_usd_stage *s);
void sk_usd_close(sk_usd_stage *s);

#endif
