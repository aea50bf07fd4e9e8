/* All constants of a step, without units: lengths in radii or contact lengths, times in steps. Each says which step of
 * the redesign of the motion removes it. */
#ifndef SK_LIMITS_H
#define SK_LIMITS_H

enum {
  SK_APART = 4,       /* radii of arc between two places of one rod that may touch */
  SK_PAIR_MOST = 512, /* contacts of a pair that are compared with each other */
  SK_DENSE_STEPS = 4, /* that a rod keeps all its contacts */
  SK_CALM_MOST = 64,  /* halvings of the tolerance */
  SK_CLEAN_STEPS = 4, /* of one length after a shorter one */
  SK_SEARCHES = 8     /* further searches in a step */
};

#endif
