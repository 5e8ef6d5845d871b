const [FIRST_LOOK_AFTER_MS, LOOK_EVERY_MS_MOST, LONGER_BY] = [50, 200, 1.25];

/** Pending waits, each with the place that started it. */
const waits = new Set<Error>();

/**
 * Waits until a condition is true; the test's own time limit ends a failing wait.
 * @param everyMs interval of the checks; by default it grows, as each check uses processor time that the awaited work
 * may need
 * @throws Error when the test has ended meanwhile
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
 * Ends the waits of an ended test. Called after each test (test/tidy/native-runner.mjs): after a timeout the
 * framework reports only the timeout.
 * @throws AggregateError with the places of the waits, if there are any
 */
export function endWaits(): void {
  const places = [...waits];
  waits.clear();
  if (places.length > 0) throw new AggregateError(places, 'The test ended before the awaited condition became true.');
}
