/* The limits of a step: every number that decides something, in groups, each with what removes it. All are without
 * unit: lengths in contact lengths (the collision radius of the thinner rod, of two bodies a fiftieth of the smaller
 * one) or radii, energies over the energy scale of the object, the rest as ratios and counts. */
#ifndef SK_LIMITS_H
#define SK_LIMITS_H

/* Those that sizes of arrays and the table of the controller need as constants of the language. */
enum {
  SK_PAIR_MOST = 512,    /* contacts of a pair that are compared with each other; until contacts have a name */
  SK_SEARCHES = 8,       /* further searches in a step; until contacts have a name */
  SK_STRAYS_MOST = 256,  /* pieces that went further than they looked and are followed */
  SK_PARTS_MOST = 8,     /* parts of a piece whose crossings are judged */
  SK_ROD_BLOCK = 32,     /* rods whose energies are added up by one thread, so that any number gives the same bits */
  SK_CONTACT_BLOCK = 512 /* contacts that one thread goes through, at least */
};

typedef struct sk_limits {
  /* ---- They stay ---- */

  struct {
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
  } judge;                  /* what a flaw is */

  struct {
    double some;   /* of judge.overlap: an overlap below that is not looked at */
    double sure;   /* of judge.deep: up to there a plane beside the surface may tell the overlap */
    double near;   /* contacts that end nearer than that are asked how curved their way was */
    double bow;    /* times that of the search: curves bend in a step */
    double fine;   /* that the parts of a piece may miss the curve by */
    double far;    /* ways along a mesh that may lead into another part of it */
    double turn;   /* way of the places of a body over its turn and size, at most */
    double body;   /* size of a body over its contact length */
    int chords;    /* of a curve before a surface that deforms */
    int rounds;    /* of Gauss-Newton for the nearest places of two curves */
    int portion;   /* pairs that are looked at on their curves at a time */
    int crossings; /* crossed pairs of strays that are told apart */
  } sight;         /* how closely the judge looks */

  struct {
    double grows;      /* dt after a clean step */
    int clean_steps;   /* of one length after a shorter one */
    double deep, more; /* an overlap deeper than the first, in what the scene bears, and grown by the second: halved */
    double runs_away;  /* kinetic energy over all that there was */
  } length;            /* of the next step */

  struct {
    double body; /* radius of a body whose rest is judged, over its size */
  } rest;

  struct {
    double apart;   /* radii of arc between two places of one rod that may touch */
    double tangled; /* radii from two roots that are held on top of each other, in which they do not touch */
    double inside;  /* radii: a root that begins nearer to a surface grows out of it */
    double grace;   /* radii that it may stay inside after it has left it */
  } roots;          /* contacts that are none */

  struct {
    double steps; /* that a hand takes to pull its place nearer by a factor e */
  } hand;

  struct {
    double chord; /* radii that the polylines of a frame of every step miss their curves by */
  } frame;

  struct {
    int iterations;      /* of Newton's method or the fixed point */
    int frictions;       /* problems of friction about the poses that the last one led to */
    int tries;           /* of a line search, each half as far */
    int releases;        /* of a contact in a step */
    double decrease;     /* of the merit, of what the derivative promises */
    double regular;      /* part of the diagonal that is added */
    double regular_most; /* the same: the search for a direction gives up */
    double less, more;   /* times that after a step that went down, after one that did not */
    double touch;        /* tolerances: a contact so near holds at the start */
  } newton;              /* steps of rigid bodies by distances */

  struct {
    double size,
        least;   /* tolerance of distances over the size of the smallest body, at most (what a step tells), at least */
    double fall; /* the same over a fall in dt, at most */
    double rough, coarse; /* tolerance while friction is sought: over that, over the size, the larger one */
    double friction, lcp; /* tolerances of the problems in velocities, of the linear ones */
    double place;         /* of the smaller body: features nearer than that may be one place under two names */
    double skin;          /* of the smaller body: a mesh that is not convex is kept so far apart */
    int room;             /* for contacts, beside twice those that there are */
  } distances;            /* the same */

  /* ---- Until a step is linearised about its end ---- */

  struct {
    double again;  /* of the overlap that the scene bears: what the arc misses by, to solve the step again */
    double near;   /* radii at the end of the step in which it matters */
    double slight; /* radii that nobody would miss */
  } arcs;          /* what the linear problem misses */

  /* ---- Until overlaps are mended apart from velocities ---- */

  struct {
    double opens;     /* of an overlap, in a step */
    double body;      /* radius of a body by which its overlaps are judged, over its size */
    double less;      /* of the growth of an overlap before a halving: that is help */
    double thrown;    /* times the largest speed before the step, */
    double falls;     /* and times that of a fall over the longest rod beside it: a rod that is thrown */
    int gentle_least; /* steps without push-out after one without, */
    int gentle_most;
  } overlap; /* that the velocity problem opens */

  struct {
    double little;  /* of the overlap that the scene bears: growth that is never too much */
    double much;    /* the same: growth that always is */
    double beyond;  /* the same: an overlap that may not grow; */
    double share;   /* growth allowed, of what is left up to there: one over this */
    double unasked; /* radii that a contact which is not in the problem may sink by */
    double bears;   /* radii of overlap: a scene that bears as much has a few sinking contacts */
    int few;        /* one in so many may sink */
    double slid;    /* pieces that a contact slides by, over which chords miss curves as they did: one over this */
    double valley;  /* radii of relative way, from which on neighbours may hide another valley */
  } sinking;        /* contacts that go deeper in a step */

  struct {
    int shortest;          /* dt over the shortest step */
    double begins, grown;  /* share of the radii at the start; of the time, in which they grow to all of it */
    double creeps, inside; /* radii that a place may go deeper in a step near a body, with its axis inside it */
    double near;           /* radii: near a body */
    int halvings;          /* of the velocities of a rod, before it stays where it is for a step */
    double lengths;        /* of the longest rod that a place may go in all of it */
    double damping;        /* over the time: of all velocities */
    double tol;            /* of the problem, at least */
    int sweeps;            /* at most */
    double arm;            /* of the way to a held root, that an overlap opens by */
    double opens;          /* of the time, in which an overlap opens by a factor e, */
    double steps;          /* the same in steps, the longer one */
  } settling;              /* before t = 0 */

  /* ---- Until contacts have a name ---- */

  struct {
    double motion;       /* times the predicted way */
    double body;         /* of the size of a body that moves by forces, beside it */
    double beside;       /* of the way of such a body, that its neighbours may differ by */
    double bears, share; /* radii of borne overlap, at most; its share that a piece looks further */
    double way;          /* of the mean way of a piece, */
    double way_settling; /* the same before t = 0, where no step is taken again */
    double bow;          /* radii beside what a curve has beside its chord */
    double turn;         /* rad in a step: what turns more carries nothing */
    double near;         /* radii: surfaces that are further apart than that and than they move do not matter */
    double shortest;     /* radii: a piece is no shorter */
    int pieces;          /* of an element, at most */
  } reach;               /* how far the search looks */

  struct {
    double stray;            /* of the overlap that the scene bears: further than it looked is a stray */
    double more;             /* times what a rod went too far by: how much further it looks, */
    double radii, length;    /* at most, in radii or of its length, the larger one */
    double gap;              /* times the gap of a pair that seemed too far apart, and met */
    double fades, forgotten; /* what a step leaves of that; radii: less is none */
  } stray;                   /* what a rod learns that went further than it looked */

  struct {
    double parallel;     /* squared sine of two tangents that are along each other */
    int tries;           /* of Gauss-Newton for the nearest places */
    double bears, exact; /* radii of borne overlap that count nothing; of the rest: places so near are exact */
    double facing;       /* cosine of normals that face as before */
    double grace;        /* radii further than the distance itself that a surface is looked for */
    double same;         /* radii: contacts of a pair that are nearer are one */
  } refine;              /* on the true curves */

  struct {
    double facing;   /* cosine of normals that face the same way */
    double faith;    /* radii that one which has acted counts as deeper */
    int dense_steps; /* that a rod keeps all its contacts */
  } thinning;        /* contacts that say the same */

  /* ---- Until one tolerance serves motion and rest ---- */

  struct {
    double loose;          /* tolerance of a scene from which on a second, over-relaxed solve goes on */
    int mixed, mixed_fine; /* sweeps before that; the same with a finer tolerance */
    int push, arcs;        /* sweeps with push-out, with arcs */
    int fine, fine_share;  /* sweeps with a finer tolerance than loose; a share of all, one over this, with both */
    int step;              /* sweeps where a shorter step would do */
    double rough;          /* tolerance of sweeps before Newton's method */
    double local;          /* of the tolerance: that of the local solver */
    double found;          /* tolerances: an answer so near is a start for the next solve */
  } solve;

  struct {
    int halvings;              /* of the tolerance */
    int coarse_steps;          /* until a finer tolerance is asked for again, after one that missed it */
    double tols;               /* radii per dt over the tolerance: the largest speed, */
    double place_least, place; /* but at least, at most */
    double mean;               /* radii per dt: the mean speed */
    double fall;               /* radii of a fall that gives that speed */
    double body;               /* m/s: the same where there is no rod */
  } calm;                      /* what moves so little that it may be solved exactly */
} sk_limits;

