/* Light on a smooth surface: matt body colour under a clear glossy coat. The coat is the microfacet model with the GGX
 * distribution (Walter et al. 2007) and Schlick's Fresnel term; `wrap` lets light reach a little beyond the terminator,
 * as it does in pasta, wax and yarn. */
#include "inside.h"

vec surface_scatter(const surface_point *p, vec light)
{
  float cos_i = v_dot(p->normal, light), cos_o = maxf(v_dot(p->normal, p->view), 1e-3f);
  float matt = maxf((cos_i + p->wrap) / ((1 + p->wrap) * (1 + p->wrap)), 0);
  vec sum = v_scale(matt, p->colour);
  if (cos_i <= 0 || p->reflectance <= 0) return sum; /* no coat */
  vec half = v_unit(v_add(light, p->view));
  float cos_h = maxf(v_dot(p->normal, half), 0), cos_d = maxf(v_dot(light, half), 0);
  float a = p->roughness * p->roughness, a2 = a * a, d = cos_h * cos_h * (a2 - 1) + 1;
  float shadow_i = cos_i + sqrtf(a2 + (1 - a2) * cos_i * cos_i),
        shadow_o = cos_o + sqrtf(a2 + (1 - a2) * cos_o * cos_o);
  float m = 1 - cos_d, fresnel = p->reflectance + (1 - p->reflectance) * m * m * m * m * m;
  /* D F G / (4 cos_i cos_o) * pi * cos_i, with G / (4 cos_i cos_o) = 1 / (shadow_i shadow_o) */
  float coat = a2 / (d * d) * fresnel * cos_i / (shadow_i * shadow_o);
  return v_add(sum, v3(coat, coat, coat));
}
