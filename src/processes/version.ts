import { readFileSync } from 'node:fs';
import type { Settings } from '../platform/settings.ts';

/** The version of gangway that runs. */
export const version = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Release and commit of this process; the commit is known if the image or the caller sets it. */
export const buildIdOf = ({ BUILD_ID: given }: Pick<Settings, 'BUILD_ID'>): string => given ?? version;