static const sk_limits sk_limit = {
    .judge = {.overlap = 0.25,
              .deeper = 0.02,
              .deep = 0.5,
              .beyond = 0.25,
              .doubt = 0.25,
              .curved = 0.05,
              .balance = 0.02,
              .noise = 1e-4,
              .diverged = 1,
              .speed = 2,
              .able = 2},
    .sight = {.some = 0.8,
              .sure = 0.9,
              .near = 0.5,
              .bow = 1.5,
              .fine = 0.05,
              .far = 2,
              .turn = 1.5,
              .body = 50,
              .chords = 4,
              .rounds = 6,
              .portion = 8,
              .crossings = 4096},
    .length = {.grows = 1.2, .clean_steps = 4, .deep = 2, .more = 1.05, .runs_away = 1000},
    .rest = {.body = 0.1},
    .roots = {.apart = 4, .tangled = 5, .inside = 0.9, .grace = 2},
    .hand = {.steps = 8},
    .frame = {.chord = 0.125},
    .newton = {.iterations = 60,
               .frictions = 30,
               .tries = 10,
               .releases = 2,
               .decrease = 1e-4,
               .regular = 1e-8,
               .regular_most = 1e4,
               .less = 0.01,
               .more = 100,
               .touch = 10},
    .distances = {.size = 1e-10,
                  .least = 1e-12,
                  .fall = 1e-7,
                  .rough = 100,
                  .coarse = 1e-9,
                  .friction = 1e-8,
                  .lcp = 1e-9,
                  .place = 0.02,
                  .skin = 5e-4,
                  .room = 64},
    .arcs = {.again = 0.1, .near = 0.5, .slight = 0.02},
    .overlap =
        {.opens = 0.2, .body = 0.05, .less = 0.75, .thrown = 1.5, .falls = 0.2, .gentle_least = 8, .gentle_most = 256},
    .sinking = {.little = 0.02,
                .much = 0.2,
                .beyond = 1.6,
                .share = 3,
                .unasked = 0.2,
                .bears = 0.5,
                .few = 1000,
                .slid = 4,
                .valley = 0.05},
    .settling = {.shortest = 16,
                 .begins = 0.05,
                 .grown = 0.5,
                 .creeps = 0.05,
                 .inside = 0.002,
                 .near = 0.5,
                 .halvings = 7,
                 .lengths = 4,
                 .damping = 6,
                 .tol = 1e-4,
                 .sweeps = 80,
                 .arm = 0.1,
                 .opens = 0.05,
                 .steps = 5},
    .reach = {.motion = 1.2,
              .body = 1e-3,
              .beside = 0.2,
              .bears = 0.5,
              .share = 0.6,
              .way = 0.03,
              .way_settling = 0.5,
              .bow = 0.1,
              .turn = 0.1,
              .near = 0.3,
              .shortest = 0.2,
              .pieces = 10000},
    .stray = {.stray = 0.8, .more = 1.5, .radii = 10, .length = 0.014, .gap = 1.01, .fades = 0.9, .forgotten = 1e-3},
    .refine = {.parallel = 0.01, .tries = 3, .bears = 0.1, .exact = 0.1, .facing = 0.9, .grace = 1e-3, .same = 0.5},
    .thinning = {.facing = 0.7, .faith = 0.25, .dense_steps = 4},
    .solve = {.loose = 5e-4,
              .mixed = 150,
              .mixed_fine = 200,
              .push = 160,
              .arcs = 320,
              .fine = 400,
              .fine_share = 5,
              .step = 1000,
              .rough = 1e-5,
              .local = 0.01,
              .found = 10},
    .calm = {.halvings = 64,
             .coarse_steps = 8,
             .tols = 50,
             .place_least = 0.01,
             .place = 0.1,
             .mean = 0.01,
             .fall = 0.1,
             .body = 0.01}};

#endif
