import { Context } from '@temporalio/activity';

const HEARTBEAT_MS = 2_000;

/** Runs the work of an activity with a heartbeat every two seconds, so that Temporal detects a killed or frozen worker. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}
