import { decodeTextCursor, encodeTextCursor } from '../foundation/text-cursor.ts';

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
  of: ({ step, after }: CheckPosition): string => encodeTextCursor([step, after]),
  /** @returns undefined for an invalid cursor */
  parse: (cursor: string): CheckPosition | undefined => {
    const [step, after, ...others] = decodeTextCursor(cursor) ?? [];
    if (step === undefined || after === undefined || others.length > 0) return undefined;
    return after.length > POSITION_LENGTH_MAX || after.includes('\0') ? undefined : { step, after };
  },
};
