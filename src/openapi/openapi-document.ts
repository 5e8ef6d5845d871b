import { supportsIdempotencyKey } from '../platform/http/route.ts';
import type {
  OpenApiContents,
  OpenApiOperation,
  ParameterOpenApi,
  ReplyOpenApi,
  WebhookOpenApi,
} from '../platform/http/route-openapi.ts';
import type { StreamedBodyRules } from '../platform/http/streamed-body.ts';
import type { SchemaNode } from '../platform/validation/schema-node.ts';
import { keyScopes, type KeyScope } from '../vocabulary/key-roles.ts';
import { allowsAction } from '../vocabulary/operator-actions.ts';
import { refusals, type RefusalCode } from '../vocabulary/refusals.ts';
import { accountPayloadSchema, customerSchema } from '../accounts/account-payload.schema.ts';
import { supplyAddressSchema, supplyPointSchema } from '../accounts/supply-address.schema.ts';
import { businessContractSchema, contractTermSchema } from '../businesses/business.schema.ts';
import { guideAddress, guideLink } from './guide-pages.ts';
import { headerComponents, parameterComponents, QUOTA_HEADERS } from './header-components.ts';
import { rulesValidator } from './field-validators.ts';
import { createSchemaWriter, NO_NULL_CHARACTER, type JsonSchema, type SchemaWriter } from './json-schema-writer.ts';
import { gatherSchemaAnnotations, exampleOf } from './schema-annotations.ts';
import {
  refusalExample,
  errorComponents,
  refusalResponse,
  refusalsByStatus,
  responseName,
} from './refusal-responses.ts';

/** The OpenAPI document as a JSON value. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  paths: Record<string, Record<string, JsonSchema>>;
  webhooks?: Record<string, Record<string, JsonSchema>>;
  components: Record<string, Record<string, JsonSchema>>;
  [member: string]: unknown;
}

const ABOUT = `Moves customer accounts and businesses from another energy supplier into the platform.

**First call**: an operator issues an API key. The mutation \`obtainToken\` at \`POST /graphql/\` returns a token for it, which every call carries as \`Authorization: Token <ACCESS_TOKEN>\`. The [guide](/docs/guide/) explains each step.

**One response lists all errors.** Each has \`code\`, \`attr\` (where) and \`detail\` (how to correct it). Every code has a page under [/docs/codes/](/docs/codes/). \`x-validators\` at a field lists the codes that it can raise.

**Requests can be retried safely.** After a timeout, a 500 or a 503 send the same request again; nothing is created twice. With an \`Idempotency-Key\` the retry gets the response that was lost.

**Undocumented members** of a supplier's request are dropped without an error; the operator API rejects them. Paths work with and without the trailing slash.

**Generated clients** need less: [/openapi/suppliers.json](/openapi/suppliers.json) describes the calls of suppliers alone, [/openapi/operators.json](/openapi/operators.json) those of operators.`;

/** Callers that have a document of their own. */
export const audiences = ['suppliers', 'operators'] as const;
export type Audience = (typeof audiences)[number];

/**
 * The audience of that name.
 * @throws Error if it has no document
 */
export function audienceIn(name: string | undefined): Audience | undefined {
  const audience = audiences.find((one) => one === name);
  if (audience === undefined && name !== undefined) throw new Error(`${name} is none of: ${audiences.join(', ')}`);
  return audience;
}

const ACCESS: Record<Audience, OpenApiOperation['access']> = { suppliers: 'supplier', operators: 'operator' };

/** The part of the contents that concerns one kind of callers; webhooks go to suppliers. */
function partFor(audience: Audience | undefined, contents: OpenApiContents): OpenApiContents {
  if (audience === undefined) return contents;
  return {
    operations: contents.operations.filter(({ access }) => access === 'public' || access === ACCESS[audience]),
    webhooks: audience === 'suppliers' ? contents.webhooks : {},
  };
}

/**
 * Builds the OpenAPI 3.1 document from schemas and documentation of the operations, and from the catalogs of codes.
 * @param audience limits it to the calls of suppliers or operators
 */
