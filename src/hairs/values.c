/* Values of hairs: a hair has those of its nearest guide, at the same share of the length. */
#include "hairs/hairs.h"

#include <stdlib.h>
#include <string.h>

/* The value of a rod at a share of its polyline: between two points, or that of the nearer one where numbers are names.
 */
static float value_at(const float *value, int count, float share, bool scale)
{
  float x = share * (float)(count - 1), last = (float)(count - 1);
  x = x < last ? x : last;
  int i = SK_MAX(SK_MIN((int)x, count - 2), 0);
  if (count == 1 || !scale) return value[SK_MIN((int)(x + 0.5f), count - 1)];
  return value[i] + (x - (float)i) * (value[i + 1] - value[i]);
}

static void fill_hairs(const skein_hairs *h, const skein_frame *f, const sk_carried *c, const float *from, bool scale,
                       float *value)
{
#pragma omp parallel for num_threads(h->def.threads) schedule(static, 256)
  for (int i = 0; i < h->def.hairs; i++) {
    const sk_hair *a = h->hair + i;
    int rod = c->rod[a->guide[0]], first = f->point_start[rod], count = f->point_start[rod + 1] - first;
    for (int k = 0; k < h->points; k++)
      value[(size_t)i * (size_t)h->points + (size_t)k] =
          value_at(from + first, count, a->length * (float)k / (float)(h->points - 1), scale);
  }
}

skein_status skein_hairs_values(const skein_hairs *h, const skein_look *look, skein_colour by,
                                const skein_frame *before, const skein_frame *frame, float *value)
{
  sk_carried c;
  float *from = sk_calloc((size_t)frame->points, sizeof *from);
  bool *guide = sk_calloc((size_t)frame->rods, sizeof *guide), scale = skein_colour_unit(by)[0] != 0;
  skein_status s = sk_carry(h, frame, &c);
  if (s.code == SKEIN_OK && (!from || !guide)) s = sk_no_memory();
  if (s.code == SKEIN_OK) s = skein_look_values(look, by, before, frame, from);
  if (s.code == SKEIN_OK) {
    fill_hairs(h, frame, &c, from, scale, value);
    for (int g = 0; g < h->guides; g++) guide[c.rod[g]] = true;
    float *to = value + (size_t)h->def.hairs * (size_t)h->points;
    for (int i = 0; i < frame->rods; i++) {
      int first = frame->point_start[i], count = frame->point_start[i + 1] - first;
      if (guide[i] || count == 0) continue;
      memcpy(to, from + first, sizeof *to * (size_t)count);
      to += count;
    }
  }
  sk_carried_free(&c);
  free(from), free(guide);
  return s;
}
