import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { runCommandHere, runSupplierCommandHere } from '../support/command-here.ts';

const programs = [
  ['suppliers', runSupplierCommandHere, ['migrate', 'jobs list', 'doctor']],
  ['operators', runCommandHere, ['supplier set', 'stuck list', 'audit verify']],
] as const;
const groff = process.env['GROFF'] ?? 'groff';
const hasGroff = spawnSync(groff, ['--version']).error === undefined;
if (!hasGroff) process.stderr.write('NOT RUN: groff is not on PATH, so manual pages are not rendered.\n');

test.each(programs)('prints a manual page of all commands for %s', async (_for, run, some) => {
  const { stdout, status } = await run(['help', '--man'], {});
  expect(status).toBe(0);
  for (const command of some) expect(stdout).toContain(`.SS "gangway ${command.replaceAll('-', '\\-')} `);
  for (const section of ['NAME', 'SYNOPSIS', 'COMMANDS', 'ENVIRONMENT', 'EXIT STATUS', 'JSON', 'PROFILES']) {
    expect(stdout).toContain(`\n.SH ${section}\n`);
  }
  // Requests of man(7) only: text that begins with a point is escaped.
  const requests = new Set([...stdout.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name));
  expect([...requests].toSorted()).toEqual(['B', 'EE', 'EX', 'SH', 'SS', 'TH', 'TP', 'ad', 'nh']);
  if (!hasGroff) return;
  const rendered = spawnSync(groff, ['-man', '-ww', '-Tutf8', '-P-c'], { input: stdout, encoding: 'utf8' });
  expect(rendered).toMatchObject({ status: 0, stderr: '' });
  expect(rendered.stdout).toMatch(/--[a-z]/);
});
