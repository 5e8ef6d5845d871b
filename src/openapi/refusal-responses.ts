import { supportsIdempotencyKey } from '../platform/http/route.ts';
import type { OpenApiOperation } from '../platform/http/route-openapi.ts';
import { refusals, type RefusalCode, refuse } from '../vocabulary/refusals.ts';
import { violationSentences, violation, type Violation } from '../vocabulary/violations.ts';
import { pascalCase, type JsonSchema } from './json-schema-writer.ts';
import { renderRefusal } from '../platform/http/answer-refusal.ts';

/** Optional members of error bodies. */
const rare = {
  truncated: { type: 'boolean', const: true, description: 'True if there are more faults than are listed.' },
  outcome: {
    type: 'string',
    const: 'unknown',
    description:
      'With service_unavailable: the outcome is unknown, because the response of the database was lost. Without it nothing was changed.',
  },
};

/** Components of every error body (RFC 9457). */
export function errorComponents(): Record<string, JsonSchema> {
  const text = (description: string) => ({ type: 'string', description });
  return {
    Violation: {
      type: 'object',
      description: 'A fault of the request.',
      required: ['detail', 'code', 'attr'],
      properties: {
        detail: text('The problem and its remedy, for people. The wording may change; do not parse it.'),
        code: {
          type: 'string',
          enum: Object.keys(violationSentences),
          description: 'Stable, for machines; each has a page under /docs/codes/.',
        },
        attr: text(
          'Dot-separated path to the input; numeric parts are zero-based indexes. `non_field_errors` as the last part means the whole object.',
        ),
      },
    },
    Error: {
      type: 'object',
      description: 'Reason why the request was not executed.',
      required: ['detail', 'code', 'errors', 'doc_url'],
      properties: {
        detail: text('For people. Wording may change; do not parse it.'),
        code: { type: 'string', enum: Object.keys(refusals), description: 'Stable, for machines.' },
        errors: {
          type: 'array',
          maxItems: 1_000,
          items: { $ref: '#/components/schemas/Violation' },
          description: 'All faults in the order of the payload; empty unless the request was not valid.',
        },
        doc_url: { type: 'string', format: 'uri-reference', description: 'Path of the page that explains the code.' },
        ...rare,
        request_id: text('Sent with status 500 and above. Include it when you report a problem.'),
      },
    },
    Problem: {
      description:
        'The format of RFC 9457, sent if the header Accept contains application/problem+json. It has the members of Error, and these.',
      allOf: [
        { $ref: '#/components/schemas/Error' },
        {
          type: 'object',
          required: ['type', 'title', 'status', 'instance'],
          properties: {
            type: { type: 'string', format: 'uri-reference', description: 'The same as doc_url.' },
            title: text('The sentence of the code.'),
            status: { type: 'integer', description: 'The HTTP status.' },
            instance: {
              type: 'string',
              format: 'uri-reference',
              description: 'Id of the request: the same as the header X-Request-Id.',
            },
          },
        },
      ],
    },
  };
}

/** Returns all refusal codes of an operation by status. */
export function refusalsByStatus(operation: OpenApiOperation): Map<number, RefusalCode[]> {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of new Set(refusalsOf(operation))) {
    byStatus.set(refusals[code].status, [...(byStatus.get(refusals[code].status) ?? []), code]);
  }
  return byStatus;
}

/** The refusals that an operation declares, and those common to all routes of its kind (platform/http/app.ts). */
function refusalsOf(operation: OpenApiOperation): RefusalCode[] {
  const { request, query, refusals: declared = [], neverAnswers = [] } = operation.openApi;
  // A rejected account has a refusal of its own.
  const isValidated = (request !== undefined || query !== undefined) && !declared.includes('account_failed_validation');
  const all: (RefusalCode | false)[] = [
    isValidated && 'validation_failed',
    ...declared,
    ...(operation.bodyLimitBytes === undefined && operation.streamedBody === undefined
      ? []
      : (['parse_error', 'request_too_large', 'unsupported_media_type'] as const)),
    ...(operation.access === 'public'
      ? []
      : (['not_authenticated', 'authentication_failed', 'permission_denied', 'throttled'] as const)),
    ...(supportsIdempotencyKey(operation)
      ? (['invalid_idempotency_key', 'idempotency_key_in_use', 'idempotency_key_reused'] as const)
      : []),
    'unknown_query_parameter',
    'method_not_allowed',
    'not_acceptable',
    'error',
    'service_unavailable',
  ];
  return all.filter((code) => code !== false && !neverAnswers.includes(code)) as RefusalCode[];
}

