import { Context } from '@temporalio/activity';

const HEARTBEAT_MS = 2_000;

/** Does the work of an activity with a sign of life every two seconds: a worker that is killed or frozen meanwhile is found out by its silence. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}
