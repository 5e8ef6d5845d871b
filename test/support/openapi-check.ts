import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { FieldValidator } from '../../src/openapi/field-validators.ts';
import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';

interface CheckedAnswer {
  status: number;
  headers: Record<string, string>;
  body: any;
}

type Node = Record<string, any>;

/**
 * A format of the package that also accepts an empty string, because it counts as absent. Our document declares
 * `minLength: 1` where it is not allowed.
 */
function orEmpty(name: 'date' | 'date-time' | 'uri-reference'): (text: string) => boolean {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv, [name]);
  const fits = ajv.compile({ type: 'string', format: name });
  return (text) => text === '' || fits(text);
}

/** Headers that only some responses have. */
const SOMETIMES_SENT = new Set(['Idempotent-Replayed', 'Link', 'RateLimit', 'RateLimit-Policy', 'traceresponse']);

/**
 * Compares a response with the document, and throws an error with the difference.
 * @returns the operation; all operations of the path if no operation has the method; none if the document lacks the
 * path
 */
export type OpenApiCheck = (method: string, path: string, answer: CheckedAnswer) => string[];

/** Creates an Ajv with the document as `openapi`. */
function ajvOf(document: OpenApiDocument): Ajv2020 {
  // Each check runs only a few times, so compiling is most of its cost.
  const cheaplyMade = { validateSchema: false, inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...cheaplyMade });
  for (const name of ['date', 'date-time', 'uri-reference'] as const) ajv.addFormat(name, orEmpty(name));
  // Addresses are returned as sent, and we accept some that the package rejects.
  ajv.addFormat('email', true);
  return ajv.addSchema(withoutOtherMembers(document), 'openapi');
}

/**
 * Creates a check of responses against a document: the status must be declared, the body must match without undeclared
 * members, and the codes must be declared for the operation and the field. Accepts paths that the document lacks.
 */
