/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The papers' claims as data: what each says, in our words; what number decides it, and within
 * which bounds it holds. Bounds stood here before the number was looked at. */
#ifndef CLAIMS_H
#define CLAIMS_H

/* One claim. */
typedef struct claim {
  const char *paper, *place, *says;
  const char *criterion; /* what number decides, and which values mean that it holds */
  const char *command;   /* what measures it; NULL: it cannot be tested, for the criterion given */
  double low, high;      /* it holds from low to high */
  const char *file;      /* of results that the number is of, behind a folder if it has one */
  const char *number;    /* in SQL, of the tables that the database has in place of the file */
} claim;

/* Ends with one without a paper. */
extern const claim claims[];

#endif
