import { printParseErrorCode, visit } from 'jsonc-parser';
import { tableOf } from '../../foundation/table.ts';

const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);
const ENDS = 'the text ends too early';
const NUMBER =
  'this is not a JSON number; JSON has no leading zeros, no plus sign, and digits on both sides of the point';
const CLOSING = /^[}\]]$/;

/** Messages by error code of the parser. */
const CAUSES = tableOf({
  InvalidNumberFormat: NUMBER,
  UnexpectedEndOfNumber: NUMBER,
  PropertyNameExpected: 'a member name in double quotes is missing here',
  ValueExpected: 'a value is missing here',
  ColonExpected: 'a colon is missing after a member name',
  CommaExpected: 'a comma or a closing bracket is missing here',
  CloseBraceExpected: 'a comma or } is missing here',
  CloseBracketExpected: 'a comma or ] is missing here',
  EndOfFileExpected: 'there is more text after the end of the JSON value',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  InvalidUnicode: 'in this string, \\u is not followed by four hexadecimal digits',
  InvalidEscapeCharacter:
    'in this string, a backslash is not followed by one of " \\ / b f n r t or by u and four hexadecimal digits',
  InvalidCharacter: 'this string contains a control character; escape it, for example as \\t',
});

interface FirstFault {
  code: string;
  at: number;
  length: number;
}

/**
 * Describes why `JSON.parse` rejects a string. Its own messages quote the input and often have no position.
 * @param text not nested deeper than the stack allows (`scanJson` limits it)
 * @returns a message with line, column and cause that quotes nothing; undefined for valid JSON
 */
export function describeJsonFault(text: string): string | undefined {
  const faults: FirstFault[] = [];
  visit(
    text,
    {
      onError: (code, at, length) => {
        if (faults.length === 0) faults.push({ code: printParseErrorCode(code), at, length });
      },
    },
    { disallowComments: true },
  );
  if (faults[0] === undefined) return undefined;
  const { at, cause } = explain(faults[0], text);
  return describePosition(text.slice(0, at), cause);
}

function explain({ code, at, length }: FirstFault, text: string): { at: number; cause: string } {
  const end = at + length;
  const character = text.charAt(at);
  if (code === 'UnexpectedEndOfString') {
    return end >= text.length
      ? { at, cause: 'the string that starts here has no closing quote' }
      : { at: end, cause: 'a string contains a line break; escape it as \\n' };
  }
  if (at >= text.trimEnd().length && code !== 'EndOfFileExpected') return { at, cause: ENDS };
  if (code === 'InvalidSymbol') return { at, cause: causeOfSymbol(character) };
  if (/\d/.test(character) && /\d/.test(text.charAt(at - 1))) return { at, cause: NUMBER };
  if (CLOSING.test(character) && text.slice(0, at).trimEnd().endsWith(',')) {
    return { at, cause: `there is a comma before ${character}; remove it` };
  }
  return { at, cause: CAUSES.get(code) ?? 'this is not JSON' };
}

/** Guesses the intention behind a symbol that starts no JSON value. */
function causeOfSymbol(character: string): string {
  if (character === '#' || character === '/') return 'JSON has no comments';
  if (/[-+.\d]/.test(character)) return NUMBER;
  return 'strings and member names need double quotes, and the only words are true, false and null';
}

/** Describes the position of the first byte of a body that is not valid UTF-8. */
export function describeUtf8Fault(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  // Invalid bytes are decoded as U+FFFD, which the sender may also have sent.
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (!bytes.subarray(offset, offset + 3).equals(REPLACEMENT_BYTES)) {
      return describePosition(text.slice(0, at), 'the bytes here are not valid UTF-8');
    }
    offset += REPLACEMENT_BYTES.length;
    from = at + 1;
  }
  return 'it ends within a character';
}

/** Returns line and column of the position after a text, with the cause. */
export function describePosition(before: string, cause: string): string {
  return `line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}: ${cause}`;
}
