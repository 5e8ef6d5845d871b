/** A place in a check: what is compared there, and how far that is. */
export interface CheckPlace {
  step: string;
  /** Empty at the beginning of the step. */
  after: string;
}

/** The longest workflow id, message id or token of Temporal; what is longer is none of ours. */
const PLACE_LENGTH_MAX = 1_000;

/** A place as clients hand it back. */
export const checkCursors = {
  of: ({ step, after }: CheckPlace): string => Buffer.from(JSON.stringify([step, after]), 'utf8').toString('base64url'),
  /** @returns undefined for what is no cursor of ours */
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
