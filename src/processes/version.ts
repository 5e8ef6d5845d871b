import { readFileSync } from 'node:fs';
import type { Settings } from '../platform/settings.ts';

/** The version of this release. */
export const version = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Release and commit of this process. The commit is included if the image or the caller sets it. */
export const buildIdOf = ({ BUILD_ID: given }: Pick<Settings, 'BUILD_ID'>): string => given ?? version;
