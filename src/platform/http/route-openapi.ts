import type { OperatorAction } from '../../vocabulary/operator-actions.ts';
import type { RefusalCode } from '../../vocabulary/refusals.ts';
import type { DescribingPaths } from '../../vocabulary/value-sets.ts';
import type { ViolationCode } from '../../vocabulary/violations.ts';
import type { Deprecation } from './answer-headers.ts';
import type { StreamedBodyRules } from './streamed-body.ts';

/**
 * Documentation of a route that does not follow from its schemas and the catalogs of codes. src/openapi turns it into OpenAPI and adds
 * statuses, details, headers, examples and the refusals common to all routes of its kind.
 */
export interface RouteOpenApi {
  /** Unique, in camelCase: the function name in generated clients. */
  operationId: string;
  /** Default: Operations. */
  tag?:
    | 'Access'
    | 'Accounts'
    | 'Attachments'
    | 'Businesses'
    | 'Events'
    | 'Import jobs'
    | 'Reconciliations'
    | 'Supply points'
    | 'Waves'
    | 'Operations'
    | 'Health';
  /** One line. */
  summary: string;
  description?: string | undefined;
  /** The page of `docs/` with more information. */
  page?: `docs/${string}.md${string}` | undefined;
  /** The body: a TypeBox schema of types from field-types.schema.ts. */
  request?: object;
  /** A form as body, instead of JSON. */
  form?: object;
  /** If the body is a list of `request`: the maximum number of items. */
  requestListMax?: number;
  /** Codes that cross-field rules and checks of stored data report, by field. */
  rules?: FieldRules | undefined;
  /** Fields of the body with an open value set, whose known values are documented. */
  describingPaths?: DescribingPaths;
  requestExamples?: Readonly<Record<string, unknown>>;
  /** Path parameters by name. */
  path?: Readonly<Record<string, ParameterOpenApi>> | undefined;
  query?: Readonly<Record<string, ParameterOpenApi>>;
  /** Successful responses by status. */
  replies: Readonly<Partial<Record<200 | 201 | 202, ReplyOpenApi>>>;
  /** Possible refusals, without those of all routes of its kind (src/openapi/refusal-responses.ts). */
  refusals?: readonly RefusalCode[];
  /** Refusals of all routes of its kind that this route never returns. */
  neverAnswers?: readonly RefusalCode[];
  /** Failures in another format than that of refusals, by status. */
  ownFailures?: Readonly<Record<number, OwnFailure>>;
  /** Additional members of refusal bodies. */
  refusalMembers?: Readonly<Partial<Record<RefusalCode, object>>>;
}

interface OwnFailure {
  description: string;
  /** Names of shared headers. */
  headers: readonly string[];
  schema: object;
}

/** The same operation for operators, with these differences. */
export function forOperators(openApi: RouteOpenApi, differences: Partial<RouteOpenApi> = {}): RouteOpenApi {
  return { ...openApi, operationId: `${openApi.operationId}ForOperator`, tag: 'Operations', ...differences };
}

/** Codes by path in a body; `*` matches every item of a list. */
export type FieldRules = Readonly<Record<string, readonly ViolationCode[]>>;

export interface ParameterOpenApi {
  description: string;
  example: string | number;
  /** A JSON Schema; default: string. */
  schema?: object;
  isRequired?: true;
  /** Codes for invalid values, besides `invalid` (`invalid_choice` of an enum) of query parameters. */
  violations?: readonly ViolationCode[];
}

export interface ReplyOpenApi {
  description: string;
  /** Schema of the body; of NDJSON the schema of a line. */
  schema: object;
  /** The whole body, or members of an object that replace those of the schema's example. Default: the example of the schema. */
  example?: unknown;
  mediaType?: 'application/x-ndjson';
  /** Alternative media type of the same content, if the client requests it. */
  otherMediaType?: 'application/graphql-response+json';
  /** Whether the Link header leads to the next page. */
  hasLink?: boolean;
}

/** A request that the service sends to addresses of its clients. */
export interface WebhookOpenApi {
  operationId: string;
  tag: NonNullable<RouteOpenApi['tag']>;
  summary: string;
  description: string;
  page: NonNullable<RouteOpenApi['page']>;
  headers: Readonly<Record<string, ParameterOpenApi>>;
  mediaType: string;
  schema: object;
  /** What the service does with a response, by status. */
  replies: Readonly<Record<string, string>>;
}

/** Contents of an OpenAPI document. */
export interface OpenApiContents {
  operations: readonly OpenApiOperation[];
  webhooks: Readonly<Record<string, WebhookOpenApi>>;
}

/** An operation of the OpenAPI document: a route, or an endpoint outside the router. */
export interface OpenApiOperation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As in `Route`: without the trailing slash, parameters as `:name`. */
  path: string;
  access: 'public' | 'supplier' | 'operator';
  action?: OperatorAction;
  bodyLimitBytes?: number | undefined;
  streamedBody?: StreamedBodyRules | undefined;
  bodyIsOptional?: boolean | undefined;
  deprecation?: Deprecation | undefined;
  openApi: RouteOpenApi;
}
