/* protocol.pml - the protocol of docs/protocol.md: readers, writers, evictors, sweep, fences, renewal, downgrade.
 *
 * Each server operation is one atomic step (d_step); everything else interleaves, so a pause of any length, or for ever,
 * between any two steps is in every run. Explicit crashes (NCRASH) are only needed to look for stuck states.
 *
 * What is checked
 *   P1  two excluding holders are never both valid (held, and the deadline of the present id has not passed)
 *   P2  nobody excluded was valid between two valid spells of one lease that was renewed
 *   P3  no reader gets in, or is renewed, by a marker that it published after the claim that still stands
 *   P4  the fencing numbers that valid writers accept grow
 *   P5  who withdrew leaves no marker behind, not even by a request that the server executes later
 *   P6  nobody is stuck when the dead are evicted (Spin's invalid end states, in STUCK)
 *
 * Ids. A slot is used again only when nothing refers to it: the same as a name that is never used twice, but finite.
 * That there always is a free one is asserted, so no behaviour is cut off.
 *
 * Evictors. An eviction hits one unique name, whose deadline has passed for good. So whether an evictor decided long ago or
 * just now makes no difference, and nor does how many there are: Env removes any marker whose deadline has passed, at
 * any time. The same for the `rmdir writer` of anybody's poll, and for the sweep of hidden entries, which may follow a
 * directory's handle into `writer`. PEND adds an evictor that decides and acts apart; faults that give a name a
 * second life need it, and without a fault it must make no difference.
 *
 * Listings are no snapshots. An entry that stands from the first to the last request of a listing is reported; one that
 * came or went meanwhile may be missed, whatever the order of the directory. So a listing is two steps: the first notes what
 * stands, every removal strikes out, the second reports what is left. (To report more only means a longer wait.) The same set
 * then serves the watch by forced looks: a name that is gone never comes back.
 *
 * Switches
 *   NR NW K           readers, writers, slots for each
 *   ROUNDS NCRASH NEXP  acquisitions each (0: no limit), crashes, leases that run out under a live owner (0: no limit)
 *   HIDE              entries are hidden before they are published, claims wait in there, and are swept when their owner is dead
 *   LATE              (needs HIDE) replies of claims and publishings get lost; the request was executed, or is later, or never
 *   FENCE             fencing numbers, and what may be relied on: F_CLOCK, a server's clock that moves on from claim to claim,
 *                     or F_SNAPSHOT, listings in one reply
 *   RENEW DOWN PEND   renewal, downgrade, an evictor that acts late
 *   STUCK             evictions only by those who wait, of what they look at
 *   MUT_x             deliberate faults, each at its place below; README.md has the list
 */
#ifndef NR
#define NR 2
#endif
#ifndef NW
#define NW 2
#endif
#ifndef K
#define K 1
#endif
#ifndef ROUNDS
#define ROUNDS 0
#endif
#ifndef NCRASH
#define NCRASH 0
#endif
#ifndef NEXP
#define NEXP 0
#endif
#ifndef FENCE0
#define FENCE0 1             /* the fence that stands at the start; 0: none */
#endif
#if defined(RENEW) || defined(DOWN)
#define NEXT
#endif
#define NP (NR+NW)              /* participants: readers 0..NR-1, then writers */
#define NID (NP*K)              /* ids are 1..NID, 0 is none */
#define B(id) (1<<(id))
#define SAY(t, x) printf(t, x)  /* seen only when a trail is replayed */

/* ---- the server ---- */
short rd = 0;                   /* readers/: bit id = that marker is published */
bit   wex = 0;                  /* `writer` stands */
byte  wmk = 0;                  /* the marker in it; 0: none */
#ifdef HIDE
byte  hid[NP];                  /* the hidden entry for cur: 0 none, 1 with marker, 2 a claim's directory without */
#endif
#ifdef LATE
bit   late[NP];                 /* the rename of that hidden entry is still to be executed */
#endif
#ifdef FENCE
short fset = (1 << FENCE0) & ~1;       /* bit N = .f.<N> stands */
byte  lastf = FENCE0;           /* ghost: the newest number that a valid writer accepted */
byte  now = FENCE0;             /* the server's clock */
short fseen[NW+1];              /* what a writer's listing of readers/ will report of the fences */
#endif

