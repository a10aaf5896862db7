/* renewal.pml - a suspended lease is renewed by compare-and-swap on its unique name: closer than protocol.pml looks at it, with
 * lost replies in each step of a renewal and with evictors that decide and act apart. Same properties, same numbers.
 *
 * Readers and writers acquire, hold, run out of lease at any step and then try to renew; evictors remove what has run out, as
 * late as they like. Each server operation is one atomic step (d_step); everything else interleaves, so a pause of any
 * length between two steps is in every run. Crashes are explicit (NCRASH) and only needed to look for stuck states.
 *
 * What is checked
 *   P1  two excluding holders are never both valid (held and the deadline of the present id not passed)
 *   P2  nobody excluded was valid between two valid spells of one lease: a renewed reader was not passed by a drain, a
 *       renewed writer was not passed by anybody
 *   P5  who gave a renewal up leaves no marker behind, not even by a request that the server executes later (LATE_x)
 *   P6  no stuck state although participants crash (Spin's invalid end states, with NCRASH and ROUNDS)
 *
 * Ids. K slots for each participant. A slot is used again only when no entry, no owner, no evictor and no late request
 * refers to it: the same as a name that is never used twice, but finite.
 *
 * Listings are no snapshots. An entry that stands from the first to the last request of a listing is reported; one that came
 * or went meanwhile may be missed, whatever the order of the directory. So a listing is two steps: the first notes
 * what stands, every removal strikes out, the second reports what is left. (To report more only means a longer wait.)
 * The same set serves the watch by forced looks: a name that is gone never comes back. SNAPSHOT makes it one step.
 *
 * Switches
 *   NR NW NE K        readers, writers, evictors, slots
 *   ROUNDS NCRASH NEXP  acquisitions each (0: no limit), crashes, leases that run out under a live owner (0: no limit)
 *   LATE_R LATE_W     replies get lost to readers, to writers; the request was executed, or will be at any later time, or never
 *   STUCK             for P6: evictor 0 removes only readers that a draining writer watches, evictor 1 waits at `writer`
 *   SNAPSHOT, NOLOOK  listings in one step; a reader renews without looking for `writer`
 *   MUT_x             deliberate faults, each at its place below; README.md has the list
 */
#ifndef NR
#define NR 1
#endif
#ifndef NW
#define NW 1
#endif
#ifndef NE
#define NE 1
#endif
#ifndef K
#define K 3
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
#if defined(LATE_R) || defined(LATE_W)
#define LATE
#endif
#ifdef STUCK
#undef NE
#define NE 2
#endif
#define NP (NR+NW)              /* participants: readers 0..NR-1, then writers */
#define NID (NP*K)
#define B(i) (1<<(i))
#define SAY(t, x) printf(t, x)  /* seen only when a trail is replayed */

/* ---- the server ---- */
short rd = 0;                   /* readers/: bit i = marker i is published */
bit   wex = 0;                  /* L/writer exists */
byte  wmk = 0;                  /* the marker in it, id+1; 0: none */
#ifdef LATE
byte  za[NP], zb[NP];           /* a request still to be executed. Reader: unlink za, or publish zb. Writer: rename za to zb */
byte  hid[NP];                  /* the hidden entry that a renewing reader is about to publish */
#endif

/* ---- the participants ---- */
short expd = 0;                 /* bit i = the deadline of id i has passed for its owner */
byte  cur[NP], nxt[NP];         /* the id in use, the id that shall replace it (id+1) */
bit   held[NP];                 /* holds: valid while !EXP(cur), else suspended */
bit   passed[NP];               /* ghost: somebody excluded was valid since this lease was got */
short seen[NW+1];               /* what a writer's listing of readers/ and the looks after it have left */
bit   wseen[NR+1];              /* the same for a reader's listing of L: `writer` stood all the time */
byte  pend[NE+1];               /* the evictor has decided on this id (id+1) */
#ifdef STUCK
byte  watch;                    /* the entry of writer/ that a waiting participant looks at (id+1) */
#define NOTWATCHED(i) (watch != (i)+1)
#else
#define NOTWATCHED(i) true
#endif
#if NCRASH > 0
byte  ncrash = 0;
bit   crashed[NP];
#define CRASHED(i) crashed[(i)/K]
#else
#define CRASHED(i) false
#endif
#if NEXP > 0
byte  nexp = 0;
#endif
#ifdef BFSRUN                   /* Spin's breadth-first search (short traces) does not take hidden variables */
byte  x_;
#else
hidden byte x_;                 /* scratch within a step */
#endif

