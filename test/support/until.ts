const [FIRST_LOOK_AFTER_MS, LOOK_EVERY_MS_MOST, LONGER_BY] = [50, 200, 1.25];

/** The waits that go on, each with the place that asked for it. */
const waits = new Set<Error>();

/**
 * Waits until something is true; the test's own time limit ends a wait in vain.
 * @param everyMs between two looks; without it they become rarer, for each costs processor time that what is waited for may need
 * @throws Error when the test has ended meanwhile
 */
export async function until(isTrue: () => Promise<boolean> | boolean, everyMs?: number): Promise<void> {
  const wait = new Error('What is waited for here did not come.');
  waits.add(wait);
  try {
    let waitMs = everyMs ?? FIRST_LOOK_AFTER_MS;
    while (!(await isTrue())) {
      await new Promise((resolve) => {
        setTimeout(resolve, waitMs);
      });
      if (!waits.has(wait)) throw wait;
      if (everyMs === undefined) waitMs = Math.min(waitMs * LONGER_BY, LOOK_EVERY_MS_MOST);
    }
  } finally {
    waits.delete(wait);
  }
}

/**
 * Ends the waits of a test that is over. Called after each test (test/tidy/native-runner.mjs): of one that has exceeded its time the
 * framework would only tell that it has.
 * @throws AggregateError with the places of the waits, if there are any
 */
export function endWaits(): void {
  const places = [...waits];
  waits.clear();
  if (places.length > 0) throw new AggregateError(places, 'The test was over before what it waited for came.');
}