/* ---- the participants ---- */
short expd = 0;                 /* bit id = its deadline has passed for its owner; only then may others remove it */
byte  cur[NP];                  /* the id in use */
#ifdef NEXT
byte  nxt[NP];                  /* the id that shall replace it */
#endif
byte  held[NP];                 /* 0 no, 1 reads, 2 writes: valid while the deadline of cur has not passed */
bit   after[NP];                /* ghost, P3: published after the claim that stands */
#ifdef RENEW
bit   aftern[NP];               /* the same for nxt */
bit   passed[NP];               /* ghost, P2: somebody excluded was valid since this lease was got */
#endif
short seen[NW+1];               /* a draining writer: what its listing and the looks after it have left */
bit   wseen[NR+1];              /* a reader that lists the lock directory: `writer` stood all the time */
#ifdef PEND
byte  pend = 0;                 /* an evictor has decided on this id */
#endif
#ifdef STUCK
byte  watch[NP];                /* the marker in `writer` that a waiting participant looks at */
#endif
#if NCRASH > 0
byte  ncrash = 0;
bit   crashed[NP];
#define CRASHED(id) crashed[((id)-1)/K]
#define CRASH :: atomic { ncrash < NCRASH -> ncrash++; crashed[p] = 1; SAY("participant %d crashes\n", p); goto dead }
#else
#define CRASHED(id) false
#define CRASH
#endif
#if NEXP > 0
byte  nexp = 0;
#endif
byte  x_ = 0;                   /* scratch within a step, 0 between steps */

#define PUB(id)  (((rd>>(id))&1) || wmk == (id))
#define EXP(id)  ((expd>>(id))&1)
#define VALID(p) (!EXP(cur[p]))
#ifdef NEXT
#define USED(id) (cur[((id)-1)/K] == (id) || nxt[((id)-1)/K] == (id))
#else
#define USED(id) (cur[((id)-1)/K] == (id))
#endif
#ifdef PEND
#define FREE(id) (!PUB(id) && !USED(id) && pend != (id))
#else
#define FREE(id) (!PUB(id) && !USED(id))
#endif
#define SLOT(p, n) ((p)*K+(n))
#if K == 1
#define ANYFREE(p) FREE(SLOT(p,1))
#define SOMEID(p) SLOT(p,1)
#elif K == 2
#define ANYFREE(p) (FREE(SLOT(p,1)) || FREE(SLOT(p,2)))
#define SOMEID(p) (FREE(SLOT(p,1)) -> SLOT(p,1) : SLOT(p,2))
#else
#define ANYFREE(p) (FREE(SLOT(p,1)) || FREE(SLOT(p,2)) || FREE(SLOT(p,3)))
#define SOMEID(p) (FREE(SLOT(p,1)) -> SLOT(p,1) : (FREE(SLOT(p,2)) -> SLOT(p,2) : SLOT(p,3)))
#endif
#ifdef PEND                     /* an evictor that sleeps for ever keeps a slot busy */
#define MAYTAKE(p) ANYFREE(p)
#else
#define MAYTAKE(p) true
#endif
/* A new id; its deadline counts from here, before the entry is made. */
inline take(x) { assert(ANYFREE(p)); x = SOMEID(p); expd = expd & ~B(x) }

/* ---- steps of the server ---- */
inline unlink_reader(id) {
  rd = rd & ~B(id);
  x_ = 0; do :: x_ < NW -> seen[x_] = seen[x_] & ~B(id); x_++ :: else -> break od; x_ = 0
}
#ifdef RENEW
#define CLEAR_AFTERN x_ = 0; do :: x_ < NR -> aftern[x_] = 0; x_++ :: else -> break od; x_ = 0
#else
#define CLEAR_AFTERN skip
#endif
inline claim_went()      { x_ = 0; do :: x_ < NR -> after[x_] = 0; x_++ :: else -> break od; x_ = 0; CLEAR_AFTERN }
inline writer_moved()    { x_ = 0; do :: x_ < NR -> wseen[x_] = 0; x_++ :: else -> break od; x_ = 0 }
inline unlink_writer(id) { if :: wmk == (id) && (id) != 0 -> wmk = 0; claim_went() :: else fi }
inline rmdir_writer()    { if :: wex && wmk == 0 -> wex = 0; writer_moved() :: else fi }
#define EMPTY (!wex || wmk == 0)
/* `writer` may stand elsewhere in the order of the lock directory than the empty one that it replaces. */
inline put_claim(id)     { wex = 1; wmk = id; writer_moved() }
#ifdef HIDE
inline put_hidden(q)     { put_claim(cur[q]); if :: hid[q] != 1 -> wmk = 0 :: else fi; hid[q] = 0 }
#endif

