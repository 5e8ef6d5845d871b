import type { OperatorAction } from '../../vocabulary/operator-actions.ts';
import type { RefusalCode } from '../../vocabulary/refusals.ts';
import type { DescribingPlaces } from '../../vocabulary/value-sets.ts';
import type { ViolationCode } from '../../vocabulary/violations.ts';
import type { StreamedBodyRules } from './streamed-body.ts';

/**
 * Documentation of a route that does not follow from its schemas and the catalogues of codes. It is in the
 * capability's `<noun>.openapi.ts`; src/openapi turns it into OpenAPI. Statuses, sentences, headers and the refusals
 * that every route of its kind can answer are added there, so nothing is written twice.
 */
export interface RouteOpenApi {
  /** Unique, camelCase: the name of the function in a generated client. */
  operationId: string;
  tag:
    | 'Access'
    | 'Accounts'
    | 'Attachments'
    | 'Businesses'
    | 'Events'
    | 'Import jobs'
    | 'Reconciliations'
    | 'Supply points'
    | 'Operations'
    | 'Health';
  /** One line. */
  summary: string;
  description?: string;
  /** The page of `docs/` that says more. */
  page?: `docs/${string}.md${string}`;
  /** The body: a TypeBox schema made of the kinds in field-types.schema.ts. */
  request?: object;
  /** The body is a list of such bodies, at most this many. */
  requestListMax?: number;
  /** Codes that cross-field rules and the state of things add at places of the body. */
  rules?: FieldRules;
  /** Fields of the body with an open set of values, whose known members are shown. */
  describingPlaces?: DescribingPlaces;
  requestExamples?: Readonly<Record<string, unknown>>;
  /** The parameters of the path, by name. */
  path?: Readonly<Record<string, ParameterOpenApi>>;
  query?: Readonly<Record<string, ParameterOpenApi>>;
  /** Successes by status. */
  replies: Readonly<Partial<Record<200 | 201, ReplyOpenApi>>>;
  /** What it can answer instead, without what every route of its kind can (src/openapi/implied-refusals.ts). */
  refusals: readonly RefusalCode[];
  /** Of what every route of its kind can answer, what this one cannot. */
  neverAnswers?: readonly RefusalCode[];
  /** Additional members of rejection bodies. */
  refusalMembers?: Readonly<Partial<Record<RefusalCode, object>>>;
}

/** Codes by path in a body; `*` matches every item of a list. */
export type FieldRules = Readonly<Record<string, readonly ViolationCode[]>>;

export interface ParameterOpenApi {
  description: string;
  example: string | number;
  /** A plain JSON Schema; a text unless given. */
  schema?: object;
  isRequired?: true;
  /** Codes of a value that is refused. */
  violations?: readonly ViolationCode[];
}

interface ReplyOpenApi {
  description: string;
  /** Of the body; of each of its lines where it is a stream of JSON lines. */
  schema: object;
  example: unknown;
  mediaType?: 'application/x-ndjson';
  /** The same content in another media type, where the client asks for it. */
  otherMediaType?: 'application/graphql-response+json';
  /** The header Link leads to the next page. */
  hasLink?: boolean;
}

/** An operation of the OpenAPI document: a route, or an endpoint outside the router. */
export interface OpenApiOperation {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As in `Route`: without the trailing slash, parameters as `:name`. */
  path: string;
  access: 'public' | 'supplier' | 'operator';
  action?: OperatorAction;
  bodyLimitBytes?: number | undefined;
  streamedBody?: StreamedBodyRules | undefined;
  bodyIsOptional?: boolean | undefined;
  openApi: RouteOpenApi;
}
