/** Position in a check: the step, and how far it is. */
export interface CheckPlace {
  step: string;
  /** Empty at the beginning of the step. */
  after: string;
}

/** The longest workflow id, message id or token of Temporal; a longer one is not from us. */
const PLACE_LENGTH_MAX = 1_000;

/** The position as a cursor. */
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