#ifdef NEXT
/* <id2> replaces <id>, which is not there any more. Slots are alike, so it moves to the first one, everywhere. */
#define MOVE(set) if :: ((set)>>SLOT(p,2))&1 -> set = (set & ~B(SLOT(p,2))) | B(SLOT(p,1)) :: else fi
inline replace() {
#ifdef PEND                     /* the evictor may still know the old one */
  cur[p] = nxt[p]; nxt[p] = 0
#else
  assert(cur[p] == SLOT(p,1) && nxt[p] == SLOT(p,2) && !PUB(cur[p]));
  expd = expd & ~B(cur[p]);
  MOVE(rd); MOVE(expd);
  x_ = 0; do :: x_ < NW -> MOVE(seen[x_]); x_++ :: else -> break od; x_ = 0;
  if :: wmk == nxt[p] -> wmk = cur[p] :: else fi;
  nxt[p] = 0
#endif
}
#endif

/* ---- who holds ---- */
#ifdef RENEW
#define PASSED(x) passed[x] = 1
#define NOTPASSED(p) passed[p] = 0
#else
#define PASSED(x) skip
#define NOTPASSED(p) skip
#endif
inline valid_now() {            /* p is valid from now on, newly or again */
  x_ = 0;
  do
  :: x_ < NP ->
       if
       :: x_ != p && held[x_] != 0 && (held[x_] == 2 || held[p] == 2) ->
            assert(EXP(cur[x_]));                                               /* P1 */
            PASSED(x_)
       :: else
       fi;
       x_++
  :: else -> break
  od;
  x_ = 0
}
inline got(how) { SAY("participant %d HOLDS\n", p); held[p] = how; NOTPASSED(p); valid_now() }
inline renewed() {
  SAY("participant %d is renewed\n", p);
  assert(!passed[p]);                                                           /* P2 */
  valid_now()
}
/* The owner lets go of its id; what it published is removed before, or in the same step. */
inline drop() { assert(!PUB(cur[p])); expd = expd & ~B(cur[p]); cur[p] = 0; held[p] = 0; after[p] = 0; NOTPASSED(p) }

#if ROUNDS > 0
#define MORE (n_ < ROUNDS)
#define COUNT n_++
#define STOP :: atomic { !MORE -> goto fin }
#else
#define MORE true
#define COUNT skip
#define STOP
#endif
#if ROUNDS == 1                 /* readers are alike, and so are writers: the first to start is the first */
#define ORDER (p == 0 || p == NR || started[p-1])
bit started[NP];
#define START started[p] = 1
#else
#define ORDER true
#define START skip
#endif

/* Waiting for `writer` to go: list it once, look at the marker, evict it when it is dead, and ask for `writer` by rmdir only
 * when it is gone. In the runs without STUCK Env does all that, and who waits may come back at any time. */
#ifdef STUCK
#ifdef MUT_NOREWATCH            /* goes on looking at the old name although `writer` still stands */
#define LOOK_AGAIN :: atomic { wmk != watch[p] && !wex -> watch[p] = 0; goto gate }
#else
#define LOOK_AGAIN :: atomic { wmk != watch[p] -> watch[p] = 0; goto gate }
#endif
#ifdef MUT_NOEVICT
#define EVICT_WATCHED
#else
#define EVICT_WATCHED :: d_step { wmk == watch[p] && EXP(wmk) -> unlink_writer(watch[p]); watch[p] = 0 }; goto gate
#endif
#ifdef MUT_NOCLEAR              /* an empty `writer` is taken for a writer that is about to fill it */
#define CLEAR_EMPTY :: atomic { !wex -> goto open }
#else
#define CLEAR_EMPTY :: d_step { EMPTY -> rmdir_writer() }; goto open
#endif
#define GATE \
gate: \
  if \
  CLEAR_EMPTY \
  :: atomic { wmk != 0 -> watch[p] = wmk } \
  CRASH \
  fi; \
  if \
  LOOK_AGAIN \
  EVICT_WATCHED \
  CRASH \
  fi
