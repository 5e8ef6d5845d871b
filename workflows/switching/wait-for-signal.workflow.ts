import { CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';

/** No timer is set for longer; the run then looks again. */
const TIMER_MS_MAX = 30 * 86_400_000;

/** Sends until it is done or until there is a signal, which may make it needless. False when the budget is spent. */
export async function sendUntilSignalled(ask: () => Promise<void>, isSignalled: () => boolean): Promise<boolean> {
  const scope = new CancellationScope();
  try {
    await scope.run(() => Promise.race([ask(), condition(isSignalled)]));
    return true;
  } catch (error) {
    // Somebody cancels the run itself.
    if (isCancellation(error)) throw error;
    return false;
  } finally {
    scope.cancel();
  }
}

/** Waits for a signal, or until a request is due; when the network operator says nothing for too long, operators are told and the wait goes on. */
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
  // Runs that were waiting when the limit on silence came have no timer for it: they go on as they began, until their next signal.
  if (!patched('limit-on-silence') || (forMs !== undefined && forMs <= silenceMs)) return void (await untilDue(0));
  if (await condition(isSignalled, silenceMs)) return;
  await noteSilence();
  await untilDue(silenceMs);
}