export function buildOpenApiDocument(contents: OpenApiContents, audience?: Audience): OpenApiDocument {
  // Gathered from all operations, so that schemas have the same names in each part.
  const annotations = gatherSchemaAnnotations(contents.operations, componentNames);
  const writer = createSchemaWriter(annotations, errorComponents());
  const { operations, webhooks } = partFor(audience, contents);
  // Requests first, so that components shared with responses have validators.
  for (const { openApi } of operations) if (openApi.request) writer.request(openApi.request);
  const shared: SharedResponses = {};
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const path = publicPath(operation.path);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = writeOperation(operation, writer, shared);
  }
  const sent = Object.entries(webhooks).map(([name, webhook]) => [name, { post: writeWebhook(webhook, writer) }]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'gangway',
      version: '1',
      summary: 'Account and business migration',
      description: ABOUT,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: tagsOf(operations),
    paths,
    ...(sent.length === 0 ? {} : { webhooks: Object.fromEntries(sent) as NonNullable<OpenApiDocument['webhooks']> }),
    components: {
      schemas: writer.components,
      responses: shared,
      headers: usedOf('headers', headerComponents, paths, shared),
      parameters: usedOf('parameters', parameterComponents, paths, shared),
      examples: usedExamples(paths, shared),
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description:
            'The word `Token`, a blank, and an access token: `Token gwa_...`. A token is obtained by the mutation obtainToken of `POST /graphql/`.',
        },
        oauth: {
          type: 'oauth2',
          description:
            'For OAuth libraries: the same tokens as `Authorization: Bearer <token>`. The client id is the id of the API key or its first 12 characters, the client secret is the key.',
          flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: {} } },
        },
      },
    },
  };
}

type SharedResponses = Record<string, JsonSchema>;

/** Published path of a route, with trailing slash, as suppliers' clients send it. */
export function publicPath(path: string): string {
  const braced = path.replace(/:(\w+)/g, '{$1}');
  return path.startsWith('/v1/') || path === '/graphql' ? `${braced}/` : braced;
}

/** Links a guide; for other pages operators get the path in the repository. */
function moreAbout({ access, openApi: { page } }: OpenApiOperation): string | undefined {
  if (page === undefined) return undefined;
  if (guideAddress(page) !== undefined) return `More: ${guideLink(page)}`;
  return access === 'operator' ? `More: ${page}` : undefined;
}

function deprecationOf({ deprecation }: OpenApiOperation): string | undefined {
  if (deprecation === undefined) return undefined;
  const { since, ends, link } = deprecation;
  return `**Deprecated** since ${since}; may end after ${ends}. [What to use instead](${link})`;
}