#endif

proctype Reader(byte p) {
#if ROUNDS > 0
  byte n_ = 0;
#endif
#if defined(MUT_CHECK_FIRST_R) || defined(MUT_STALE_R)
  bit old = 0;
#endif
start:
  if
  :: d_step { MORE && ORDER && MAYTAKE(p) -> take(cur[p]); COUNT; START;
#ifdef HIDE
       hid[p] = 1;
#endif
       skip }
  STOP
  fi;
#if defined(MUT_CHECK_FIRST_R) || defined(MUT_STALE_R)
  d_step { old = wex; SAY("reader %d lists the lock directory before it publishes\n", p) };
#endif

  /* 1: publish */
  if
#ifdef HIDE
  :: d_step { hid[p] == 1 -> hid[p] = 0; rd = rd | B(cur[p]); after[p] = (wmk != 0); SAY("reader %d publishes\n", p) }
  :: d_step { hid[p] == 0 -> drop(); SAY("reader %d was swept away\n", p) }; goto start
#else
  :: d_step { rd = rd | B(cur[p]); after[p] = (wmk != 0); SAY("reader %d publishes\n", p) }
#endif
#ifdef LATE                     /* no answer: executed, or not yet, or never. No publish then: the source goes first */
  :: atomic { hid[p] == 1 -> if :: hid[p] = 0; rd = rd | B(cur[p]) :: late[p] = 1 :: true fi };
#ifdef MUT_WITHDRAW_R
     d_step { unlink_reader(cur[p]) };
     d_step { hid[p] = 0 };
#else
     d_step { hid[p] = 0 };
     d_step { unlink_reader(cur[p]) };
#endif
     d_step { late[p] = 0; assert(!PUB(cur[p])); drop() };                      /* P5; what is still late finds no source */
     goto start
#endif
  CRASH
  fi;

  /* 2: list the lock directory, which this client has just changed */
#ifndef MUT_CHECK_FIRST_R
  if :: d_step { wseen[p] = wex } CRASH fi;
#endif
  if
#ifdef MUT_CHECK_FIRST_R
  :: d_step { !old && VALID(p) -> got(1) }
  :: atomic { old || !VALID(p) -> old = 0 }; goto back
#else
#ifdef MUT_STALE_R
  :: d_step { !old && VALID(p) -> wseen[p] = 0; got(1); SAY("reader %d was served an old listing\n", p) }
#endif
#ifdef MUT_NOCHECK_R
  :: d_step { !wseen[p] -> assert(!after[p]); got(1) }
#else
  :: d_step { !wseen[p] && VALID(p) -> assert(!after[p]); got(1) }              /* P3 */
#endif
  :: d_step { wseen[p] || !VALID(p) -> wseen[p] = 0 }; goto back
#endif
  CRASH
  fi;

hold:
  if
  :: goto rel
#ifdef MUT_TOUCH_R              /* a mere touch of the old name makes it valid again */
  :: d_step { EXP(cur[p]) && ((rd>>cur[p])&1) -> expd = expd & ~B(cur[p]); renewed() }; goto hold
#elif defined(RENEW)
  :: d_step { EXP(cur[p]) && MAYTAKE(p) -> take(nxt[p]); SAY("reader %d is suspended, renews\n", p) }
#endif
  CRASH
  fi;
#if defined(RENEW) && !defined(MUT_TOUCH_R)
  /* renewal 1: publish <id2> */
  if
  :: d_step { rd = rd | B(nxt[p]); aftern[p] = (wmk != 0); SAY("reader %d publishes its new id\n", p) }
  CRASH
  fi;
  /* renewal 2: list the lock directory; where a writer stands take <id2> back and stay suspended */
#ifndef MUT_NOLOOK
  if :: d_step { wseen[p] = wex } CRASH fi;
  if
  :: atomic { !wseen[p] }
  :: d_step { wseen[p] -> wseen[p] = 0; unlink_reader(nxt[p]); expd = expd & ~B(nxt[p]); nxt[p] = 0; aftern[p] = 0;
       SAY("reader %d finds a claim, takes its new id back\n", p) };
#ifdef STUCK
     goto rel
#else
     goto hold
#endif
  CRASH
  fi;
#endif
  /* renewal 3: remove <id>. It was there: nobody has evicted us. */
  if
  :: d_step { ((rd>>cur[p])&1) -> unlink_reader(cur[p]); replace();
       SAY("reader %d removes its old id\n", p);
       if :: VALID(p) -> assert(!aftern[p]); renewed() :: else fi; after[p] = aftern[p]; aftern[p] = 0 };       /* P3 */
     goto hold
  :: d_step { !((rd>>cur[p])&1) -> SAY("reader %d has lost its lease\n", p); held[p] = 0 }
  CRASH
  fi;
  if
  :: d_step { unlink_reader(nxt[p]); expd = expd & ~B(nxt[p]); nxt[p] = 0; aftern[p] = 0; drop() }
  CRASH
  fi;
  goto start;
#endif

rel:
  if :: d_step { SAY("reader %d removes its marker\n", p); unlink_reader(cur[p]); drop() } CRASH fi;
  goto start;
back:
  if :: d_step { SAY("reader %d stands back\n", p); unlink_reader(cur[p]); drop() } CRASH fi;
#ifdef STUCK
  n_--;                         /* it was no turn */
  GATE;
open:
#endif
  goto start;
#if NCRASH > 0
dead:
end_dead: false;
#endif
fin:
end_fin: false
}

