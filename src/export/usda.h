/* What the files that write USD share. */
#ifndef SK_EXPORT_USDA_H
#define SK_EXPORT_USDA_H

#include "export/export.h"

/* Rods of a group, and what of them changes from frame to frame. */
typedef struct sk_usda_group {
  char name[96];
  bool used, changes; /* changes: numbers of rods or points, radii or colours */
  bool one_radius, one_colour;
  float radius, colour[3];
  uint64_t hash, first_hash;
  float *extent; /* 6 per frame; lo > hi: it has no rods there */
} sk_usda_group;

typedef struct sk_usda {
  sk_export *x;
  sk_out out;
  sk_usda_group *groups;
  int group_count;
  double *pose; /* 7 per body and frame */
  int body_count;
  skein_frame first; /* frame 0 of the run, as it is shown: where strands root */
  bool starved;      /* no memory for a value */
} sk_usda;

/* Writes the value of one attribute in one frame; `which`: the group. */
typedef void sk_usda_put(sk_usda *u, const sk_view *view, int which);

void sk_usda_code(sk_usda *u, int k); /* writes the time code of frame k and a colon */
/* An attribute: time samples of the first `frames` frames, or one value. */
skein_status sk_usda_samples(sk_usda *u, const char *head, const char *tail, int frames, sk_usda_put *put, int which);
void sk_usda_string(sk_usda *u, const char *text); /* quoted */

skein_status sk_usda_group_put(sk_usda *u, int g); /* usda_curves.c */

/* usda_bodies.c */
void sk_usda_camera(sk_usda *u);
skein_status sk_usda_bodies(sk_usda *u);
skein_status sk_usda_contacts(sk_usda *u);

#endif