function writeOperation(operation: OpenApiOperation, writer: SchemaWriter, shared: SharedResponses): JsonSchema {
  const { openApi } = operation;
  const parameters = [
    ...(operation.path.match(/:\w+/g) ?? []).map((name) =>
      parameter('path', name.slice(1), openApi.path?.[name.slice(1)]),
    ),
    ...Object.entries(openApi.query ?? {}).map(([name, about]) => parameter('query', name, about)),
    ...(supportsIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
  return {
    operationId: openApi.operationId,
    tags: [openApi.tag ?? 'Operations'],
    summary: openApi.summary,
    ...(operation.deprecation === undefined ? {} : { deprecated: true }),
    description: [deprecationOf(operation), openApi.description, moreAbout(operation)].filter(Boolean).join('\n\n'),
    security: operation.access === 'public' ? [] : [{ token: [] }, { oauth: [] }],
    ...(operation.access === 'public' ? {} : { 'x-role': operation.access }),
    ...(operation.action === undefined
      ? {}
      : {
          'x-scopes': (Object.keys(keyScopes) as KeyScope[]).filter((scope) => allowsAction(scope, operation.action!)),
        }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(openApi.request === undefined ? {} : { requestBody: requestBody(operation, writer) }),
    ...(openApi.form === undefined ? {} : { requestBody: formBody(openApi.form, writer) }),
    ...(operation.streamedBody === undefined ? {} : { requestBody: streamedBody(operation.streamedBody) }),
    responses: { ...successes(operation, writer), ...failures(operation, writer, shared) },
  };
}

function parameter(
  location: 'path' | 'query' | 'header',
  name: string,
  about: ParameterOpenApi | undefined,
): JsonSchema {
  const given: JsonSchema = { ...(about?.schema ?? { type: 'string' }) };
  const isQueryText = location === 'query' && given['type'] === 'string';
  const schema: JsonSchema =
    isQueryText && !('enum' in given || 'pattern' in given) ? { minLength: 1, ...given } : given;
  const rejectsNull = about?.violations?.includes('null_characters_not_allowed') ?? false;
  const isFreeText = given['type'] === 'string' && !('enum' in given || 'pattern' in given || 'format' in given);
  if (rejectsNull && isFreeText) schema['pattern'] = NO_NULL_CHARACTER;
  // Every query parameter can be repeated, and strings can be empty.
  const ofQuery = 'enum' in given ? ('invalid_choice' as const) : ('invalid' as const);
  const codes = [...new Set([...(about?.violations ?? []), ...(location === 'query' ? [ofQuery] : [])])];
  return {
    name,
    in: location,
    ...(location !== 'query' || about?.isRequired ? { required: true } : {}),
    ...(about === undefined ? {} : { description: about.description, example: about.example }),
    schema: { ...schema, ...(codes.length === 0 ? {} : { 'x-validators': rulesValidator(codes) }) },
  };
}

function requestBody(
  { access, bodyLimitBytes, bodyIsOptional = false, openApi }: OpenApiOperation,
  writer: SchemaWriter,
): JsonSchema {
  const schema = writer.request(openApi.request as SchemaNode);
  // Operator requests must not contain unknown members (`compileOperatorBody`).
  if (access === 'operator') {
    writer.components[String(schema['$ref']).split('/').at(-1)!]!['additionalProperties'] = false;
  }
  const sent =
    openApi.requestListMax === undefined
      ? schema
      : {
          type: 'array',
          items: schema,
          minItems: 1,
          maxItems: openApi.requestListMax,
          'x-validators': rulesValidator(['not_a_list', 'empty', 'max_length']),
        };
  const examples = Object.entries(openApi.requestExamples ?? {}).map(([name, value]) => [
    name,
    { summary: name, value },
  ]);
  return {
    required: !bodyIsOptional,
    description: `At most ${bodyLimitBytes} bytes of JSON in UTF-8; may be compressed with gzip, deflate or br.`,
    content: {
      'application/json': {
        schema: sent,
        ...(examples.length === 0 ? {} : { examples: Object.fromEntries(examples) as JsonSchema }),
      },
    },
  };
}

function formBody(form: object, writer: SchemaWriter): JsonSchema {
  const content = { schema: writer.reply(form), example: exampleOf(form) };
  return { required: true, content: { 'application/x-www-form-urlencoded': content } };
}

/** Declares the first media type only: some generators write code for several that does not run. */
function streamedBody({ mediaTypes: [type = '', ...others], limitBytes }: StreamedBodyRules): JsonSchema {
  return {
    required: true,
    description: `Lines of JSON, at most ${limitBytes} bytes of them; may be compressed with gzip or zstd, which is said by the header Content-Encoding. ${others.join(' and ')} are accepted as well.`,
    content: { [type]: { schema: { type: 'string', format: 'binary' } } },
  };
}

function successes(operation: OpenApiOperation, writer: SchemaWriter): Record<string, JsonSchema> {
  const { access, openApi } = operation;
  return Object.fromEntries(
    Object.entries(openApi.replies).map(([status, reply]) => [
      status,
      {
        description: reply.description,
        headers: headersOf([
          'X-Request-Id',
          'traceresponse',
          ...(reply.hasLink ? ['Link'] : []),
          ...(operation.deprecation === undefined ? [] : ['Deprecation', 'Sunset']),
          ...(access === 'supplier' ? QUOTA_HEADERS : []),
          ...(supportsIdempotencyKey(operation) ? ['Idempotent-Replayed'] : []),
        ]),
        content: Object.fromEntries(
          [reply.mediaType ?? 'application/json', ...(reply.otherMediaType ? [reply.otherMediaType] : [])].map(
            (type) => [type, replyContent(reply, writer)],
          ),
        ),
      },
    ]),
  );
}

/**
 * Generated clients would read the schema of a line as that of the whole body. So NDJSON is declared as bytes, and `contentSchema`
 * describes the lines.
 */
function replyContent({ mediaType, schema, example }: ReplyOpenApi, writer: SchemaWriter): JsonSchema {
  const written = writer.reply(schema);
  const shown = exampleOf(schema, example);
  if (mediaType === undefined) return { schema: written, example: shown };
  return {
    schema: {
      type: 'string',
      format: 'binary',
      contentMediaType: mediaType,
      contentSchema: { type: 'array', items: written },
    },
    example: `${JSON.stringify(shown)}\n`,
  };
}

/** A request to addresses of suppliers, and what their responses mean. */
function writeWebhook(webhook: WebhookOpenApi, writer: SchemaWriter): JsonSchema {
  const { operationId, tag, summary, description, page, headers, mediaType, schema, replies } = webhook;
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description}\n\nMore: ${guideLink(page)}`,
    security: [],
    parameters: Object.entries(headers).map(([name, about]) => parameter('header', name, about)),
    requestBody: {
      required: true,
      content: { [mediaType]: { schema: writer.reply(schema), example: exampleOf(schema) } },
    },
    responses: Object.fromEntries(
      Object.entries(replies).map(([status, meaning]) => [status, { description: meaning }]),
    ),
  };
}

function failures(
  operation: OpenApiOperation,
  writer: SchemaWriter,
  shared: SharedResponses,
): Record<string, JsonSchema> {
  const members = new Map(
    Object.entries(operation.openApi.refusalMembers ?? {}).map(([code, schema]) => [
      code as RefusalCode,
      {
        schema: writer.reply(schema as SchemaNode),
        example: exampleOf(schema as SchemaNode) as Record<string, unknown>,
      },
    ]),
  );
  const responses: Record<string, JsonSchema> = {};
  for (const [status, codes] of [...refusalsByStatus(operation)].sort(([one], [other]) => one - other)) {
    const isShared =
      [401, 403, 405, 406, 409, 413, 415, 422, 429, 500, 503].includes(status) &&
      !codes.some((code) => members.has(code)) &&
      !codes.includes('creation_pending');
    const response = refusalResponse(status, codes, members);
    if (isShared) shared[responseName(status, codes)] ??= response;
    responses[status] = isShared ? { $ref: `#/components/responses/${responseName(status, codes)}` } : response;
  }
  for (const [status, { description, headers, schema }] of Object.entries(operation.openApi.ownFailures ?? {})) {
    responses[status] = {
      description,
      headers: headersOf(['X-Request-Id', 'traceresponse', ...headers]),
      content: { 'application/json': { schema: writer.reply(schema) } },
    };
  }
  return responses;
}

/** References to shared headers. */
function headersOf(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Examples of refusals that a response refers to. */
function usedExamples(paths: OpenApiDocument['paths'], shared: SharedResponses): Record<string, JsonSchema> {
  const text = JSON.stringify([paths, shared]);
  const used = (Object.keys(refusals) as RefusalCode[]).filter((code) =>
    text.includes(`"#/components/examples/${code}"`),
  );
  return Object.fromEntries(used.map((code) => [code, { summary: code, value: refusalExample(code) }]));
}

/** Shared headers or parameters that a document refers to. */
function usedOf(
  kind: 'headers' | 'parameters',
  all: Record<string, JsonSchema>,
  paths: OpenApiDocument['paths'],
  shared: SharedResponses,
): Record<string, JsonSchema> {
  const text = JSON.stringify([paths, shared]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
}

const tagDescriptions: Record<string, string> = {
  Access: 'From an API key to a token.',
  Accounts: 'Validate, stage and create accounts, and follow their state.',
  Attachments: 'Data attached to an imported account.',
  Businesses: 'Businesses and their contracts; a business comes before its accounts.',
  Events: 'Events, once and in order.',
  Reconciliations: 'Comparison of stored with accepted data, with a signed certificate.',
  'Import jobs': 'Import files of many records, with progress, causes and results.',
  Waves: 'Accounts that are rehearsed, approved, created and signed off together.',
  'Supply points': 'Supply point records from the network operators.',
  Operations: 'For operators. Needs a key with the role operator. Every change is audited.',
  Health: 'For load balancers and monitoring.',
};

function tagsOf(operations: readonly OpenApiOperation[]): JsonSchema[] {
  const used = new Set<string>(operations.map(({ openApi }) => openApi.tag ?? 'Operations'));
  return Object.entries(tagDescriptions)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

/** Names of shared schemas that become components. Other bodies are named after their operation. */
const componentNames: ReadonlyMap<object, string> = new Map<object, string>([
  [accountPayloadSchema, 'Account'],
  [customerSchema, 'Customer'],
  [supplyAddressSchema, 'SupplyAddress'],
  [supplyPointSchema, 'SupplyPoint'],
  [businessContractSchema, 'BusinessContract'],
  [contractTermSchema, 'ContractTerm'],
]);
