/* Skein: thin elastic rods, and exact Coulomb friction for fibres, rigid bodies and finite elements.
 *
 * The front door, read from top to bottom, header by header, in the order of the data flow. Letters are those of
 * docs/notation.md. The library never prints, never exits and keeps no global state. */
#ifndef SKEIN_SKEIN_H
#define SKEIN_SKEIN_H

/* clang-format off: the order of the data flow */
#include <skein/base.h>    /* version, status */
#include <skein/problem.h> /* the one-step problem, its error, files and solvers */
#include <skein/rod.h>     /* one rod */
#include <skein/scene.h>   /* what exists */
#include <skein/world.h>   /* a scene in motion, step by step */
#include <skein/run.h>     /* frames, and the file that keeps them */
#include <skein/picture.h> /* what a run looks like, and hairs */
#include <skein/measure.h> /* what it shows */
#include <skein/export.h>  /* what other programs read */
/* clang-format on */

#endif
