import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { engineFlags } from '../../src/processes/tune-engine.ts';

test('the V8 that runs the service knows every flag that is set', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const name of Object.keys(engineFlags)) {
    expect(known).toMatch(new RegExp(`^ +--${name} .*\\n +type: (int|float|uint|size_t) `, 'm'));
  }
});
