import { registerHooks } from 'node:module';
import type { OpenApiDocument } from '../openapi/openapi-document.ts';
import type { JsonSchema } from '../openapi/json-schema-writer.ts';

type Response = JsonSchema & { content?: Record<string, { schema: JsonSchema }> };

/** Types of an OpenAPI document in TypeScript. */
export async function typesOf(document: OpenApiDocument): Promise<string> {
  // TypeScript 7 has no API that the generator could use.
  const hooks = registerHooks({
    resolve: (name, context, next) => next(name === 'typescript' ? '@typescript/typescript6' : name, context),
  });
  try {
    const { astToString, default: generate } = await import('openapi-typescript');
    return astToString(await generate(structuredClone(document) as never));
  } finally {
    hooks.deregister();
  }
}

/**
 * The types of clients/typescript: those of the document, with one form of all failures, and the lines of each response in NDJSON.
 * @param document of suppliers
 */
export async function clientTypes(document: OpenApiDocument): Promise<string> {
  const types = await typesOf(withOneFailure(document));
  return `// Written by \`npm run docs\` from the OpenAPI document.\n\n${types}\n${linesOf(document)}`;
}

/** A tenth of the types: without the codes and headers of each failure, which the pages of the codes explain. */
function withOneFailure(document: OpenApiDocument): OpenApiDocument {
  const failure = { description: 'Rejected.', content: jsonOf({ $ref: '#/components/schemas/Error' }) };
  const brief = (responses: Record<string, Response>) => ({
    ...Object.fromEntries(
      Object.entries(responses).flatMap(([status, { headers: _headers, ...response }]) =>
        status.startsWith('2') ? [[status, response]] : [],
      ),
    ),
    default: { $ref: '#/components/responses/Failure' },
  });
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        { ...operation, responses: brief(operation['responses'] as Record<string, Response>) },
      ]),
    ),
  ]);
  const { schemas = {}, parameters = {} } = document.components;
  return {
    ...document,
    paths: Object.fromEntries(paths) as OpenApiDocument['paths'],
    components: { schemas, parameters, responses: { Failure: failure } },
  };
}

function jsonOf(schema: JsonSchema) {
  return { 'application/json': { schema } };
}

function linesOf({ paths }: OpenApiDocument): string {
  const members = Object.entries(paths).flatMap(([path, { get }]) => {
    const success = (get?.['responses'] as Record<string, Response> | undefined)?.['200'];
    const lines = success?.content?.['application/x-ndjson']?.schema['contentSchema'] as
      | { items: { $ref: string } }
      | undefined;
    const name = lines?.items.$ref.split('/').at(-1);
    return name === undefined ? [] : [`  '${path}': components['schemas']['${name}'];\n`];
  });
  return `/** The lines of responses in NDJSON, by path. */\nexport interface Lines {\n${members.join('')}}\n`;
}
