import { readSettings, type Settings } from '../../src/platform/settings.ts';
import { fixedValues } from '../../src/platform/settings/fixed-values.ts';

/** Reads settings; a test may also change fixed values. */
export function testSettings(given: Record<string, string | undefined>): Settings {
  const fixed = Object.entries(given).filter(([name]) => name in fixedValues);
  return readSettings(given, Object.fromEntries(fixed.map(([name, value]) => [name, Number(value)])));
}
