/* The published experiments: a row each. [AC] and [H] are the papers that the head of the page names. */
#include "reproduce.h"

const reproduce_experiment reproduce_experiments[REPRODUCE_EXPERIMENTS] = {
    {.name = "table1",
     .title = "Table I: eight simulations",
     .source =
         "[AC], Table I: rods, elements, friction, step, the largest number of contacts n and of &nu; = 3n / degrees "
         "of freedom, and the mean time per step on one thread of a Core 2 Duo at 2.1 GHz.",
     .commands = "skein run scenes/spaghetti-31.json -o run.h5 && skein stats run.h5\n"
                 "skein run scenes/wavy-hair.json -o run.h5 --set friction=0 && skein stats run.h5\n",
     .differs =
         "Materials and motions are not in the paper; the scenes are ours, made to its sizes and steps; where rods run "
         "side "
         "by side they touch at both ends of the stretch here (and nowhere between, where chains are level), and what "
         "is about to touch counts too, so some have two to four times the paper's contacts; those that act are fewer. "
         "Rods are implicit here (the paper's CoRdE was explicit). The paper stops at "
         "|f<sup>AC</sup>|&sup2; = 1e-5, about 1e-3 relative; here each contact of each step is below the "
         "scene's tolerance (1e-4 to 1e-6). Our time is of steps with contacts that are not all asleep, on this "
         "machine, with all "
         "threads; its ratio to the paper's is mostly one of machines, so the same solver as the paper's, "
         "newton-ac, is run here on some of the problems of each run, from zero, to the same tolerance.",
     .seconds = 180,
     .run = reproduce_table1},
    {.name = "spaghetti",
     .title = "Figure 7: a stack of spaghetti against friction",
     .source =
         "[AC], Figure 7 and section 5.1.3: without friction 31 rods spread over the plate; with friction on the plate "
         "only they form a stack but go on sliding; with friction everywhere the stack is higher and remains "
         "perfectly still. 7 rods, straight at rest and curved at the start, straighten without friction and "
         "stay curved with it.",
     .commands = "skein run scenes/spaghetti-31.json -o rough.h5 --set friction=0.5\n"
                 "skein run scenes/spaghetti-31.json -o plate.h5 --set friction=0 \\\n"
                 "  --set 'pairs=[{\"groups\": [\"pasta\", \"plate\"], \"mu\": 0.3}]'\n"
                 "skein run scenes/spaghetti-7.json -o smooth.h5 --set friction=0\n",
     .differs = "The paper shows pictures; heights and widths are ours. Spread is the root mean square distance of all "
                "points from the middle, across the rods.",
     .seconds = 140,
     .run = reproduce_spaghetti},
    {.name = "convergence",
     .title = "Figures 10 and 11: convergence against nu",
     .source =
         "[AC], Figures 10 and 11: the time that newton-ac needs grows quickly above &nu; = 1 and it fails above 1.5; "
         "up to 10 s for 31 rods of 16 nodes, 40 s for 76 of 16; 10 % of the problems of 76/22 miss the tolerance, "
         "the largest error is 1e-2, with 200 iterations at most.",
     .commands = "skein run scenes/spaghetti-76.json -o run.h5 --dump-problems problems --dump-every 20\n"
                 "skein solve problems/*.hdf5 --method newton-ac --max-sweeps 200 --tol 1e-4\n"
                 "skein solve problems/*.hdf5 --method newton-ac --ball plain --max-sweeps 200 --tol 1e-4\n"
                 "skein solve problems/*.hdf5 --method gs --tol 1e-4\n",
     .differs = "Each solver starts from zero; in the paper, and in our runs, from the step before. The error is our "
                "error_rel with the tolerance 1e-4, stricter than the paper's (about 1e-3). Newton stops after 200 "
                "iterations, as in the paper, all after a time limit. newton-ac/plain has the paper's ball, newton-ac "
                "Alart and Curnier's; both have a line search that is not monotone and a proximal term, which the "
                "paper's method has not.",
     .seconds = 90,
     .run = reproduce_convergence},
    {.name = "local-global",
     .title = "Section 6.1.4: local and global approaches",
     .source =
         "[AC], section 6.1.4: contact by contact (Gauss-Seidel, local) was not necessarily faster nor more robust "
         "than "
         "all at once (Newton, global): slow, cycling, sometimes failing although &nu; &lt; 1. The authors advise "
         "global below &nu; = 1, local above.",
     .commands = "skein run scenes/spaghetti-31.json -o run.h5 --dump-problems problems --dump-every 50\n"
                 "skein solve problems/*.hdf5 --method gs --tol 1e-6\n"
                 "skein solve problems/*.hdf5 --method newton-ac --tol 1e-6\n",
     .differs =
         "The local solver of the paper is its Newton method on one contact; ours is exact by a secular equation, with "
         "a fail-safe. Hence no cycling was expected here.",
     .seconds = 35,
     .run = reproduce_local_global},
    {.name = "knot",
     .title = "Tight knot and plectoneme",
     .source =
         "[AC], section 5.1.1 and Table I: a super-helix of 20 elements is tied into a knot that tightens, and twisted "
         "until it winds around itself; 8 and 18 contacts at most.",
     .commands = "skein run scenes/tight-knot.json -o knot.h5 --set 'forces[0].force=[16.1959, 0, 0]'   # 1e5 EI/L^2\n"
                 "skein run scenes/plectoneme.json -o plectoneme.h5\n",
     .differs =
         "In the paper a hand pulls; here the scene does, with a force, from 10 to 1e5 times EI/L&sup2;. The knot is "
         "watched by its determinant (the curve closed far away: 3 for the overhand knot, 1 once it is undone): "
         "it cannot change unless the rod crosses itself. A place where the rod touches itself along a line is several "
         "contacts here, so there are more than in the paper.",
     .seconds = 25,
     .run = reproduce_knot},
    {.name = "reef",
     .title = "A reef knot and a capstan: what friction holds",
     .source =
         "No figure of the papers: what exact friction is for. A reef knot holds at &mu; = 0.3 and slips at 0.05; a "
         "hoist "
         "of two and a half turns lifts 25 times the hold at 0.3 (exp(2&pi; 2.5 &mu;) = 111) and runs off at 0.05 "
         "(2.2).",
     .commands = "skein run scenes/reef-knot.json -o slips.h5 --set friction=0.05\n"
                 "skein run scenes/capstan-hoist.json -o runs.h5 --set friction=0.05\n",
     .differs = "Nothing is published beside it but the law of the capstan, which says which of the two happens.",
     .seconds = 70,
     .run = reproduce_reef},
    {.name = "orbit",
     .title = "Figure 7 [H]: exact and approximate friction",
     .source = "[H], Figure 7: the free end of a fibre on a ball that turns to and fro, &mu; = 1. Six solvers of the "
               "exact law "
               "reach the same orbit; duriez06 and the pyramid of four sides reach others.",
     .commands = "skein run scenes/orbit.json -o orbit.h5 --set solver.method=gs --set solver.local=pyramid4\n",
     .differs = "Sizes, frequency and stiffness are not in the paper; the scene is ours, chosen among six because the "
                "solvers differ in it as published (docs/gallery/orbit.md).",
     .seconds = 20,
     .run = reproduce_orbit},
    {.name = "double-loop",
     .title = "Figure 9: a ball in a double loop",
     .source =
         "[AC], Figure 9 and section 5.1.5: a spinning ball on two curly rails gets further with more friction; two "
         "contacts, a step of 11 ms, less than 5 Newton iterations and a precision of 1e-35 (squared) in each step.",
     .commands = "skein run scenes/double-loop.json -o loop.h5 --set friction=0.2\n",
     .differs =
         "The track is ours: its lengths are not in the paper. The tolerance is 1e-12 (relative). Each solve "
         "begins with Gauss-Seidel sweeps to 1e-5 (300 at most, not counted); without them some 10 steps of 3,000, "
         "in which a contact changes between sticking and sliding, take 6 to 10 iterations.",
     .seconds = 8,
     .run = reproduce_double_loop},
    {.name = "rigid",
     .title = "Rigid bodies by distances",
     .source =
         "Sauer and Sch&ouml;mer, <i>A constraint-based approach to rigid body dynamics for virtual reality "
         "applications</i>, 1998: steps that enforce distances at their end, by Newton on bilateral contacts (newton), "
         "Newton on the Fischer function (fischer) and linear complementarity problems (lcp), beside the velocity "
         "formulation.",
     .commands = "skein run scenes/box-stack.json -o stack.h5 --set solver.rigid=lcp --set solver.sleep=false\n",
     .differs = "The paper gives no numbers to compare; the claim is that distances do not fall below zero and nothing "
                "drifts.",
     .seconds = 15,
     .run = reproduce_rigid},
    {.name = "hair",
     .title = "Table 1 [H]: four heads of hair",
     .source =
         "[H], Table 1: Free/A, Free/B, Pony and Curly, 720 frames each: rods, friction, contacts, the share of "
         "steps that miss their tolerance, the largest error, Gauss-Seidel iterations, and times on a Core i7: the "
         "Gauss-Seidel loop alone, the contact solver with the assembly of W, a step, a frame, all.",
     .commands = "skein run scenes/free-a.json -o runs/free-a.h5      # and free-b, pony, curly; --resume goes on\n"
                 "skein reproduce hair --runs runs -o report\n"
                 "skein stats runs/free-a.h5 && skein measure runs/free-a.h5\n",
     .differs =
         "Head, haircuts and motions are ours: those of the paper were filmed. Its error is in its own units (about "
         "1e-3 to 1e-4 relative), ours is relative. T_GS here is the iterations of whatever method the step "
         "took (Gauss-Seidel, or an interior point where that is cheaper), T_solv all of the friction "
         "solver. Times are wall clock on this machine, with all threads, from the steps' statistics: "
         "writing files is not in them.",
     .seconds = 120,
     .run = reproduce_hair},
    {.name = "assembly",
     .title = "Figure 6 [H]: assembling W",
     .source =
         "[H], Figure 6 and section 6: the time to assemble W grows with its non-zero blocks, which is with "
         "n&sup2;; block by block is faster than a general sparse product; 20,000 contacts in less than a second.",
     .commands = "skein run scenes/curly.json -o run.h5 --frames 120 --dump-problems problems --dump-every 20\n",
     .differs =
         "The general product is ours by CSparse: sparse Cholesky of M, sparse triangular solves, a sparse matrix "
         "product. Problems are of the first 120 frames of Curly (20 of a small one in --quick).",
     .seconds = 30,
     .run = reproduce_assembly},
    {.name = "hair-friction",
     .title = "Figure 8 [H]: hair with and without friction",
     .source =
         "[H], Figure 8: in a fast head movement hair remains much more coherent with friction; without, it looks "
         "artificially clean and light. Section 7.2: strands group and split, much energy is dissipated by friction, "
         "the volume is kept.",
     .commands = "skein run scenes/free-a.json -o free-a.h5\n"
                 "skein run scenes/free-a.json -o smooth.h5 --set friction=0 --set 'pairs[0].mu=0'   # every pair\n"
                 "skein measure free-a.h5 --against smooth.h5\n",
     .differs =
         "The paper shows pictures; what is counted here, and how, is in docs/measures.md. Still, gentle and rough "
         "parts are told apart by the speed of the roots.",
     .seconds = 60,
     .run = reproduce_hair_friction},
    {.name = "locals",
     .title = "Table 2 and Figure 11 [H]: local solvers",
     .source =
         "[H], Table 2, Figure 11 and section 7.3: about 300 one-step problems of Pony by Gauss-Seidel with every "
         "local solver, alone and with the enumerative one as a fail-safe. MFB+Enum needs the least time and the "
         "fewest iterations; the fail-safe improves every solver; 4sides needs the most iterations; Enum alone "
         "needs many; Duriez06 diverged.",
     .commands = "skein run scenes/pony.json -o runs/pony.h5 --dump-problems runs/pony-problems --dump-every 15\n"
                 "skein reproduce locals --runs runs -o report\n"
                 "skein bench friction runs/pony-problems --csv locals.csv --plot locals.svg\n",
     .differs =
         "The problems are 306 of our Pony, evenly over its time, to error_rel 1e-3, each from the impulses that its "
         "step began with (8 of a small version in --quick). error_rel is the largest of all contacts; the paper's "
         "1e-6 is in its own units, on average a dimensionless 1e-3 to 1e-4. Whether a problem is solved at all "
         "hardly depends on the local solver, as long as it has the fail-safe: where it was looked at, what is "
         "missed has a few contacts that jump to and fro from sweep to sweep; solvers that leave some local problems "
         "half solved (duriez08, mfb) miss less, perhaps because that damps the jumps. Nor do sweeps of mfb, pac and "
         "dac with the fail-safe differ (sweeps, common), so that the cheapest local solve is the fastest: here "
         "pac's and dac's Newton steps cost less than mfb's. pyramid4 alone aims at another law: the paper stops it "
         "by the length of its steps at 5e-2, here error_rel 5e-2 is asked of it, which it may never reach. Our enum "
         "and fail-safe reset to zero as in the paper's algorithm 1. The published numbers of Table 2 are not "
         "repeated here, its ranks are.",
     .seconds = 60,
     .run = reproduce_locals},
};