export function openApiCheckOf(document: OpenApiDocument): OpenApiCheck {
  const ajv = ajvOf(document);
  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string) => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    compiled.set(pointer, known);
    return known;
  };
  const templates = Object.keys(document.paths)
    .map((template) => ({ template, pattern: patternOf(template) }))
    .sort((one, other) => parametersIn(one.template) - parametersIn(other.template));

  return (method, path, answer) => {
    const template = templates.find(({ pattern }) => pattern.test(path.split(/[?#]/)[0]!))?.template;
    if (template === undefined) return [];
    const methods = document.paths[template]!;
    const isHead = method === 'HEAD';
    const operation = methods[isHead ? 'get' : method.toLowerCase()];
    const fail = (what: string): never => {
      throw new Error(`${method} ${path} -> ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 600)}: ${what}`);
    };
    if (operation === undefined) {
      if (![204, 405, 406].includes(answer.status)) fail('the path has no such method, so 405 is expected');
      return Object.values(methods).map(({ operationId }) => operationId as string);
    }
    const declared = (operation['responses'] as Record<number, Node | undefined>)[answer.status];
    if (declared === undefined) {
      return fail(`the OpenAPI document declares no status ${answer.status} for ${operation['operationId']}`);
    }
    for (const header of Object.keys(resolved(document, declared)['headers'] ?? {})) {
      if (!SOMETIMES_SENT.has(header) && answer.headers[header.toLowerCase()] === undefined) {
        fail(`the header ${header} is missing`);
      }
    }
    if (isHead) return [];
    const type = answer.headers['content-type']?.split(';')[0] ?? '';
    const place =
      declared['$ref'] === undefined
        ? `/paths/${escaped(template)}/${method.toLowerCase()}/responses/${answer.status}`
        : (declared['$ref'] as string).slice(1);
    if (resolved(document, declared)['content']?.[type] === undefined) {
      return fail(`the OpenAPI document declares no ${type}`);
    }
    const isLines = type === 'application/x-ndjson';
    const validate = validatorAt(`${place}/content/${escaped(type)}/schema${isLines ? '/contentSchema/items' : ''}`);
    for (const value of isLines ? answer.body : [answer.body]) {
      if (!validate(value)) fail(`the body does not fit: ${ajv.errorsText(validate.errors)}`);
    }
    for (const { attr, code } of answer.body?.errors?.filter((error: Node) => error['attr'] !== undefined) ?? []) {
      if (!mayRaise(document, operation, answer.body.code, attr, code)) {
        fail(`the OpenAPI document does not declare ${code} for ${attr}`);
      }
    }
    return [operation['operationId'] as string];
  };
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\/$/, '').replace(/\{\w+\}/g, '[^/]+')}/?$`);
}

function parametersIn(template: string): number {
  return template.split('{').length - 1;
}

/** A segment of a JSON pointer inside a URI. */
function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function resolved(document: OpenApiDocument, node: Node): Node {
  if (typeof node['$ref'] !== 'string') return node;
  return node['$ref']
    .slice(2)
    .split('/')
    .reduce<Node>((value, key) => value[key] as Node, document as unknown as Node);
}

/** Closes all objects of the document to undeclared members; compositions are closed as a whole. */
function withoutOtherMembers(document: Node): Node {
  const composed = new Set<string>();
  const collect = (value: any): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const part of value['allOf'] ?? []) if (part['$ref'] !== undefined) composed.add(part['$ref']);
    for (const member of Object.values(value)) collect(member);
  };
  collect(document);
  const close = (value: any, place: string, isComposed: boolean): any => {
    if (Array.isArray(value)) return value.map((item) => close(item, place, isComposed));
    if (typeof value !== 'object' || value === null) return value;
    const isPart = isComposed || composed.has(place);
    const copy: Node = {};
    for (const [key, member] of Object.entries(value)) {
      // Except if a member of an object has this name.
      if (!place.endsWith('/properties') && ['example', 'examples', 'x-validators'].includes(key)) continue;
      copy[key] = close(
        member,
        `${place}/${key}`,
        key === 'allOf' || (isPart && key !== 'properties' && key !== 'items'),
      );
    }
    if (copy['type'] === 'object' && copy['properties'] !== undefined && !isPart) {
      copy['additionalProperties'] ??= false;
    }
    if (copy['allOf'] !== undefined && !isPart) copy['unevaluatedProperties'] = false;
    return copy;
  };
  return close(document, '#', false) as Node;
}

/** Whether the OpenAPI document declares a code for a place of a request. */
function mayRaise(document: OpenApiDocument, operation: Node, refusal: string, attr: string, code: string): boolean {
  // Any place can exceed the limit of nesting.
  if (code === 'max_depth') return true;
  // The path is a parameter name that the client invented.
  if (refusal === 'unknown_query_parameter') return code === 'invalid';
  const parameter = (operation['parameters'] as Node[] | undefined)?.find(({ name }) => name === attr);
  if (parameter !== undefined && codesOf(parameter['schema']).has(code)) return true;
  const body =
    refusal === 'import_process_failed_validation'
      ? { $ref: '#/components/schemas/Account' }
      : operation['requestBody']?.content['application/json']?.schema;
  if (body === undefined) return false;
  let nodes = expanded(document, [body]);
  // The path contains a member name that the supplier invented.
  if (code === 'unknown_member') return nodes.some((node) => codesOf(node).has(code));
  const segments = attr
    .split('.')
    .filter((segment, index, all) => !(segment === 'non_field_errors' && index === all.length - 1));
  let isClosed = false;
  for (const segment of segments) {
    isClosed ||= nodes.some((node) => node['additionalProperties'] === false);
    const below = nodes.flatMap((node) =>
      node['items'] !== undefined && /^\d+$/.test(segment)
        ? [node['items']]
        : [node['properties']?.[segment] ?? []].flat(),
    );
    // Inside an opaque value, its own codes apply at every place.
    const kept = nodes.filter(
      (node) => codesOf(node).has('max_depth') && node['properties'] === undefined && node['$ref'] === undefined,
    );
    nodes = [...expanded(document, below as Node[]), ...kept];
    // The path contains a member name that the operator invented; it may contain dots, and the document does not have
    // it.
    if (nodes.length === 0) return isClosed && code === 'invalid';
  }
  return nodes.some((node) => codesOf(node).has(code));
}

function expanded(document: OpenApiDocument, nodes: Node[]): Node[] {
  return nodes.flatMap((node) => {
    const deeper = [
      ...(node['$ref'] === undefined ? [] : [resolved(document, node)]),
      ...((node['oneOf'] as Node[] | undefined) ?? []),
      ...((node['anyOf'] as Node[] | undefined) ?? []),
    ];
    return [node, ...expanded(document, deeper)];
  });
}

function codesOf(node: Node): Set<string> {
  return new Set(
    ((node['x-validators'] as FieldValidator[] | undefined) ?? []).flatMap(({ possible_errors: codes }) => codes),
  );
}