#define PUB(i)  (((rd>>(i))&1) || wmk == (i)+1)
#define EXP(i)  ((expd>>(i))&1)
#define USED(i) (cur[(i)/K] == (i)+1 || nxt[(i)/K] == (i)+1)
#ifdef LATE
#define NOTLATE(i) (za[(i)/K] != (i)+1 && zb[(i)/K] != (i)+1 && hid[(i)/K] != (i)+1)
#else
#define NOTLATE(i) true
#endif
#define FREE(i) (!PUB(i) && !USED(i) && pend[0] != (i)+1 && pend[NE-1] != (i)+1 && NOTLATE(i) && NOTWATCHED(i))
#if K == 2
#define ANYFREE(p) (FREE((p)*K) || FREE((p)*K+1))
#define LAST(p)    ((p)*K+1)
#elif K == 3
#define ANYFREE(p) (FREE((p)*K) || FREE((p)*K+1) || FREE((p)*K+2))
#define LAST(p)    (FREE((p)*K+1) -> (p)*K+1 : (p)*K+2)
#else
#define ANYFREE(p) (FREE((p)*K) || FREE((p)*K+1) || FREE((p)*K+2) || FREE((p)*K+3))
#define LAST(p)    (FREE((p)*K+1) -> (p)*K+1 : (FREE((p)*K+2) -> (p)*K+2 : (p)*K+3))
#endif
/* A new id; its deadline counts from here, before the entry is created or the rename sent. Slots are alike: take the lowest. */
#define NEWID(p) (1 + (FREE((p)*K) -> (p)*K : LAST(p)))

/* ---- steps of the server ---- */
inline tidy(i)          { if :: !PUB(i) && !USED(i) -> expd = expd & ~B(i) :: else fi }    /* keeps the state space small */
inline publish(i)       { rd = rd | B(i) }
inline unlink_reader(i) {
  rd = rd & ~B(i);
  x_ = 0; do :: x_ < NW -> seen[x_] = seen[x_] & ~B(i); x_++ :: else -> break od;
  tidy(i)
}
inline writer_went()    { x_ = 0; do :: x_ < NR -> wseen[x_] = 0; x_++ :: else -> break od }
inline unlink_writer(i) { if :: wmk == (i)+1 -> wmk = 0; tidy(i) :: else fi }
inline rmdir_writer()   { if :: wex && wmk == 0 -> wex = 0; writer_went() :: else fi }

/* p holds and is valid from now on, newly or again. */
inline valid_now() {
  x_ = 0;
  do
  :: x_ < NP ->
       if
       :: x_ != p && held[x_] && (x_ >= NR || p >= NR) ->
            assert(EXP(cur[x_]-1));                                    /* P1 */
            passed[x_] = 1
       :: else
       fi;
       x_++
  :: else -> break
  od;
  x_ = 0
}
inline renewed() {
  SAY("participant %d is renewed\n", p);
  assert(!passed[p]);                                                  /* P2 */
  valid_now()
}
inline got() {
  SAY("participant %d HOLDS\n", p);
  held[p] = 1; passed[p] = 0;
  if :: !EXP(cur[p]-1) -> valid_now() :: else fi
}
inline drop() {
  x_ = cur[p]; cur[p] = 0; tidy(x_-1);
  held[p] = 0; passed[p] = 0
}

#if NCRASH > 0
#define CRASH :: atomic { ncrash < NCRASH -> ncrash++; crashed[p] = 1; SAY("participant %d crashes\n", p); goto dead }
#else
#define CRASH
#endif
#if ROUNDS > 0
#define MORE (n_ < ROUNDS)
#define COUNT n_++
#define STOP :: atomic { !MORE -> goto fin }
#else
#define MORE true
#define COUNT skip
#define STOP
#endif

