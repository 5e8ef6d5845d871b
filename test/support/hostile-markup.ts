import type { Answer } from './harness.ts';

/** What harms a page that does not escape it: it would leave an image with a name of its own, and change the title. */
export const HOSTILE_MARKUP = `"'><img class=harm src=x onerror="document.title='harmed'">`;
/** Where less room is. */
const SHORT_MARKUP = '<u class=harm>';
/** A selector of what any of them would become. */
export const HARM = '.harm';

/** What puts accounts and numbers together must stay, however hostile the rest is. */
const KEYS = new Set(['import_supplier', 'import_supplier_code', 'external_account_number', 'import_supplier_name']);
const ROUNDS_MAX = 30;

type Path = readonly (string | number)[];

/**
 * Sends a body with markup in every text of it, and takes it out again only where the answer says that a place does not bear it.
 * So the fields need no list, and a new one is among them.
 * @returns the body that was taken, and how many of its texts are hostile
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
    if (!giveWay(forms, refused)) throw new Error(`Nothing to take out: ${JSON.stringify(answer.body)}`);
  }
  throw new Error('It was refused again and again.');
}

/** Makes the refused texts, and those below a refused place, less hostile. @returns whether there were any */
function giveWay(forms: Map<string, string[]>, refused: readonly string[]): boolean {
  let gave = false;
  for (const [place, left] of forms) {
    const isRefused = refused.some(
      (attr) => place === attr || place.startsWith(`${attr.replace(/\.?non_field_errors$/, '')}.`),
    );
    if (isRefused && left.length > 1) {
      left.shift();
      gave = true;
    }
  }
  return gave;
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
