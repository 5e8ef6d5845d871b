import { setTimeout as sleep } from 'node:timers/promises';
import type { SendSlot } from '../../platform/vendor-http/vendor-agent.ts';
import { NotSent } from '../../platform/vendor-http/vendor-http.ts';
import type { ReservedSlots, WantedSlots } from './throttle.store.ts';

/** A slot, or the seconds until the next one (null: not before the speed changes). */
type CallSlot = { isFree: true; sendSlot: SendSlot } | { isFree: false; waitSeconds: number | null };

/** A call that waits for a slot. */
interface SlotSeeker {
  /** Slots rotate among owners, so that an owner with many calls does not delay one with few. */
  owner: string;
  /** The call gives up at this time of `performance.now()`, unless a slot is reserved that no other call would use. */
  endsAt: number;
}

/** The calls of this process to one network operator. */
export interface CallSlots {
  /** Resolves at the time of the slot, with a permit that is valid only for this slot. */
  next(seeker: SlotSeeker): Promise<CallSlot>;
}

/** Thrown if there is no slot to repeat a call. */
export class NoSlot extends NotSent {
  override name = 'NoSlot';
  readonly waitSeconds: number | null;

  constructor(waitSeconds: number | null) {
    super('There is no slot for another call now.');
    this.waitSeconds = waitSeconds;
  }
}

/** A page that would wait longer is released. */
const LONGEST_WAIT_MS = 2_000;
/** Latest start of a call after the time of its slot; a missed slot is discarded (docs/decisions/0029). */
const LATE_MS = 15;
/** Longest wait before the throttle is read again, because the speed can change. */
const RECHECK_MS = 500;
/** Decay of the measured round trip. */
const SLOWNESS_KEPT = 0.8;
/** Round trips longer than this need slots that begin later. */
const QUICK_MS = 5;
const LEAD_MAX_MS = 400;
const BLOCK_MAX = 200;

interface Waiting extends SlotSeeker {
  resolve: (slot: CallSlot) => void;
  reject: (error: unknown) => void;
}

/**
 * Distributes slots of a network operator's throttle to the calls of this process at exactly the times that the database assigned. The
 * slower the database responds, the further ahead slots are requested.
 * @param reserve reserves slots of the throttle that all workers share
 */
export function createCallSlots(reserve: (wanted: WantedSlots) => Promise<ReservedSlots>): CallSlots {
  const seekers = createSeekers();
  const clock = createDatabaseClock();
  let promised = 0;
  let isReserving = false;
  let roundTripMs = 0;

  const serve = async (): Promise<void> => {
    if (isReserving) return;
    isReserving = true;
    try {
      while (seekers.count(promised) > promised) {
        const requestedMs = performance.now();
        const reserved = await reserve({
          wanted: Math.min(seekers.count(promised) - promised, BLOCK_MAX),
          leadMs: leadFor(roundTripMs),
          clockErrorMs: Math.min(clock.clockErrorMs(requestedMs), LEAD_MAX_MS),
        });
        const answeredMs = performance.now();
        clock.add({ requestedMs, answeredMs, databaseMs: reserved.databaseMs });
        roundTripMs = Math.max(answeredMs - requestedMs, roundTripMs * SLOWNESS_KEPT);
        if ('count' in reserved) promise(reserved);
        else await wait(reserved.nextRequestMs === null ? null : clock.ours(reserved.nextRequestMs) - answeredMs);
      }
    } catch (error) {
      for (const one of seekers.removeAll(promised)) one.reject(error);
    } finally {
      isReserving = false;
    }
  };
  const wait = async (waitMs: number | null): Promise<void> => {
    if (waitMs === null || waitMs > LONGEST_WAIT_MS) rejectWaiting(seekers.removeAll(promised), waitMs);
    // Half of the round trip earlier, so that the request reaches the database at the time that it named.
    else await sleep(Math.max(1, Math.min(waitMs - roundTripMs / 2, RECHECK_MS)));
  };
  const promise = ({ count, firstMs, everyMs }: { count: number; firstMs: number; everyMs: number }): void => {
    for (let index = 0; index < count; index += 1) {
      const due = clock.ours(firstMs + index * everyMs);
      const inMs = due - performance.now();
      promised += 1;
      if (inMs < 1) use(due);
      else setTimeout(() => use(due), inMs);
    }
  };
  const use = (due: number): void => {
    const endsAt = due + LATE_MS;
    const seeker = performance.now() > endsAt ? undefined : seekers.removeNext(promised);
    promised -= 1;
    seeker?.resolve({ isFree: true, sendSlot: sendSlotUntil(endsAt, () => next(seeker)) });
    // A call whose slot was missed needs another one.
    void serve();
  };
  const next = (seeker: SlotSeeker): Promise<CallSlot> =>
    new Promise((resolve, reject) => {
      seekers.add({ ...seeker, resolve, reject });
      // In the next iteration of the event loop, so that one statement serves concurrent calls.
      setImmediate(() => void serve());
    });
  return { next };
}

