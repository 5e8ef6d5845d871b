/** The position of a hole in a template: in text, in an attribute value, or at the start of an address. */
export type Place = 'text' | 'value' | 'address';

/** Attributes that hold an address. */
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'hx-get', 'hx-post']);
/** Elements that contain code. */
const CODE = new Set(['script', 'style']);

type State =
  | { in: 'text' | 'comment' | 'code' | 'name' }
  | { in: 'tag'; element: string }
  | { in: 'value'; element: string; quote: string; attribute: string; isAtBegin: boolean };

/**
 * Finds the position of each hole of a template.
 * @param strings the text around the holes
 * @throws Error for a hole that escaping does not make safe: a name, an unquoted value, code or a comment
 */
export function placesIn(strings: readonly string[]): Place[] {
  let state: State = { in: 'text' };
  return strings.slice(0, -1).map((string, index) => {
    state = after(string, state);
    const place = placeOf(state);
    if (place === undefined) {
      throw new Error(
        `Hole ${index + 1} of the template, after "${string.slice(-40)}", is neither in text nor in a quoted value.`,
      );
    }
    if (state.in === 'value') state = { ...state, isAtBegin: false };
    return place;
  });
}

function placeOf(state: State): Place | undefined {
  if (state.in === 'text') return 'text';
  if (state.in !== 'value' || state.attribute.startsWith('on') || state.attribute === 'style') return undefined;
  return ADDRESSES.has(state.attribute) && state.isAtBegin ? 'address' : 'value';
}

/** Reads a template from one state to the next. */
function after(string: string, before: State): State {
  let state = before;
  let rest = string;
  while (rest !== '') {
    const [taken, next] = step(rest, state);
    rest = rest.slice(taken);
    state = next;
  }
  return state;
}

function step(rest: string, state: State): [taken: number, next: State] {
  if (state.in === 'text') {
    const [opened, name] = /<(!--|\/?[a-z][a-z0-9-]*|\/?$)/i.exec(rest) ?? [];
    if (opened === undefined || name === undefined) return [rest.length, state];
    const taken = rest.indexOf(opened) + opened.length;
    if (name === '!--') return [taken, { in: 'comment' }];
    return [taken, name === '' || name === '/' ? { in: 'name' } : { in: 'tag', element: name.toLowerCase() }];
  }
  if (state.in === 'comment') return until(rest, '-->', state);
  if (state.in === 'code') return until(rest, '</', state);
  if (state.in === 'value') {
    const end = rest.indexOf(state.quote);
    return end < 0 ? [rest.length, { ...state, isAtBegin: false }] : [end + 1, { in: 'tag', element: state.element }];
  }
  if (state.in !== 'tag') return [rest.length, state];
  const found = /([a-z][\w:-]*)=(["'])|>/i.exec(rest);
  if (found === null) return [rest.length, state];
  const [text, attribute, quote] = found;
  const taken = found.index + text.length;
  if (attribute === undefined || quote === undefined) {
    return [taken, { in: CODE.has(state.element) ? 'code' : 'text' }];
  }
  return [taken, { in: 'value', element: state.element, quote, attribute: attribute.toLowerCase(), isAtBegin: true }];
}

function until(rest: string, end: string, state: State): [taken: number, next: State] {
  const found = rest.indexOf(end);
  return found < 0
    ? [rest.length, state]
    : [found + end.length, end === '</' ? { in: 'tag', element: '' } : { in: 'text' }];
}
