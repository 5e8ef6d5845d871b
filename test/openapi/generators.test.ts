import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { audiences } from '../../src/openapi/openapi-document.ts';
import { createSchemaWriter } from '../../src/openapi/json-schema-writer.ts';
import { openApiDocument } from '../support/openapi-document.ts';

const ROOT = join(import.meta.dirname, '../..');
const { components, paths } = openApiDocument();
const pascal = (name: string) =>
  name.replace(/(?:^|[^a-zA-Z0-9])([a-zA-Z0-9])/g, (_all, letter) => letter.toUpperCase());

/** The names that a generator gives to inner types: component and member. */
function innerNames(schemas: Record<string, any>): string[] {
  return Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries<any>(properties)
      .filter(([, member]) => member.enum !== undefined || member.properties !== undefined)
      .map(([member]) => pascal(`${name}_${member}`)),
  );
}

test('gives no two components the same name in generated clients', () => {
  const names = [
    ...Object.keys(components['schemas']!),
    ...Object.keys(components['responses']!),
    ...innerNames(components['schemas']!),
  ].map((name) => name.toLowerCase());
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('rejects two schemas with one name', () => {
  const writer = createSchemaWriter(
    { nameOf: () => 'Same', ruleCodes: () => [], description: () => undefined },
    { Error: { type: 'object' } },
  );
  writer.reply({ type: 'string' });
  writer.reply({ type: 'string' });
  expect(() => writer.reply({ type: 'integer' })).toThrow('two schemas are named Same');
  const named = { nameOf: () => 'Error', ruleCodes: () => [], description: () => undefined };
  expect(() => createSchemaWriter(named, { Error: {} }).reply({ type: 'string' })).toThrow('are named Error');
});

test('declares answers in NDJSON as bytes, with a named schema of their lines', () => {
  const answers = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }: any) => Object.values<any>(responses))
    .flatMap(({ content }) => content?.['application/x-ndjson'] ?? []);
  expect(answers.length).toBeGreaterThan(10);
  for (const { schema, example } of answers) {
    expect(schema).toMatchObject({
      type: 'string',
      format: 'binary',
      contentMediaType: 'application/x-ndjson',
      contentSchema: { type: 'array', items: { $ref: expect.stringMatching(/^#\/components\/schemas\//) } },
    });
    expect(() => JSON.parse(example)).not.toThrow();
  }
});

test('types for TypeScript can be generated from each document, and compile; those of the client are current', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-types-'));
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  try {
    const files = ['client', 'whole', ...audiences].map((name) => {
      const file = join(folder, `${name}.ts`);
      node('src/docs/write-client-types.ts', file, ...(name === 'client' ? [] : [name]));
      return file;
    });
    expect(readFileSync(files[0]!, 'utf8')).toBe(readFileSync(join(ROOT, 'clients/typescript/src/api.ts'), 'utf8'));
    const strict = [
      '--noEmit',
      '--strict',
      '--ignoreConfig',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      '',
    ];
    expect(node('node_modules/typescript/bin/tsc', ...strict, ...files)).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('declares no body as a bare value or list, and bytes as binary', () => {
  const contents = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ requestBody }: any) => Object.entries<any>(requestBody?.content ?? {}));
  expect(contents.filter(([, { schema }]) => schema.oneOf !== undefined)).toEqual([]);
  const streams = contents.filter(([type]) => type.includes('json') && type !== 'application/json');
  expect(streams.length).toBeGreaterThan(0);
  for (const [, { schema }] of streams) expect(schema).toEqual({ type: 'string', format: 'binary' });
});
