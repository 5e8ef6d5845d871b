/** Where a text stops being JSON, and why. */
interface JsonFault {
  at: number;
  cause: string;
}

const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /(?:true|false|null)(?![A-Za-z0-9_])/y;
// Stops at what may not stand in a text as it is: its end, an escape, a control character.
// oxlint-disable-next-line eslint/no-control-regex -- they are what is looked for
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);
const ENDS = 'the text ends too early';

/**
 * Finds where a text stops being JSON. Only asked once `JSON.parse` has refused the text: it tells the place of some faults
 * only, and quotes what was sent. Reads with a list of open brackets of its own, so that no nesting is too deep for it.
 * @returns a sentence with line, column and cause, in words of ours only; undefined for a text that is JSON
 */
export function describeJsonFault(text: string): string | undefined {
  const fault = new JsonReader(text).findFault();
  if (fault === undefined) return undefined;
  return describePlace(text.slice(0, fault.at), fault.cause);
}

/** Finds the first byte of a body that belongs to no character of UTF-8, where there is one. */
export function describeUtf8Fault(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  // Such bytes are read as U+FFFD, which may also have been sent.
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (!bytes.subarray(offset, offset + 3).equals(REPLACEMENT_BYTES)) {
      return describePlace(text.slice(0, at), 'the bytes here are no character of UTF-8');
    }
    offset += REPLACEMENT_BYTES.length;
    from = at + 1;
  }
  return 'it ends within a character';
}

/** Line and column of the place behind a text, and what is wrong there. */
export function describePlace(before: string, cause: string): string {
  return `line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}: ${cause}`;
}

/** Reads a text from its begin to its first fault. */
class JsonReader {
  private readonly text: string;
  private at = 0;
  /** What each open bracket needs to be closed. */
  private readonly open: ('}' | ']')[] = [];
  /** Nothing stands yet in the innermost one. */
  private isFirst = false;

  constructor(text: string) {
    this.text = text;
  }

  findFault(): JsonFault | undefined {
    let fault = this.readValue();
    while (fault === undefined && this.open.length > 0) fault = this.readOn();
    if (fault !== undefined) return fault;
    this.take(BLANKS);
    return this.at === this.text.length
      ? undefined
      : this.faultHere('something follows after the end of the JSON value');
  }

  /** One value, or the bracket that opens one; what is inside follows in `readOn`. */
  private readValue(): JsonFault | undefined {
    this.take(BLANKS);
    const character = this.text[this.at];
    if (character === '"') return this.readText();
    if (character === '{' || character === '[') return this.openBracket(character);
    if (this.take(WORD)) return undefined;
    if (character !== undefined && /[-\d]/.test(character)) return this.readNumber();
    return this.faultHere(character === undefined ? ENDS : causeAtValue(character));
  }

  private openBracket(bracket: '{' | '['): undefined {
    this.at += 1;
    this.open.push(bracket === '{' ? '}' : ']');
    this.isFirst = true;
  }

  /** What stands in the innermost open bracket: its end, its first value, or a comma and the next one. */
  private readOn(): JsonFault | undefined {
    this.take(BLANKS);
    const end = this.open.at(-1);
    const character = this.text[this.at];
    const isFirst = this.isFirst;
    this.isFirst = false;
    if (character === end) {
      this.at += 1;
      this.open.pop();
      return undefined;
    }
    if (!isFirst) {
      if (character !== ',') {
        return this.faultHere(character === undefined ? ENDS : `a comma or ${end} is missing here`);
      }
      this.at += 1;
      this.take(BLANKS);
      if (this.text[this.at] === end) return this.faultHere(`${end} follows a comma; the last comma is one too many`);
    }
    return end === '}' ? this.readMember() : this.readValue();
  }

  private readMember(): JsonFault | undefined {
    if (this.at === this.text.length) return this.faultHere(ENDS);
    if (this.text[this.at] !== '"') return this.faultHere('the name of a member in double quotes is missing here');
    const fault = this.readText();
    if (fault !== undefined) return fault;
    this.take(BLANKS);
    if (this.text[this.at] !== ':') {
      return this.faultHere(this.at === this.text.length ? ENDS : 'a colon is missing after the name of a member');
    }
    this.at += 1;
    return this.readValue();
  }

  private readText(): JsonFault | undefined {
    const begin = this.at;
    this.at += 1;
    for (;;) {
      this.take(PLAIN);
      const character = this.text[this.at];
      if (character === '"') {
        this.at += 1;
        return undefined;
      }
      if (character === undefined) return { at: begin, cause: 'the text that begins here has no closing quote' };
      if (character !== '\\') {
        return this.faultHere(
          'a text holds a line break, a tab or another control character; write it as an escape such as \\n',
        );
      }
      if (!this.take(ESCAPE)) {
        return this.faultHere('after a backslash only " \\ / b f n r t or u and four hexadecimal digits may follow');
      }
    }
  }

  private readNumber(): JsonFault | undefined {
    const begin = this.at;
    const isNumber = this.take(NUMBER);
    if (isNumber && !/[\w.+-]/.test(this.text[this.at] ?? '')) return undefined;
    return {
      at: begin,
      cause:
        'a number has a form that JSON does not know: no leading zeros or plus, digits on both sides of the point, nothing behind it',
    };
  }

  /** Passes over what a pattern matches at this place; tells whether it matched. */
  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isMatch = pattern.test(this.text);
    if (isMatch) this.at = pattern.lastIndex;
    return isMatch;
  }

  private faultHere(cause: string): JsonFault {
    return { at: this.at, cause };
  }
}

/** What is probably meant where no value begins. */
function causeAtValue(character: string): string {
  if (character === "'" || character === '‘' || character === '“') {
    return 'texts stand in double quotes ("), not in others';
  }
  if (character === '/' || character === '#') return 'JSON has no comments';
  if (character === ',' || character === '}' || character === ']') return 'a value is missing here';
  return 'no value begins like this; texts stand in double quotes, and the only words are true, false and null';
}
