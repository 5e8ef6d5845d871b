import { readFileSync } from 'node:fs';

/** The version of gangway that runs. */
export const version = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