#ifdef FENCE
#define STRIKE_FENCE(n) x_ = 0; do :: x_ < NW -> fseen[x_] = fseen[x_] & ~B(n); x_++ :: else -> break od; x_ = 0
#define LARGEST(set, n) n = 0; do :: ((set)>>(n+1)) != 0 -> n++ :: else -> break od
#ifdef F_SNAPSHOT               /* a listing is one reply, and the server's clock may be anywhere */
#define REPORTED fset
#define TIME if :: true :: m++ fi
#else                           /* the server's time is that of a change that this writer has just made in readers/ */
#define REPORTED fseen[p-NR]
#define TIME if :: t > m -> m = t :: else fi
#endif
#ifdef MUT_F_OLD_TIME           /* it is that of the marker, which may have waited since */
#define LIST_FENCES fseen[p-NR] = fset
#else
#define LIST_FENCES fseen[p-NR] = fset; t = now
#endif
#ifdef F_CLOCK                  /* each claim finds the server's clock moved on */
#define TICK now++
#else
#define TICK skip
#endif
#else
#define LIST_FENCES skip
#define TICK skip
#endif

#ifdef FENCE
#define ACCEPT assert(m > lastf); lastf = m; f = 0; m = 0; t = 0            /* P4 */
#else
#define ACCEPT skip
#endif