/** Response headers by status, besides X-Request-Id and traceresponse. */
const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  429: ['Retry-After', 'RateLimit-Policy', 'RateLimit'],
  503: ['Retry-After'],
};

/** Additional members of a refusal body. */
interface MoreMembers {
  schema: JsonSchema;
  example: Record<string, unknown>;
}

/** The OpenAPI response for one status. */
export function refusalResponse(
  status: number,
  codes: readonly RefusalCode[],
  members: ReadonlyMap<RefusalCode, MoreMembers>,
): JsonSchema {
  const plain = codes.filter((code) => !members.has(code));
  const shapes = [
    ...(plain.length === 0 ? [] : [withCodes('Error', plain)]),
    ...codes
      .filter((code) => members.has(code))
      .map((code) => ({ allOf: [...withCodes('Error', [code]).allOf, members.get(code)!.schema] })),
  ];
  const headers = ['X-Request-Id', 'traceresponse', ...(HEADERS_BY_STATUS[status] ?? [])];
  return {
    description: codes.map((code) => `\`${code}\`: ${refusals[code].sentence}`).join('\n\n'),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      'application/json': {
        schema: shapes.length === 1 ? shapes[0] : { oneOf: shapes },
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            members.has(code)
              ? { summary: code, value: refusalExample(code, members.get(code)!.example) }
              : { $ref: `#/components/examples/${code}` },
          ]),
        ),
      },
      'application/problem+json': { schema: withCodes('Problem', codes) },
    },
  };
}

function withCodes(component: string, codes: readonly RefusalCode[]) {
  return {
    allOf: [
      { $ref: `#/components/schemas/${component}` },
      { type: 'object', properties: { code: { type: 'string', enum: [...codes] } } },
    ],
  };
}

/** Component name of a response that most operations share. */
export function responseName(status: number, codes: readonly RefusalCode[]): string {
  // Error is the name of the schema of all refusals.
  if (codes.length === 1 && codes[0] === 'error') return 'InternalError';
  return pascalCase(codes.length === 1 ? codes[0]! : ({ 401: 'unauthorized' }[status] ?? `status_${status}`));
}

const REQUEST_ID = '0198c0de-0000-7000-8000-000000000001';

/** Violations in the examples of refusals. */
const exampleViolations: Partial<Record<RefusalCode, Violation[]>> = {
  account_failed_validation: [
    violation('required', ['external_account_number']),
    violation('invalid_phone_number', ['customers', 0, 'landline']),
  ],
  validation_failed: [violation('blank', ['external_account_number'])],
  unknown_query_parameter: [
    violation(
      'invalid',
      ['force_add_to_curent_statement'],
      'There is no query parameter "force_add_to_curent_statement". Did you mean force_add_to_current_statement? This operation accepts check_previously_added, force_add_to_current_statement.',
    ),
  ],
  import_process_failed_validation: [violation('date_in_future', ['customers', 0, 'date_of_birth'])],
  business_already_exists: [violation('differs_from_stored', ['business', 'company_name'])],
};

/** Returns the body of a refusal as the service sends it. */
export function refusalExample(
  code: RefusalCode,
  members: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const retryAfterSeconds = refusals[code].status === 429 || refusals[code].status === 503 ? 5 : undefined;
  const refused = refuse(code, {
    violations: exampleViolations[code] ?? [],
    extras: members,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  return renderRefusal(refused, REQUEST_ID).body;
}
