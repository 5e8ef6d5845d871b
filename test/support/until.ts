/** Waits until something is true, looking often; the test's own time limit ends a wait in vain. */
export async function until(isTrue: () => Promise<boolean> | boolean, everyMs = 50): Promise<void> {
  while (!(await isTrue())) {
    await new Promise((resolve) => {
      setTimeout(resolve, everyMs);
    });
  }
}
