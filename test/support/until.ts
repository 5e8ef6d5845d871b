const [FIRST_LOOK_AFTER_MS, LOOK_EVERY_MS_MOST, LONGER_BY] = [50, 200, 1.25];

/** Pending waits, each with a stack that shows where it started. */
const waits = new Set<Error>();

/**
 * Waits until a condition is true; the test's own timeout ends a failing wait.
 * @param everyMs interval of the checks. By default it grows, because each check uses processor time that the awaited
 * work may need
 * @throws Error if the test has ended meanwhile
 */
export async function until(isTrue: () => Promise<boolean> | boolean, everyMs?: number): Promise<void> {
  const wait = new Error('The awaited condition did not become true.');
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
 * Ends the waits of an ended test. test/tidy/native-runner.mjs calls it after each test, because after a timeout the
 * framework reports only the timeout.
 * @throws AggregateError with the stacks of the waits, if there are any
 */
export function endWaits(): void {
  const places = [...waits];
  waits.clear();
  if (places.length > 0) throw new AggregateError(places, 'The test ended before the awaited condition became true.');
}