proctype Reader(byte p) {
#if ROUNDS > 0
  byte n_ = 0;
#endif
start:
  if
  :: d_step { MORE && ANYFREE(p) -> cur[p] = NEWID(p); expd = expd & ~B(cur[p]-1); COUNT }
  STOP
  fi;
  if
  :: d_step { publish(cur[p]-1); SAY("reader %d publishes\n", p) }
  CRASH
  fi;
  /* look: list L, which this client has just changed */
  d_step { wseen[p] = wex };
#ifndef SNAPSHOT
  if :: true CRASH fi;
#endif
  if
  :: d_step { !wseen[p] -> got() }
  :: d_step { wseen[p] -> wseen[p] = 0; unlink_reader(cur[p]-1); drop(); SAY("reader %d stands back\n", p) };
     if :: d_step { (!wex || wmk == 0) -> rmdir_writer() } CRASH fi;            /* polls with rmdir */
     goto start
  fi;

hold:
  if
  :: goto rel
#ifdef MUT_TOUCH_R        /* a mere touch of the old name makes it valid again */
  :: d_step { EXP(cur[p]-1) && ((rd>>(cur[p]-1))&1) -> expd = expd & ~B(cur[p]-1); renewed() } goto hold
#else
  :: d_step { EXP(cur[p]-1) && ANYFREE(p) -> nxt[p] = NEWID(p); expd = expd & ~B(nxt[p]-1); SAY("reader %d is suspended, renews\n", p)
#ifdef LATE_R
       ; hid[p] = nxt[p]
#endif
     }
#endif
  CRASH
  fi;

  /* renewal 1: rename the hidden entry to readers/<id2> */
#ifdef MUT_REMOVE_FIRST   /* the old is removed before the new is published */
  if :: d_step { ((rd>>(cur[p]-1))&1) -> unlink_reader(cur[p]-1) } :: d_step { else } goto lost fi;
#endif
#ifdef MUT_LOOK_FIRST     /* looks for `writer` before it publishes */
  d_step { wseen[p] = wex; SAY("reader %d looks for writer\n", p) };
#endif
  if
  :: d_step { publish(nxt[p]-1); SAY("reader %d publishes its new id\n", p)
#ifdef LATE_R
       ; hid[p] = 0
#endif
     }
#ifdef LATE_R
  /* no answer: executed, or not yet, or never. No publish then: withdraw the hidden entry, then the published one, start again */
  :: atomic { za[p] == 0 && zb[p] == 0 -> if :: publish(nxt[p]-1); hid[p] = 0 :: zb[p] = nxt[p] :: true fi };
#ifdef MUT_WITHDRAW_R     /* in the wrong order */
     d_step { unlink_reader(nxt[p]-1) }; d_step { hid[p] = 0 };
#else
     d_step { hid[p] = 0 }; d_step { unlink_reader(nxt[p]-1) };
#endif
     d_step { assert(!PUB(nxt[p]-1)); x_ = nxt[p]; nxt[p] = 0; tidy(x_-1) };    /* P5 */
     goto hold
#endif
  CRASH
  fi;

#ifndef NOLOOK
  /* renewal 2: list L, which this client has just changed. `writer` there: a listing of it may be under way that has gone past the
   * place of <id2> and will not find <id> either. So not now: take <id2> back; the lease stays suspended. */
#ifndef MUT_LOOK_FIRST
#ifdef MUT_LOOK_LAST      /* looks only after it removed the old */
  if :: d_step { ((rd>>(cur[p]-1))&1) -> unlink_reader(cur[p]-1) } :: d_step { else } goto lost fi;
#endif
  d_step { wseen[p] = wex; SAY("reader %d looks for writer\n", p) };
#endif
  if
  :: atomic { !wseen[p] }
  :: d_step { wseen[p] -> wseen[p] = 0; SAY("reader %d finds a claim, takes its new id back\n", p);
       unlink_reader(nxt[p]-1); x_ = nxt[p]; nxt[p] = 0; tidy(x_-1) };
     if                                     /* gives up, or tries again when the claim is gone (by release or by eviction) */
     :: goto rel
     :: d_step { (!wex || wmk == 0) -> rmdir_writer() }; goto hold
     CRASH
     fi
  CRASH
  fi;
#endif

  /* renewal 3, the swap: remove readers/<id>. It was there: nobody has evicted us, and nobody can have been let past us. */
swap:
#if defined(MUT_REMOVE_FIRST) || (defined(MUT_LOOK_LAST) && !defined(NOLOOK))
  d_step { x_ = cur[p]; cur[p] = nxt[p]; nxt[p] = 0; tidy(x_-1); if :: !EXP(cur[p]-1) -> renewed() :: else fi };
  goto hold;
#endif
  if
  :: d_step { ((rd>>(cur[p]-1))&1) -> unlink_reader(cur[p]-1); SAY("reader %d removes its old id\n", p);
       x_ = cur[p]; cur[p] = nxt[p]; nxt[p] = 0; tidy(x_-1);
       if :: !EXP(cur[p]-1) -> renewed() :: else fi };
     goto hold
#ifdef MUT_NOCHECK        /* does not ask whether the old was still there */
  :: d_step { !((rd>>(cur[p]-1))&1) -> x_ = cur[p]; cur[p] = nxt[p]; nxt[p] = 0; tidy(x_-1);
       if :: !EXP(cur[p]-1) -> renewed() :: else fi };
     goto hold
#else
  :: d_step { !((rd>>(cur[p]-1))&1) } goto lost
#endif
#ifdef LATE_R
  /* no answer. Still there on a forced look: again. Gone: by our request or by an evictor, nobody can tell: lost. */
  :: atomic { za[p] == 0 && zb[p] == 0 -> if :: unlink_reader(cur[p]-1) :: za[p] = cur[p] :: true fi };
     if
     :: d_step { ((rd>>(cur[p]-1))&1) } goto swap
#ifdef MUT_GUESS          /* takes it for its own removal */
     :: d_step { !((rd>>(cur[p]-1))&1) -> x_ = cur[p]; cur[p] = nxt[p]; nxt[p] = 0; tidy(x_-1);
          if :: !EXP(cur[p]-1) -> renewed() :: else fi };
        goto hold
#else
     :: d_step { !((rd>>(cur[p]-1))&1) } goto lost
#endif
     fi
#endif
  CRASH
  fi;

lost:
  if
  :: d_step { SAY("reader %d has lost its lease\n", p); held[p] = 0; unlink_reader(nxt[p]-1); x_ = nxt[p]; nxt[p] = 0; tidy(x_-1); drop()
#ifdef LATE_R
       ; hid[p] = 0
#endif
     }
  CRASH
  fi;
  goto start;

rel:
  if :: d_step { SAY("reader %d releases\n", p); unlink_reader(cur[p]-1); drop() } CRASH fi;
  goto start;
#if NCRASH > 0
dead:
end_dead: false;
#endif
fin:
end_fin: false
}

