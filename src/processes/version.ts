import { readFileSync } from 'node:fs';
import type { Settings } from '../platform/settings.ts';

/** The version of gangway that runs. */
export const version = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Release and commit of what runs; the commit is known where the image or whoever starts the process says it. */
export const buildIdOf = ({ BUILD_ID: given }: Pick<Settings, 'BUILD_ID'>): string => given ?? version;
