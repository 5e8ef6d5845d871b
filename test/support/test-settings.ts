import { readSettings, type Settings } from '../../src/platform/settings.ts';
import { fixedValues } from '../../src/platform/settings/fixed-values.ts';

/** Reads settings; a test may also change fixed values. */
export function testSettings(wanted: Record<string, string | undefined>): Settings {
  // Tests start due work themselves.
  const given = { DISPATCH_EVERY_MS: '300000', ...wanted };
  const fixed = Object.entries(given).filter(([name]) => name in fixedValues);
  return readSettings(given, Object.fromEntries(fixed.map(([name, value]) => [name, Number(value)])));
}
