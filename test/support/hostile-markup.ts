import type { Answer } from './harness.ts';

/** Markup that harms a page that does not escape it: creates an image with a known class, and changes the title. */
export const HOSTILE_MARKUP = `"'><img class=harm src=x onerror="document.title='harmed'">`;
/** A shorter form. */
const SHORT_MARKUP = '<u class=harm>';
/** Selects the elements that such markup would create. */
export const HARM = '.harm';

/** Values that identify accounts, which must stay unchanged. */
const KEYS = new Set(['import_supplier', 'import_supplier_code', 'external_account_number', 'import_supplier_name']);
const ROUNDS_MAX = 30;

type Path = readonly (string | number)[];

/**
 * Sends a body with markup in every string, and replaces it only where the response rejects it. This covers new fields
 * automatically.
 * @returns the accepted body, and the number of its hostile strings
 */
export async function sendHostile<Body>(
  body: Body,
  send: (body: Body) => Promise<Answer>,
): Promise<{ body: Body; count: number }> {
  const forms = new Map<string, string[]>();
  const places = textsIn(body).filter(({ path }) => !KEYS.has(String(path.at(-1))));
  for (const { path, text } of places) forms.set(path.join('.'), [HOSTILE_MARKUP + text, SHORT_MARKUP + text, text]);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const sent = structuredClone(body);
    for (const { path } of places) put(sent, path, forms.get(path.join('.'))![0]!);
    const answer = await send(sent);
    if (answer.status < 300) {
      return { body: sent, count: [...forms.values()].filter((left) => left.length > 1).length };
    }
    const refused = ((answer.body.errors ?? []) as { attr: string }[]).map(({ attr }) => attr);
    if (!weaken(forms, refused)) throw new Error(`Nothing to replace: ${JSON.stringify(answer.body)}`);
  }
  throw new Error('Still rejected after several attempts.');
}

/** Replaces rejected strings, and those below a rejected path, by less hostile ones. @returns whether there were any */
function weaken(forms: Map<string, string[]>, refused: readonly string[]): boolean {
  let isWeakened = false;
  for (const [place, left] of forms) {
    const isRefused = refused.some(
      (attr) => place === attr || place.startsWith(`${attr.replace(/\.?non_field_errors$/, '')}.`),
    );
    if (isRefused && left.length > 1) {
      left.shift();
      isWeakened = true;
    }
  }
  return isWeakened;
}

function textsIn(value: unknown, path: Path = []): { path: Path; text: string }[] {
  if (typeof value === 'string') return value === '' ? [] : [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    textsIn(one, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function put(body: any, path: Path, text: string): void {
  let at = body;
  for (const key of path.slice(0, -1)) at = at[key];
  at[path.at(-1)!] = text;
}
