// Pieces of shader that strands, bodies and arrows share: light from a key lamp with shadows and from the sky.

export const LIGHT_UNIFORMS = `
  uniform vec3 keyDirection;   // view axes, towards the lamp
  uniform vec3 upDirection;    // view axes
  uniform vec3 keyColour, skyColour, groundColour;
  uniform mat4 shadowMatrix;   // world to 0..1
  uniform sampler2D shadowMap; // depths
  uniform float shadowTexel, shadowReach, shadowBias, shadowOn;
`;

export const LIGHT = `
  // Share of the lamp that reaches a point of the world: 12 looks at the depth map, each between texels.
  float lit(vec3 world) {
    if (shadowOn < 0.5) return 1.0;
    vec4 c = shadowMatrix * vec4(world, 1.0);
    if (any(lessThan(c.xyz, vec3(0.0))) || any(greaterThan(c.xyz, vec3(1.0)))) return 1.0;
    float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    float sum = 0.0;
    for (int k = 0; k < 12; k++) {
      float a = turn + 2.3999632 * float(k), r = sqrt((float(k) + 0.5) / 12.0) * 3.0;
      sum += step(c.z - shadowBias, texture(shadowMap, c.xy + shadowTexel * r * vec2(cos(a), sin(a))).r);
    }
    return sum / 12.0;
  }
  vec3 sky(vec3 normal) { return mix(groundColour, skyColour, 0.5 + 0.5 * dot(normal, upDirection)); }
  // Linear light to what a screen shows, with a soft shoulder.
  vec3 develop(vec3 c) {
    c = mix(c, 1.0 - exp(-c * 1.25), 0.35);
    return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2));
  }
`;