proctype Writer(byte p) {
#if ROUNDS > 0
  byte n_ = 0;
#endif
#if defined(MUT_CHECK_FIRST_W) || defined(MUT_STALE_W)
  bit old = 0;
#endif
#ifdef FENCE
  byte f = 0, m = 0;            /* the newest number listed, the number drawn */
  byte t = 0;                   /* the server's time, as this writer knows it */
#endif
start:
  if
  :: d_step { MORE && ORDER && MAYTAKE(p) -> take(cur[p]); COUNT; START;
#ifdef HIDE
       hid[p] = 1;
#endif
#ifdef MUT_F_OLD_TIME
       t = now;
#endif
       SAY("writer %d prepares its claim\n", p) }
  STOP
  fi;
#if defined(MUT_CHECK_FIRST_W) || defined(MUT_STALE_W)
  d_step { old = (rd == 0); SAY("writer %d lists readers/ before it claims\n", p) };
#endif
#ifdef MUT_F_BEFORE             /* the fences are listed before the claim */
  d_step { LARGEST(fset, f) };
#endif

  /* 1: claim */
claim:
  if
#ifdef MUT_MKDIR                /* makes `writer`, and only then puts the marker in it; the claim of another may stand there by then */
  :: d_step { !wex -> wex = 1; writer_moved() }; if :: d_step { wex && wmk == 0 -> wmk = cur[p] } :: d_step { wex && wmk != 0 } :: !wex -> goto withdraw fi
#elif defined(HIDE)
  :: d_step { hid[p] != 0 && EMPTY -> put_hidden(p); SAY("writer %d claims\n", p); TICK;
#ifdef MUT_CLAIM_LEASE          /* the owner counts its lease from the claim */
       expd = expd & ~B(cur[p]);
#endif
       skip }
  :: d_step { hid[p] == 0 -> drop(); SAY("writer %d was swept away\n", p) }; goto start
#else
  :: d_step { EMPTY -> put_claim(cur[p]); TICK; SAY("writer %d claims\n", p) }
#endif
#ifdef LATE                     /* no answer */
  :: atomic { hid[p] == 1 -> if :: EMPTY -> put_claim(cur[p]); hid[p] = 0 :: late[p] = 1 :: true fi }; goto withdraw
#endif
#ifdef STUCK
  :: atomic { wmk != 0 -> goto gate }
  :: atomic { !VALID(p) -> goto withdraw }
#else
  :: goto withdraw              /* gives up while it waits */
#endif
  CRASH
  fi;

  /* 2: drain. List readers/ right after an own change there. */
d:
#ifndef MUT_CHECK_FIRST_W
  if :: d_step { seen[p-NR] = rd; LIST_FENCES; SAY("writer %d begins to list readers/\n", p) } CRASH fi;
#endif
  if
#ifdef MUT_CHECK_FIRST_W
  :: atomic { old -> goto drained }
  :: atomic { !old -> goto rel }
#else
#ifdef MUT_STALE_W
  :: d_step { old -> seen[p-NR] = 0; SAY("writer %d is served an old listing\n", p) }; goto drained
#endif
  :: atomic { seen[p-NR] == 0 -> SAY("writer %d has listed readers/: nobody\n", p); goto drained }
  :: atomic { seen[p-NR] != 0 }
#endif
  CRASH
  fi;
wait:                           /* forced looks at each listed name, until all are gone */
  if
#ifdef MUT_NORELIST
  :: atomic { seen[p-NR] == 0 -> goto drained }
#else
  :: atomic { seen[p-NR] == 0 -> goto d }
#endif
#ifdef STUCK
  :: atomic { !VALID(p) -> seen[p-NR] = 0; goto rel }
#else
  :: atomic { seen[p-NR] = 0; goto rel }        /* gives up */
#endif
  CRASH
  fi;
drained:

  /* 3: fence. The newest one listed is moved to the new number; none: one is made. */
#ifdef FENCE
#ifndef MUT_F_BEFORE
  if :: d_step { LARGEST(REPORTED, f); fseen[p-NR] = 0 } fi;
#endif
draw:
  if :: atomic { m = f + 1; TIME } fi;
  if
  :: d_step { f != 0 && ((fset>>f)&1) -> fset = (fset & ~B(f)) | B(m); STRIKE_FENCE(f); SAY("the fence is moved to %d\n", m) }
  :: d_step { f == 0 && !((fset>>m)&1) -> fset = fset | B(m); SAY("the fence %d is made\n", m) }
#ifdef MUT_F_ENOENT             /* takes ENOENT for success */
  :: d_step { f != 0 && !((fset>>f)&1) }
#else
  :: d_step { f != 0 && !((fset>>f)&1) }; goto refence
#endif
  :: d_step { f == 0 && ((fset>>m)&1) }; goto refence
  CRASH
  fi;
  goto drawn;
refence:
  if :: d_step { LIST_FENCES } CRASH fi;
  if :: d_step { LARGEST(REPORTED, f); fseen[p-NR] = 0 } fi;
  goto draw;
drawn:
#endif
  if
#ifdef MUT_NOCHECK_W
  :: d_step { got(2); ACCEPT }
#else
  :: d_step { VALID(p) -> got(2); ACCEPT }
  :: atomic { !VALID(p) -> goto rel }
#endif
  CRASH
  fi;
hold:
  if
  :: goto rel
#ifdef MUT_TOUCH_W
  :: d_step { EXP(cur[p]) && wmk == cur[p] -> expd = expd & ~B(cur[p]); renewed() }; goto hold
#elif defined(RENEW)
  :: d_step { EXP(cur[p]) && MAYTAKE(p) -> take(nxt[p]); SAY("writer %d is suspended, renews\n", p) }; goto renew
#endif
#ifdef DOWN
#ifdef MUT_DOWN_LATE            /* releases first, then publishes */
  :: d_step { VALID(p) -> unlink_writer(cur[p]); take(nxt[p]); held[p] = 0 }; d_step { rd = rd | B(nxt[p]) };
     d_step { replace(); got(1) }; goto downgraded
#else
  :: d_step { MAYTAKE(p) -> take(nxt[p]) }; goto down
#endif
#endif
  CRASH
  fi;

#ifdef RENEW
renew:                          /* the swap */
  if
  :: d_step { wmk == cur[p] -> wmk = nxt[p]; replace();
       if :: VALID(p) -> renewed() :: else fi };
     goto hold
  :: d_step { wmk != cur[p] -> SAY("writer %d has lost its lease\n", p); held[p] = 0; expd = expd & ~B(nxt[p]); nxt[p] = 0 };
     goto rel
  CRASH
  fi;
#endif

#ifdef DOWN
down:                           /* publishes a reader's marker; was the write lease still in force after that? */
  if :: d_step { rd = rd | B(nxt[p]); SAY("writer %d publishes a reader's marker\n", p) } CRASH fi;
  if
#ifdef MUT_DOWN
  :: true
#else
  :: atomic { VALID(p) }
  :: d_step { !VALID(p) -> unlink_reader(nxt[p]); expd = expd & ~B(nxt[p]); nxt[p] = 0 }; goto rel
#endif
  CRASH
  fi;
  if                            /* gives the write lease back; it was not there any more: lost */
  :: d_step { wmk == cur[p] -> unlink_writer(cur[p]); replace(); got(1) }; goto downgraded
#ifdef MUT_DOWN
  :: d_step { wmk != cur[p] -> replace(); got(1) }; goto downgraded
#else
  :: d_step { wmk != cur[p] -> held[p] = 0; unlink_reader(nxt[p]); expd = expd & ~B(nxt[p]); nxt[p] = 0 }; goto rel
#endif
  CRASH
  fi;
downgraded:
  if :: d_step { rmdir_writer() } CRASH fi;
  if :: d_step { SAY("writer %d removes its reader's marker\n", p); unlink_reader(cur[p]); drop() } CRASH fi;
  goto start;
#endif

rel:
#ifdef FENCE
  atomic { f = 0; m = 0; t = 0; fseen[p-NR] = 0 };
#endif
  if :: d_step { unlink_writer(cur[p]); drop(); SAY("writer %d removes its marker\n", p) } CRASH fi;
  if :: d_step { rmdir_writer() } CRASH fi;
  goto start;

withdraw:                       /* a claim that may or may not have been made */
#ifdef HIDE
#ifdef MUT_WITHDRAW_W
  if :: d_step { unlink_writer(cur[p]) } CRASH fi;
  if :: d_step { if :: hid[p] == 1 -> hid[p] = 2 :: else fi } CRASH fi;
#else
  if :: d_step { if :: hid[p] == 1 -> hid[p] = 2 :: else fi } CRASH fi;
  if :: d_step { unlink_writer(cur[p]) } CRASH fi;
#endif
  if :: d_step { hid[p] = 0 } CRASH fi;
#ifdef LATE
  d_step { late[p] = 0; assert(!PUB(cur[p])) };                                 /* P5; what is still late finds no source */
#endif
#endif
  if :: d_step { rmdir_writer(); drop() } CRASH fi;
#ifdef STUCK
  n_--;
#endif
  goto start;

#ifdef STUCK
  GATE;
open:
  goto claim;
#endif
#if NCRASH > 0
dead:
end_dead: false;
#endif
fin:
end_fin: false
}