/** How far ahead slots are requested. */
function leadFor(roundTripMs: number): number {
  return Math.min(LEAD_MAX_MS, roundTripMs > QUICK_MS ? roundTripMs + QUICK_MS : 0);
}

function rejectWaiting(waiting: readonly Waiting[], waitMs: number | null): void {
  for (const one of waiting) one.resolve({ isFree: false, waitSeconds: waitMs === null ? null : waitMs / 1_000 });
}

/** A permit to send one call until `endsAt`. `renew` replaces it with the permit of another slot. */
function sendSlotUntil(endsAt: number, next: () => Promise<CallSlot>): SendSlot {
  let isUsed = false;
  let other: SendSlot | undefined;
  return {
    use: () => {
      if (other !== undefined) return other.use();
      const isInTime = !isUsed && performance.now() <= endsAt;
      isUsed = true;
      return isInTime;
    },
    renew: async () => {
      const slot = await next();
      if (!slot.isFree) throw new NoSlot(slot.waitSeconds);
      other = slot.sendSlot;
    },
  };
}

/** The waiting calls: first the owner that was served longest ago, and of each owner the oldest call. */
function createSeekers() {
  let waiting: Waiting[] = [];
  const servedAt = new Map<string, number>();
  let served = 0;
  const rejectExpired = (promised: number): void => {
    const now = performance.now();
    const over = waiting.filter(({ endsAt }) => endsAt < now);
    // Keep calls for slots that are reserved already.
    const expired = new Set(over.slice(Math.max(0, promised - (waiting.length - over.length))));
    for (const one of expired) one.resolve({ isFree: false, waitSeconds: 0 });
    waiting = waiting.filter((one) => !expired.has(one));
  };
  return {
    add: (one: Waiting): void => {
      waiting.push(one);
    },
    count: (promised: number): number => {
      rejectExpired(promised);
      return waiting.length;
    },
    /** @param promised reserved slots, including this one */
    removeNext: (promised: number): Waiting | undefined => {
      rejectExpired(promised);
      let chosen = 0;
      for (let index = 1; index < waiting.length; index += 1) {
        if ((servedAt.get(waiting[index]!.owner) ?? 0) < (servedAt.get(waiting[chosen]!.owner) ?? 0)) chosen = index;
      }
      const [one] = waiting.splice(chosen, 1);
      if (one === undefined) servedAt.clear();
      else servedAt.set(one.owner, (served += 1));
      return one;
    },
    /** Removes all but the first calls, which have slots. */
    removeAll: (butFirst: number): Waiting[] => waiting.splice(butFirst),
  };
}

/** The database's clock showed `databaseMs` at some time between `askedMs` and `answeredMs` of the local clock. */
interface ClockReading {
  requestedMs: number;
  answeredMs: number;
  databaseMs: number;
}

/** Converts times of the database's clock to the local clock, using the most accurate recent reading. */
interface DatabaseClock {
  add(reading: ClockReading): void;
  /** The local time at which the database's clock shows `databaseMs`. */
  ours(databaseMs: number): number;
  /** The largest error of `ours`; infinite before the first reading. */
  clockErrorMs(nowMs: number): number;
}

/** Largest drift between two clocks, as a share of time: twice that of a clock that is being adjusted. */
const DRIFT = 0.001;

interface Known {
  /** Local time minus the database's. */
  offsetMs: number;
  clockErrorMs: number;
  atMs: number;
}

/** A clock without readings. */
function createDatabaseClock(): DatabaseClock {
  let known: Known | undefined;
  const clockErrorMs = (nowMs: number): number =>
    known === undefined ? Infinity : known.clockErrorMs + DRIFT * (nowMs - known.atMs);
  return {
    add: ({ requestedMs, answeredMs, databaseMs }) => {
      const read: Known = {
        offsetMs: (requestedMs + answeredMs) / 2 - databaseMs,
        clockErrorMs: (answeredMs - requestedMs) / 2,
        atMs: answeredMs,
      };
      // If the two readings contradict each other, a clock was set, and the new reading applies.
      const isSetAnew =
        known !== undefined && Math.abs(known.offsetMs - read.offsetMs) > clockErrorMs(answeredMs) + read.clockErrorMs;
      if (isSetAnew || read.clockErrorMs <= clockErrorMs(answeredMs)) known = read;
    },
    ours: (databaseMs) => databaseMs + (known?.offsetMs ?? NaN),
    clockErrorMs,
  };
}
