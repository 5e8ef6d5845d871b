/** A failure that the user can mend; its message says how, and is printed without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
}
