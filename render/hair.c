/* Light on a hair: a dielectric cylinder with tilted scales, as three lobes (Marschner et al. 2003): R, reflected at
 * the surface; TT, through the fibre and coloured by it; TRT, reflected inside, the second highlight. Each lobe is
 * M(theta_h) N(phi): a Gaussian around the mirrored cone, shifted by the tilt of the scales, times an azimuthal part in
 * the closed form fitted by Karis (2016). What has been scattered many times is a soft diffuse term (Kajiya and Kay
 * 1989), and light that comes through other hairs is coloured by each of them (after Zinke et al. 2008). */
#include "inside.h"

static const float tilt = -0.06f, blur = 0.13f; /* radians: of the scales, and of the R lobe */

/* Schlick's Fresnel term for keratin, n = 1.55. */
static float fresnel(float cosine)
{
  const float f0 = 0.0465f;
  float m = 1 - clampf(cosine, 0, 1), m2 = m * m;
  return f0 + (1 - f0) * m2 * m2 * m;
}

static float gauss(float x, float width)
{
  float t = x * x / (width * width);
  return t < 30 ? expf(-0.5f * t) / (width * 2.5066283f) : 0; /* sqrt(2 pi) */
}

/* colour^power, by components */
static vec colour_power(vec log_colour, float power)
{
  return v3(expf(power * log_colour.x), expf(power * log_colour.y), expf(power * log_colour.z));
}

/* The azimuthal parts times M, for the cosine of phi between eye and light. */
static vec lobes(const hair_point *h, vec light, float sin_i, float sin_o)
{
  float theta_i = asinf(clampf(sin_i, -1, 1)), theta_o = asinf(clampf(sin_o, -1, 1));
  float theta_h = (theta_i + theta_o) / 2, cos_d = maxf(cosf((theta_o - theta_i) / 2), 0.1f);
  vec across_i = v_along(light, -sin_i, h->tangent), across_o = v_along(h->view, -sin_o, h->tangent);
  float norm = sqrtf(v_dot(across_i, across_i) * v_dot(across_o, across_o));
  float cos_phi = norm > 1e-6f ? clampf(v_dot(across_i, across_o) / norm, -1, 1) : 1;
  float half = sqrtf(maxf(0.5f + 0.5f * cos_phi, 0));
  float bent = 1 / (1.19f / cos_d + 0.36f * cos_d); /* 1 / effective index of refraction */

  float r = gauss(theta_h - tilt, blur) * 0.25f * half * fresnel(cos_d * half);
  vec sum = v3(r, r, r);
  float offset = clampf(half * (1 + bent * (0.6f - 0.8f * cos_phi)), 0, 1),
        f = fresnel(cos_d * sqrtf(1 - offset * offset));
  float tt = gauss(theta_h + tilt / 2, blur / 2) * (1 - f) * (1 - f) * expf(-3.65f * cos_phi - 3.98f);
  float path = 0.5f * sqrtf(maxf(1 - offset * offset * bent * bent, 0)) / cos_d;
  if (tt > 1e-4f) sum = v_along(sum, 0.6f * tt, colour_power(h->log_colour, path));
  f = fresnel(cos_d * 0.5f);
  float trt = gauss(theta_h + 1.5f * tilt, 1.6f * blur) * (1 - f) * (1 - f) * f * expf(17 * cos_phi - 16.78f);
  return trt > 1e-4f ? v_along(sum, 1.6f * trt, colour_power(h->log_colour, 0.8f / cos_d)) : sum;
}

vec hair_transmit(vec colour, int crossed)
{
  if (crossed <= 0) return v3(1, 1, 1);
  vec one = v3(0.30f + 0.55f * sqrtf(colour.x), 0.30f + 0.55f * sqrtf(colour.y), 0.30f + 0.55f * sqrtf(colour.z)),
      all = one;
  for (int k = 1; k < crossed; k++) all = v_mul(all, one);
  return all;
}

hair_point hair_make(vec tangent, vec view, vec colour, float plain)
{
  vec logs = v3(logf(maxf(colour.x, 1e-3f)), logf(maxf(colour.y, 1e-3f)), logf(maxf(colour.z, 1e-3f)));
  return (hair_point){tangent, view, colour, logs, plain};
}

vec hair_scatter(const hair_point *h, vec light)
{
  float sin_i = v_dot(h->tangent, light), sin_o = v_dot(h->tangent, h->view);
  vec normal = v_unit(v_along(h->view, -sin_o, h->tangent));
  float kajiya = sqrtf(maxf(1 - sin_i * sin_i, 0)), facing = v_dot(normal, light);
  float soft = kajiya * (0.45f + 0.55f * facing) * (facing > -0.8f);
  float gloss = 1 - 0.85f * h->plain;
  vec diffuse = v_scale(maxf(soft, 0) * (0.62f + 0.25f * h->plain), h->colour);
  vec shine = v_scale(PI * gloss, lobes(h, light, sin_i, sin_o));
  return v_add(diffuse, shine);
}
