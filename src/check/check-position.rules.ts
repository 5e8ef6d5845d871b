/** Position in a check: the step, and the position in the step. */
export interface CheckPosition {
  step: string;
  /** Empty at the beginning of the step. */
  after: string;
}

/** Longest workflow id, message id or token of Temporal; a cursor with a longer one is invalid. */
const POSITION_LENGTH_MAX = 1_000;

/** Converts positions to cursors and back. */
export const checkCursors = {
  of: ({ step, after }: CheckPosition): string =>
    Buffer.from(JSON.stringify([step, after]), 'utf8').toString('base64url'),
  /** @returns undefined for an invalid cursor */
  parseCursor: (cursor: string): CheckPosition | undefined => {
    const position = parseCursor(cursor);
    return position !== undefined && checkCursors.of(position) === cursor ? position : undefined;
  },
};

function parseCursor(cursor: string): CheckPosition | undefined {
  try {
    const [step, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (typeof step !== 'string' || typeof after !== 'string') return undefined;
    return after.length > POSITION_LENGTH_MAX || after.includes('\0') ? undefined : { step, after };
  } catch {
    return undefined;
  }
}
