/* lease.pml - the clocks behind "expired comes strictly before evicted", which protocol.pml takes for granted: one owner that
 * shows life at its marker, one observer that looks at it, in discrete time. Requests and replies take any time; both
 * sides may stop for any time between any two steps.
 *
 * The holder's rule: valid until (its clock just BEFORE the heartbeat was sent) + LEASE - MARGIN, for a heartbeat whose reply
 * came while it was still valid, and whose stamp was then seen to differ from the one before.
 * The observer's rule: dead when a look shows the stamp of an earlier one, and the clock read just BEFORE that look was sent
 * less the clock read AFTER the reply of the first look that showed this stamp is at least OLEASE.
 * (Three looks and no gap of more than a third of that are asked for besides; that only makes evictions rarer.)
 *
 * Stamps may be coarse: two changes within one tick of the server leave the same stamp. A heartbeat's reply may get lost
 * though it was executed; the owner then no longer knows which stamp it compares with, and asks anew.
 *
 * LEASE MARGIN OLEASE  in ticks.  DRIFT n: the observer's clock may gain one tick in every n of the owner's (0: none)
 * MUT_x                careless readings, each at its place below
 */
#ifndef LEASE
#define LEASE 6
#endif
#ifndef OLEASE
#define OLEASE LEASE
#endif
#ifndef MARGIN
#define MARGIN 1
#endif
#ifndef DRIFT
#define DRIFT 0
#endif
#define CAP (OLEASE + 1)

byte left = LEASE - MARGIN;     /* the owner's validity; 0 is for ever */
byte beat = 0;                  /* heartbeat: 0 none, 1 sent, 2 executed and its reply on the way */
byte age = 0;                   /* the owner's clock since it was sent */
bit  ticked = 0;                /* the server's clock has gone on to another stamp since the marker's last change */
bit  moved = 0;                 /* the marker's stamp differs from the one that the owner compares with */
bit  known = 1;                 /* the owner has one to compare with */
bit  same = 0;                  /* the stamp that the observer remembers is the marker's present one */
byte look = 0;                  /* look: 0 none, 1 sent, 2 answered and its reply on the way */
bit  lsame = 0;                 /* it showed the remembered stamp */
bit  lnow = 0;                  /* what it showed is still the present stamp */
bit  enough = 0;                /* the clock was far enough before it was sent */
byte seen = 0;                  /* the observer's clock since it first saw the remembered stamp */
byte since = 0;                 /* the observer's clock since the look was sent (MUT_FIRST_BEFORE) */
#if DRIFT > 0
byte drift = 0;
#endif

#ifdef MUT_REPLY_LATE           /* a heartbeat that comes back after the deadline counts */
#define INTIME true
#else
#define INTIME (left > 0)
#endif
#ifdef MUT_SAME_STAMP           /* one that did not move the stamp counts */
#define PROOF true
#else
#define PROOF moved
#endif
#ifdef MUT_OWN_AFTER            /* counts from the reply, not from before it was sent */
#define NEWLEFT (LEASE - MARGIN)
#else
#define NEWLEFT (LEASE - MARGIN > age -> LEASE - MARGIN - age : 0)
#endif
#ifdef MUT_LOOK_AFTER           /* the observer reads its clock after the reply */
#define LONGENOUGH (seen >= OLEASE)
#else
#define LONGENOUGH enough
#endif
#ifdef MUT_FIRST_BEFORE         /* its window begins when the first look was sent */
#define BEGUN since
#else
#define BEGUN 0
#endif
#ifdef MUT_KEEP_STAMP           /* after a lost reply it goes on to compare with the old stamp */
#define FORGET skip
#else
#define FORGET known = 0
#endif

active proctype Time() {
  do
  :: d_step {
       if :: left > 0 -> left-- :: else fi;
       if :: beat != 0 && age < LEASE -> age++ :: else fi;
       if :: seen < CAP -> seen++ :: else fi;
       if :: look != 0 && since < CAP -> since++ :: else fi;
#if DRIFT > 0
       if :: drift < DRIFT -> drift++ :: else fi
#endif
     }
#if DRIFT > 0
  :: d_step { drift == DRIFT -> drift = 0; if :: seen < CAP -> seen++ :: else fi; if :: look != 0 && since < CAP -> since++ :: else fi }
#endif
  :: d_step { !ticked -> ticked = 1 }
  od
}

active proctype Owner() {
  do
  :: d_step { beat == 0 && left > 0 && !known -> known = 1; moved = 0 }         /* looks, to have a stamp to compare with */
  :: d_step { beat == 0 && left > 0 && known -> beat = 1; age = 0 }
  :: d_step { beat == 1 -> beat = 2; if :: ticked -> ticked = 0; moved = 1; same = 0; lnow = 0 :: else fi }
  :: d_step { beat == 2 ->
       if :: INTIME && PROOF && NEWLEFT > left -> left = NEWLEFT :: else fi;
       if :: moved -> moved = 0 :: else fi;
       beat = 0; age = 0 }
  :: d_step { beat != 0 -> beat = 0; age = 0; FORGET }                          /* no reply; executed, or never */
  od
}

active proctype Observer() {
  do
  :: d_step { look == 0 -> look = 1; enough = (seen >= OLEASE); since = 0 }
  :: d_step { look == 1 -> look = 2; lsame = same; lnow = 1 }
#ifdef MUT_CACHED               /* a look may be answered from a cache: what it showed before */
  :: d_step { look == 1 -> look = 2; lsame = 1; lnow = same }
#endif
  :: d_step { look == 2 ->
       if
       :: lsame && LONGENOUGH -> assert(left == 0)                              /* evicts: the owner must have stopped */
       :: else -> if :: !lsame -> same = lnow; seen = BEGUN :: else fi
       fi;
       look = 0; lsame = 0; lnow = 0; enough = 0; since = 0 }
  od
}
