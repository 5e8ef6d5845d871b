const [FIRST_LOOK_AFTER_MS, LOOK_EVERY_MS_MOST, LONGER_BY] = [50, 200, 1.25];

/**
 * Waits until something is true; the test's own time limit ends a wait in vain.
 * @param everyMs between two looks; without it they become rarer, for each costs processor time that what is waited for may need
 */
export async function until(isTrue: () => Promise<boolean> | boolean, everyMs?: number): Promise<void> {
  let waitMs = everyMs ?? FIRST_LOOK_AFTER_MS;
  while (!(await isTrue())) {
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs);
    });
    if (everyMs === undefined) waitMs = Math.min(waitMs * LONGER_BY, LOOK_EVERY_MS_MOST);
  }
}
