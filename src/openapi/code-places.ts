import type { FieldValidator } from './field-validators.ts';
import type { OpenApiDocument } from './openapi-document.ts';

/** Operations and fields that return a code, listed on its page. */
export interface CodeUses {
  /** `POST /v1/...`, by refusal code. */
  operations: ReadonlyMap<string, readonly string[]>;
  /** `Account.customers[].mobile`, by violation code. */
  fields: ReadonlyMap<string, readonly string[]>;
}

/** Finds the operations of each refusal code and the fields of each violation code in the document. */
export function findCodeUses(document: OpenApiDocument): CodeUses {
  const operations = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const code of codesOfOperation(document, operation)) {
        add(operations, code, `${method.toUpperCase()} ${path}`);
      }
    }
  }
  return { operations, fields: findFields(document) };
}

/** The refusal codes that an operation declares. */
export function codesOfOperation(document: OpenApiDocument, operation: Record<string, unknown>): Set<string> {
  const responses = Object.values(
    operation['responses'] as Record<string, { $ref?: string; content?: ResponseContent }>,
  );
  return new Set(
    responses.flatMap((response) => {
      const { content } =
        response.$ref === undefined
          ? response
          : (document.components['responses']![response.$ref.split('/').at(-1)!] as typeof response);
      return Object.keys(content?.['application/json']?.examples ?? {});
    }),
  );
}

type ResponseContent = Record<string, { examples?: Record<string, unknown> }>;

/** Finds all fields of bodies and all parameters by their violation codes. */
function findFields(document: OpenApiDocument): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const body = (operation['requestBody'] as { content: Record<string, { schema: BodySchema }> } | undefined)?.content[
      'application/json'
    ]?.schema;
    // Fields of a list are those of its items.
    if (body !== undefined) collectFields(document, body, nameIn(body.$ref ?? body.items?.$ref ?? ''), found);
    // Parameters that all operations share have no schema here and are not fields.
    for (const { name, schema } of (operation['parameters'] ?? []) as { name: string; schema?: Schema }[]) {
      if (schema !== undefined) collectFields(document, schema, `?${name}`, found);
    }
  }
  return found;
}

type Schema = Record<string, unknown>;
type BodySchema = Schema & { $ref?: string; items?: { $ref: string } };

function collectFields(document: OpenApiDocument, schema: Schema, path: string, found: Map<string, string[]>): void {
  for (const { possible_errors: codes } of (schema['x-validators'] as FieldValidator[] | undefined) ?? []) {
    for (const code of codes) add(found, code, path);
  }
  if (typeof schema['$ref'] === 'string') {
    collectFields(document, document.components['schemas']![nameIn(schema['$ref'])]!, path, found);
  }
  for (const variant of (schema['oneOf'] as Schema[] | undefined) ?? []) collectFields(document, variant, path, found);
  for (const [key, member] of Object.entries((schema['properties'] as Record<string, Schema> | undefined) ?? {})) {
    collectFields(document, member, `${path}.${key}`, found);
  }
  if (schema['items'] !== undefined) collectFields(document, schema['items'] as Schema, `${path}[]`, found);
}

function nameIn(reference: string): string {
  return reference.split('/').at(-1)!;
}

function add(found: Map<string, string[]>, code: string, path: string): void {
  const known = found.get(code) ?? [];
  found.set(code, known);
  if (!known.includes(path)) known.push(path);
}
