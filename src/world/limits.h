/* The limits of a step, all without unit: lengths in contact lengths (the collision radius of the thinner rod, of two
 * bodies a fiftieth of the smaller one), energies over the energy scale of the object, the rest as ratios. */
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

typedef struct sk_limits {
  double overlap, deeper; /* an overlap above the first that grew by more than the second is too deep */
  double deep;            /* one above this is deep, whether it grew or not */
  double beyond;          /* of the thinnest rod: a place that went this much further than searched is a stray */
  double doubt;           /* by how much the first look at an overlap may be wrong */
  double curved;          /* way of a contact beside what the linear problem had */
  double balance;         /* energy of nothing */
  double noise;           /* the same: less is not summed */
  double diverged;        /* the same: there is no motion left to speak of */
  double speed;           /* of a place, over the largest that moved it */
  double able;            /* the same over what the motion could have reached by now */
} sk_limits;

static const sk_limits sk_default_limits = {.overlap = 0.25,
                                            .deeper = 0.02,
                                            .deep = 0.5,
                                            .beyond = 0.25,
                                            .doubt = 0.25,
                                            .curved = 0.05,
                                            .balance = 0.02,
                                            .noise = 1e-4,
                                            .diverged = 1,
                                            .speed = 2,
                                            .able = 1.5};

#endif
