import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { commandsBelow, outputsOf } from '../../src/cli/command.ts';
import { createProgram } from '../../src/cli/program.ts';
import { supplierProgram } from '../../src/cli/supplier-program.ts';
import { runCommandHere, runSupplierCommandHere } from '../support/command-here.ts';
import { startService, type Service } from '../support/harness.ts';
import { openApiCheckOf } from '../support/openapi-check.ts';
import { openApiDocument } from '../support/openapi-document.ts';
import { openOperatorShell, type OperatorShell } from '../support/operator-shell.ts';

// What commands print with --json fits the schema that they declare; docs/suppliers/command-line.md lists the schemas.

let service: Service;
let shell: OperatorShell;
beforeAll(async () => {
  service = await startService();
  shell = await openOperatorShell(service);
});
afterAll(async () => {
  shell.remove();
  await service.stop();
});

const document = openApiDocument();
const fits = openApiCheckOf(document);
/** Every header, because commands print bodies. */
const headers = new Proxy<Record<string, string>>(
  { 'content-type': 'application/json' },
  { get: (all, name: string) => all[name] ?? '' },
);
const ajv = new Ajv2020({ strict: false });

const outputs = [createProgram(), supplierProgram({})].flatMap((program) =>
  commandsBelow(program).flatMap(([path, command]) => outputsOf(command).map((output) => ({ path, command, output }))),
);

test('declares only operations of the OpenAPI document, and valid schemas', () => {
  const known = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '<>')}`),
  );
  for (const { output } of outputs) {
    if ('schema' in output) expect(ajv.validateSchema(output.schema)).toBe(true);
    else expect(known).toContain(output.operation.replace(/<\w+>/g, '<>'));
  }
});

const lists = outputs.flatMap(({ path, command, output }) => {
  const isList = 'operation' in output && /^GET [^<]+$/.test(output.operation);
  return isList && command.registeredArguments.length === 0 ? [[path, output.operation.slice(4)] as const] : [];
});
test.each([...new Map(lists)])('%s prints what GET %s is declared to return', async (path, address) => {
  const body = await shell.json(...path.split(' '));
  expect(fits('GET', address, { status: 200, headers, body })).toHaveLength(1);
});

test.each([['check'], ['doctor'], ['profile', 'list'], ['stuck', 'retry', 'bm90aGluZw'], ['login']])(
  '%s %s prints what its own schema declares',
  async (...words) => {
    const path = words.filter((word) => !word.startsWith('--') && word !== 'bm90aGluZw').join(' ');
    const settings = { ...shell.settings(), GANGWAY_API_KEY: shell.operatorKey };
    const more = path === 'login' ? ['--url', service.url] : [];
    const { stdout } = await runCommandHere([...words, ...more, '--json'], settings);
    const schemas = outputs.flatMap((one) => (one.path === path && 'schema' in one.output ? [one.output.schema] : []));
    expect(schemas.some((schema) => ajv.validate(schema, JSON.parse(stdout)))).toBe(true);
  },
);

test('help explains topics and commands; an unknown one is a usage error that names the topics', async () => {
  const help = (...words: string[]) => runSupplierCommandHere(['help', ...words], {});
  expect((await help('exit-status')).stdout).toMatch(/^ +4 +a job or wave waits for you$/m);
  expect((await help('environment')).stdout).toContain('GANGWAY_PROFILE');
  expect((await help('profiles')).stdout).toContain('profile set test');
  expect((await help('json')).stdout).toContain('/openapi.json');
  expect((await help('jobs', 'list')).stdout).toContain('Usage: gangway jobs list');
  expect(await help('nothing')).toMatchObject({ status: 2, stderr: expect.stringContaining('Topics: environment') });
});

test('--version prints the version of package.json, without a service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-version-'));
  for (const run of [runCommandHere, runSupplierCommandHere]) {
    expect(await run(['--version'], { XDG_CONFIG_HOME: folder })).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/),
      stderr: '',
    });
  }
  rmSync(folder, { recursive: true });
});

test('no output has colors, also where colors are requested', async () => {
  const settings = { ...shell.settings(), FORCE_COLOR: '3', CLICOLOR_FORCE: '1' };
  for (const args of [['supplier', 'list'], ['key', 'list'], ['help'], ['supplier', 'set'], ['doctor']]) {
    const { stdout, stderr } = await runCommandHere(args, settings);
    expect(stdout + stderr).not.toContain('\u001B');
  }
});