/* A writer's renewal by rename. Says where to go on: with the listing (back to d) or with holding. */
#define RENEWED_W d_step { x_ = cur[p]; cur[p] = nxt[p]; nxt[p] = 0; tidy(x_-1); \
                           if :: held[p] && !EXP(cur[p]-1) -> renewed() :: else -> SAY("writer %d has swapped its id\n", p) fi }

proctype Writer(byte p) {
#if ROUNDS > 0
  byte n_ = 0;
#endif
start:
  if
  :: d_step { MORE && ANYFREE(p) -> cur[p] = NEWID(p); expd = expd & ~B(cur[p]-1); COUNT }
  STOP
  fi;
  if
  :: d_step { (!wex || wmk == 0) -> wex = 1; wmk = cur[p]; writer_went(); SAY("writer %d claims\n", p) }    /* where an empty one stood, `writer` may move in L */
#if ROUNDS == 0
  :: d_step { drop() }; goto start          /* gives up */
#endif
  CRASH
  fi;

d:                              /* drain: list readers/ right after an own change there */
#ifdef SNAPSHOT
  if
  :: atomic { rd == 0 -> goto drained }
  :: d_step { rd != 0 -> seen[p-NR] = rd }
  fi;
#else
  if
  :: d_step { seen[p-NR] = rd; SAY("writer %d begins to list readers/\n", p) }
  CRASH
  fi;
  if
  :: atomic { seen[p-NR] == 0 -> SAY("writer %d has listed readers/: empty\n", p); goto drained }
  :: atomic { seen[p-NR] != 0 -> SAY("writer %d has listed readers/: not empty\n", p) }
  CRASH
  fi;
#endif
wait:                           /* forced looks at each listed name, until all are gone */
  if
#ifdef MUT_NORELIST
  :: atomic { seen[p-NR] == 0 -> goto drained }
#else
  :: atomic { seen[p-NR] == 0 -> goto d }
#endif
  :: d_step { EXP(cur[p]-1) && ANYFREE(p) -> nxt[p] = NEWID(p); expd = expd & ~B(nxt[p]-1) }; goto renew
#if ROUNDS == 0
  :: atomic { seen[p-NR] = 0; goto rel }
#endif
  CRASH
  fi;
drained:
  if
  :: d_step { got() }
  CRASH
  fi;

hold:
  if
  :: goto rel
#ifdef MUT_TOUCH_W        /* a mere touch of the old name makes it valid again */
  :: d_step { EXP(cur[p]-1) && wmk == cur[p] -> expd = expd & ~B(cur[p]-1); renewed() } goto hold
#else
  :: d_step { EXP(cur[p]-1) && ANYFREE(p) -> nxt[p] = NEWID(p); expd = expd & ~B(nxt[p]-1); SAY("writer %d is suspended, renews\n", p) }
#endif
  CRASH
  fi;

renew:                          /* the swap: rename writer/<id> to writer/<id2>, keeping to these two names until it is decided */
  if
  :: d_step { wmk == cur[p] -> wmk = nxt[p] }; goto swapped
#ifdef MUT_ENOENT
  :: d_step { wmk != cur[p] } goto swapped
#else
  :: d_step { wmk != cur[p] } goto look     /* ENOENT; it may be the answer to a repeated request, so look */
#endif
#ifdef LATE_W
  :: atomic { za[p] == 0 -> if :: wmk == cur[p] -> wmk = nxt[p] :: za[p] = cur[p]; zb[p] = nxt[p] :: true fi }   /* no answer */
#endif
  CRASH
  fi;
look:                           /* a forced look at writer/<id2> decides */
  if
  :: d_step { wmk == nxt[p] } goto swapped
#ifdef MUT_LOOK_OLD       /* no look at <id2>, but at <id>: gone means renewed */
  :: d_step { wmk != cur[p] } goto swapped
#endif
#ifdef LATE_W
  :: d_step { wmk == cur[p] } goto renew    /* <id> is still there: the same rename again */
#endif
  :: d_step { wmk != nxt[p] } goto lost
  CRASH
  fi;
swapped:
  if :: RENEWED_W fi;
  if
  :: atomic { held[p] -> goto hold }
  :: atomic { else -> goto d }
  fi;

lost:                           /* old name first: then a rename that the server carries out late finds no source */
  if
#ifdef MUT_WITHDRAW_W
  :: d_step { SAY("writer %d has lost its lease\n", p); held[p] = 0; unlink_writer(nxt[p]-1) };
     d_step { unlink_writer(cur[p]-1) };
#else
  :: d_step { SAY("writer %d has lost its lease\n", p); held[p] = 0; unlink_writer(cur[p]-1) };
     d_step { unlink_writer(nxt[p]-1) };
#endif
     d_step { assert(wmk != cur[p] && wmk != nxt[p]); x_ = nxt[p]; nxt[p] = 0; tidy(x_-1) };        /* P5 */
     goto rel
  CRASH
  fi;

rel:
  if
  :: d_step { unlink_writer(cur[p]-1); drop(); SAY("writer %d releases\n", p) };
     if :: d_step { rmdir_writer() } CRASH fi
  CRASH
  fi;
  goto start;
#if NCRASH > 0
dead:
end_dead: false;
#endif
fin:
end_fin: false
}

