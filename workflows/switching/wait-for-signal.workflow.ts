import { CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';

/** Longest timer; the run then checks again. */
const TIMER_MS_MAX = 30 * 86_400_000;

/** Sends until the requests are accepted or a signal arrives, which may make them unnecessary. @returns false if the budget is exhausted */
export async function sendUntilSignalled(send: () => Promise<void>, isSignalled: () => boolean): Promise<boolean> {
  const scope = new CancellationScope();
  try {
    await scope.run(() => Promise.race([send(), condition(isSignalled)]));
    return true;
  } catch (error) {
    // The run itself was cancelled.
    if (isCancellation(error)) throw error;
    return false;
  } finally {
    scope.cancel();
  }
}

/** Waits for a signal, or until a request is due. If no message arrives within `silenceMs`, operators are notified and the wait continues. */
export async function waitUntilSignalled(
  forMs: number | undefined,
  isSignalled: () => boolean,
  silenceMs: number,
  noteSilence: () => Promise<void>,
): Promise<void> {
  const untilDue = (passedMs: number) =>
    forMs === undefined
      ? condition(isSignalled)
      : condition(isSignalled, Math.min(Math.max(forMs - passedMs, 0), TIMER_MS_MAX));
  // Runs that started to wait before this timer existed continue without it until their next signal.
  if (!patched('limit-on-silence') || (forMs !== undefined && forMs <= silenceMs)) return void (await untilDue(0));
  if (await condition(isSignalled, silenceMs)) return;
  await noteSilence();
  await untilDue(silenceMs);
}
