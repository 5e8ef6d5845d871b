/** Invisible characters, including directional marks. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
const BLANK_OR_INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]$/u;
/** Variation selectors and tags: at the end of a string they belong to an emoji, such as a flag. */
const PART_OF_EMOJI = /[\ufe0e\ufe0f\u{e0020}-\u{e007f}]/u;

/** Unicode names of the characters that programs insert most often. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['\u00ad', 'soft hyphen'],
  ['\u034f', 'combining grapheme joiner'],
  ['\u061c', 'Arabic letter mark'],
  ['\u180e', 'Mongolian vowel separator'],
  ['\u200b', 'zero width space'],
  ['\u200c', 'zero width non-joiner'],
  ['\u200d', 'zero width joiner'],
  ['\u200e', 'left-to-right mark'],
  ['\u200f', 'right-to-left mark'],
  ['\u202a', 'left-to-right embedding'],
  ['\u202b', 'right-to-left embedding'],
  ['\u202c', 'pop directional formatting'],
  ['\u202d', 'left-to-right override'],
  ['\u202e', 'right-to-left override'],
  ['\u2060', 'word joiner'],
  ['\u2066', 'left-to-right isolate'],
  ['\u2067', 'right-to-left isolate'],
  ['\u2068', 'first strong isolate'],
  ['\u2069', 'pop directional isolate'],
  ['\u3164', 'Hangul filler'],
  ['\ufe0f', 'variation selector-16'],
  ['\ufeff', 'zero width no-break space'],
]);

/** Whether a text contains an invisible character. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Returns the name of the first invisible character of a string, such as `U+200B zero width space`; undefined if there is none. */
export function invisibleNameIn(text: string): string | undefined {
  const character = INVISIBLE.exec(text)?.[0];
  if (character === undefined) return undefined;
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} ${NAMES.get(character) ?? ''}`.trimEnd();
}

/** Removes leading and trailing blanks and invisible characters. */
export function trimText(text: string): string {
  const trimmed = text.trim();
  if (!hasInvisible(trimmed)) return trimmed;
  let start = 0;
  while (start < trimmed.length && BLANK_OR_INVISIBLE.test(characterAt(trimmed, start))) {
    start += characterAt(trimmed, start).length;
  }
  let end = trimmed.length;
  while (end > start) {
    const isPair = /[\udc00-\udfff]/.test(trimmed.charAt(end - 1));
    const last = trimmed.slice(Math.max(end - (isPair ? 2 : 1), start), end);
    if (!BLANK_OR_INVISIBLE.test(last) || PART_OF_EMOJI.test(last)) break;
    end -= last.length;
  }
  return trimmed.slice(start, end);
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index)!);
}
