/** Exit statuses: done, failed or rejected, usage error, service unreachable, job waiting for a person, decisions needed. */
export const exitStatuses = { done: 0, failed: 1, usage: 2, unreachable: 3, waits: 4, decisions: 5 } as const;

/** A failure that the user can correct; its message says how, and is printed without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitStatus: number;

  constructor(message: string, exitStatus: number = exitStatuses.failed) {
    super(message);
    this.exitStatus = exitStatus;
  }
}