#ifdef MUT_EARLY                /* before the holder's deadline */
#define DEAD(id) true
#else
#define DEAD(id) EXP(id)
#endif

#if NEXP > 0
#define MAYEXP(id) (nexp < NEXP || CRASHED(id))
#define SPEND(id)  if :: CRASHED(id) :: else -> nexp++ fi;
#else
#define MAYEXP(id) true
#define SPEND(id)
#endif
#define RUNOUT(id) :: d_step { USED(id) && !EXP(id) && MAYEXP(id) -> SPEND(id) expd = expd | B(id); SAY("a lease of participant %d runs out\n", ((id)-1)/K) }

#ifdef STUCK                    /* a draining writer evicts what it looks at */
#define EVICT(id) :: d_step { (((seen[0] | seen[NW-1])>>(id))&1) && EXP(id) -> unlink_reader(id) }
#else
#define EVICT(id) \
  :: d_step { ((rd>>(id))&1) && DEAD(id) -> unlink_reader(id); SAY("evicted: marker %d\n", id) } \
  :: d_step { wmk == (id) && DEAD(id) -> unlink_writer(id); SAY("evicted: claim %d\n", id) }
#endif
#ifdef HIDE
#define SWEEP(p) \
  :: d_step { hid[p] == 1 && DEAD(cur[p]) -> hid[p] = (p < NR -> 0 : 2); SAY("swept: the hidden marker of %d\n", p) } \
  :: d_step { hid[p] == 2 && DEAD(cur[p]) -> hid[p] = 0 }
