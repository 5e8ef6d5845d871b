import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { engineFlags } from '../../src/processes/run-process.ts';

test('sets only flags that the V8 of the service knows', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const name of Object.keys(engineFlags)) {
    expect(known).toMatch(new RegExp(`^ +--${name} .*\\n +type: (int|float|uint|size_t) `, 'm'));
  }
});
