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

/** The names that a generator gives to the inner types of a schema: those of the members on the way, and `item` for those of a list. */
function innerNames(name: string, schema: any): string[] {
  const inner = [
    ...Object.entries<any>(schema.properties ?? {}).map(([member, value]) => [`${name}_${member}`, value] as const),
    ...(schema.items === undefined ? [] : [[`${name}_item`, schema.items] as const]),
  ];
  return inner.flatMap(([own, value]) => [
    ...(value.enum !== undefined || value.properties !== undefined ? [pascal(own)] : []),
    ...innerNames(own, value),
  ]);
}

/** Every object of the document, with its place. */
function nodesOf(value: any, place = '#'): [string, any][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([key]) => !['example', 'examples', 'x-validators'].includes(key));
  return [[place, value], ...inner.flatMap(([key, member]) => nodesOf(member, `${place}/${key}`))];
}

test('gives no two components the same name in generated clients', () => {
  const names = [
    ...Object.keys(components['schemas']!),
    ...Object.keys(components['responses']!),
    ...Object.entries(components['schemas']!).flatMap(([name, schema]) => innerNames(name, schema)),
  ].map((name) => name.toLowerCase());
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('writes unions in a form that generators accept, and the items of every list', () => {
  const nodes = nodesOf({ paths, components });
  const placesOf = (isWrong: (node: any, place: string) => boolean) =>
    nodes.filter(([place, node]) => isWrong(node, place)).map(([place]) => place);
  const isScalarOrNull = (types: string[]) =>
    types.length === 2 && types[1] === 'null' && !['object', 'array'].includes(types[0]!);
  expect(placesOf(({ type }) => Array.isArray(type) && !isScalarOrNull(type))).toEqual([]);
  expect(placesOf(({ type, items }) => type === 'array' && items === undefined)).toEqual([]);
  // A parameter has one type; a component with null would have its inner types twice.
  expect(placesOf(({ in: location, schema }) => location !== undefined && schema?.anyOf !== undefined)).toEqual([]);
  const isComponent = (place: string) => /^#\/components\/schemas\/\w+$/.test(place);
  const allowsNull = (node: any) => node.anyOf?.some(({ type }: any) => type === 'null');
  expect(placesOf((node, place) => isComponent(place) && allowsNull(node))).toEqual([]);
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
  expect(streams.map(([type]) => type)).toEqual(['application/x-ndjson', 'application/x-ndjson']);
  for (const [, { schema }] of streams) expect(schema).toEqual({ type: 'string', format: 'binary' });
});