#else
#define SWEEP(p)
#endif
#ifdef LATE
#define SERVE(p) \
  :: d_step { late[p] && hid[p] != 0 && p < NR -> late[p] = 0; hid[p] = 0; rd = rd | B(cur[p]); SAY("late publish of %d\n", p) } \
  :: d_step { late[p] && hid[p] != 0 && p >= NR && EMPTY -> late[p] = 0; put_hidden(p); SAY("late claim of %d\n", p) }
#else
#define SERVE(p)
#endif
#define OF(id) RUNOUT(id) EVICT(id)
#define BY(p) SWEEP(p) SERVE(p)

proctype Env() {                /* time, the server, and everybody who waits */
end_env:
  do
  OF(1)
#if NID > 1
  OF(2)
#endif
#if NID > 2
  OF(3)
#endif
#if NID > 3
  OF(4)
#endif
#if NID > 4
  OF(5)
#endif
#if NID > 5
  OF(6)
#endif
#if NID > 6
  OF(7)
#endif
#if NID > 7
  OF(8)
#endif
#if NID > 8
  OF(9)
#endif
#if NID > 9
  OF(10)
#endif
#if NID > 10
  OF(11)
#endif
#if NID > 11
  OF(12)
#endif
  BY(0)
#if NP > 1
  BY(1)
#endif
#if NP > 2
  BY(2)
#endif
#if NP > 3
  BY(3)
#endif
#ifndef STUCK
  :: d_step { wex && wmk == 0 -> rmdir_writer() }
#endif
  od
}

#ifdef PEND
proctype Evictor() {            /* decides, and acts as late as it likes */
  bit w = 0;
end_idle:
  if
  :: atomic { wmk != 0 && DEAD(wmk) -> pend = wmk; w = 1; SAY("evictor decides on claim %d\n", wmk) }
#ifdef HIDE
#define DECIDE(p) :: atomic { hid[p] == 1 && DEAD(cur[p]) && p >= NR -> pend = cur[p]; w = 1; SAY("sweep decides on the hidden claim of %d\n", p) }
  DECIDE(NR)
#if NW > 1
  DECIDE(NR+1)
#endif
#endif
#define DECIDE_R(id) :: atomic { ((rd>>(id))&1) && DEAD(id) -> pend = id; SAY("evictor decides on marker %d\n", id) }
#if NR > 0
  DECIDE_R(1)
#if NR*K > 1
  DECIDE_R(2)
#endif
#if NR*K > 2
  DECIDE_R(3)
#endif
#endif
  fi;
  if
#ifdef MUT_FIXED                /* removes whatever has the name `writer` */
  :: d_step { w -> pend = 0; w = 0; wmk = 0; claim_went(); wex = 0; writer_moved(); SAY("evictor %d removes the name writer\n", 0) }
#else
  :: d_step { w -> w = 0; unlink_writer(pend); SAY("evictor removes claim %d\n", pend); pend = 0 }
#endif
  :: d_step { !w -> unlink_reader(pend); SAY("evictor removes marker %d\n", pend); pend = 0 }
  fi;
  goto end_idle
}
#endif

init {
  byte j;
  atomic {
    j = 0; do :: j < NR -> run Reader(j); j++ :: else -> break od;
    do :: j < NP -> run Writer(j); j++ :: else -> break od;
    run Env();
#ifdef PEND
    run Evictor();
#endif
    j = 0
  }
}
