import { expect, test } from '@jest/globals';
import { openApiDocument } from '../support/openapi-document.ts';

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

test('declares no body as a bare value or list, and bytes as binary', () => {
  const contents = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ requestBody }: any) => Object.entries<any>(requestBody?.content ?? {}));
  expect(contents.filter(([, { schema }]) => schema.oneOf !== undefined)).toEqual([]);
  const streams = contents.filter(([type]) => type !== 'application/json');
  expect(streams.length).toBeGreaterThan(0);
  for (const [, { schema }] of streams) expect(schema).toEqual({ type: 'string', format: 'binary' });
});
