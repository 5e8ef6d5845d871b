/** Position in a check: the step, and the position in the step. */
export interface CheckPlace {
  step: string;
  /** Empty at the beginning of the step. */
  after: string;
}

/** Longest workflow id, message id or token of Temporal; a cursor with a longer one is invalid. */
const PLACE_LENGTH_MAX = 1_000;

/** Converts positions to cursors and back. */
export const checkCursors = {
  of: ({ step, after }: CheckPlace): string => Buffer.from(JSON.stringify([step, after]), 'utf8').toString('base64url'),
  /** @returns undefined for an invalid cursor */
  placeIn: (cursor: string): CheckPlace | undefined => {
    const place = placeIn(cursor);
    return place !== undefined && checkCursors.of(place) === cursor ? place : undefined;
  },
};

function placeIn(cursor: string): CheckPlace | undefined {
  try {
    const [step, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (typeof step !== 'string' || typeof after !== 'string') return undefined;
    return after.length > PLACE_LENGTH_MAX || after.includes('\0') ? undefined : { step, after };
  } catch {
    return undefined;
  }
}