#ifdef MUT_EARLY          /* evicts before the holder's deadline */
#define DEAD(i) true
#else
#define DEAD(i) EXP(i)
#endif
#ifdef STUCK
#define WATCHED(i) (e == 0 && (((seen[0] | seen[NW-1])>>(i))&1))
#else
#define WATCHED(i) true
#endif
#define PICK_R(i) :: atomic { ((rd>>(i))&1) && DEAD(i) && WATCHED(i) -> pend[e] = (i)+1; SAY("evictor decides on a marker of reader %d\n", (i)/K); goto exec_r }

/* Any participant that waits. It decides when a deadline has passed; it acts at any time after that, on that name only. */
proctype Evictor(byte e) {
  byte v_ = 0;
end_idle:
  if
#if NR > 0
  PICK_R(0) PICK_R(1)
#if NR*K > 2
  PICK_R(2)
#endif
#if NR*K > 3
  PICK_R(3)
#endif
#if NR*K > 4
  PICK_R(4) PICK_R(5)
#endif
#if NR*K > 6
  PICK_R(6) PICK_R(7)
#endif
#endif
#ifdef STUCK
  :: atomic { e == 1 && wmk != 0 -> watch = wmk }   /* the listing of writer/ */
#else
  :: atomic { wmk != 0 && DEAD(wmk-1) -> pend[e] = wmk; SAY("evictor decides on the marker of writer %d\n", (wmk-1)/K); goto exec_w }
#endif
  fi;
#ifdef STUCK
  if
  :: atomic { wmk == watch && DEAD(wmk-1) -> pend[e] = wmk; watch = 0 }
#ifdef MUT_NOREWATCH      /* the watched name vanished, `writer` stands: goes on looking at the old name */
  :: atomic { wmk != watch && !wex -> watch = 0; goto end_idle }
#else
  :: atomic { wmk != watch -> watch = 0; goto end_idle }      /* lists writer/ again */
#endif
  fi;
#endif
exec_w:
  if :: d_step { SAY("evictor %d removes in writer/\n", e); x_ = pend[e]; pend[e] = 0; if :: wmk == x_ -> wmk = 0; tidy(x_-1) :: else fi } fi;
  d_step { rmdir_writer() };
  goto end_idle;
exec_r:
  if :: d_step { SAY("evictor %d removes in readers/\n", e); v_ = pend[e]; pend[e] = 0; unlink_reader(v_-1); v_ = 0 } fi;
  goto end_idle
}

#if NEXP > 0
#define MAYEXP(i) (nexp < NEXP || CRASHED(i) || !USED(i))
#define SPEND(i)  if :: CRASHED(i) || !USED(i) :: else -> nexp++ fi;
#else
#define MAYEXP(i) true
#define SPEND(i)
#endif
#define RUNOUT(i) :: d_step { (USED(i) || PUB(i)) && !EXP(i) && MAYEXP(i) -> SPEND(i) expd = expd | B(i); SAY("a lease of participant %d runs out\n", (i)/K) }

proctype Env() {                /* time passes: deadlines of owners that sleep, hang or died */
end_env:
  do
  RUNOUT(0) RUNOUT(1)
#if NID > 2
  RUNOUT(2) RUNOUT(3)
#endif
#if NID > 4
  RUNOUT(4) RUNOUT(5)
#endif
#if NID > 6
  RUNOUT(6)
#endif
#if NID > 7
  RUNOUT(7)
#endif
#if NID > 8
  RUNOUT(8)
#endif
#if NID > 9
  RUNOUT(9)
#endif
#if NID > 10
  RUNOUT(10) RUNOUT(11)
#endif
  od
}

#ifdef LATE
#define SRV_R(q) :: d_step { zb[q] != 0 -> if :: hid[q] == zb[q] -> publish(zb[q]-1); hid[q] = 0 :: else fi; zb[q] = 0; SAY("late publish of reader %d\n", q) } \
                  :: d_step { za[q] != 0 -> v_ = za[q]; za[q] = 0; unlink_reader(v_-1); v_ = 0; SAY("late unlink of reader %d\n", q) }
#define SRV_W(q) :: d_step { za[q] != 0 -> v_ = za[q]; if :: wmk == v_ -> wmk = zb[q] :: else fi; za[q] = 0; zb[q] = 0; tidy(v_-1); v_ = 0; SAY("late rename of writer %d\n", q) }
proctype Server() {             /* executes requests whose client has gone on */
  byte v_ = 0;
end_server:
  do
#if NR > 0
  SRV_R(0)
#endif
#if NR > 1
  SRV_R(1)
#endif
  SRV_W(NR)
#if NW > 1
  SRV_W(NR+1)
#endif
  od
}
#endif

init {
  byte j;
  atomic {
    j = 0; do :: j < NR -> run Reader(j); j++ :: else -> break od;
    do :: j < NP -> run Writer(j); j++ :: else -> break od;
    j = 0; do :: j < NE -> run Evictor(j); j++ :: else -> break od;
    run Env();
#ifdef LATE
    run Server();
#endif
    j = 0
  }
}
