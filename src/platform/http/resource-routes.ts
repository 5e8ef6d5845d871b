import type { EntityManager } from '@mikro-orm/postgresql';
import { Type, type Static, type TSchema } from 'typebox';
import type { OperatorAction } from '../../vocabulary/operator-actions.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { Violation, ViolationCode } from '../../vocabulary/violations.ts';
import type { Database } from '../database/database.ts';
import { compileOperatorBody } from '../validation/compile-payload.ts';
import type { FieldRules, RouteOpenApi } from './route-openapi.ts';
import { operatorRead, type Actor, type Reply, type Route } from './route.ts';

/** Result of a PUT, with views for the audit. `before` is undefined if the resource is new. */
export interface ResourceChange {
  created?: boolean;
  before?: object | undefined;
  after: object;
}

type RecordAudit = (
  em: EntityManager,
  actor: Actor,
  change: ResourceChange & { action: string; subject: string; reason?: string },
) => Promise<void>;

/** A setting or similar resource of the operator API. */
interface Resource<View extends TSchema, Body extends { reason?: string }> {
  /** In operation ids: `put<name>`, `find<name>`, `list<name>s`. */
  name: string;
  /** Path below `/v1/operations/`, without the key. */
  path: string;
  /** Path parameter that identifies the resource; undefined if there is only one. */
  key?: { name: string; schema: TSchema; description: string; example: string };
  /** Detail of a 404. */
  unknown?: string;
  view: View;
  page?: RouteOpenApi['page'];
  put: {
    summary: string;
    action: OperatorAction;
    description?: string;
    body: TSchema;
    bodyLimitBytes?: number;
    /** Validation beyond the schema of the body. */
    rules?: (body: Body) => Violation[];
    /** Codes of `rules`, by field. */
    ruleCodes?: FieldRules;
    examples: Readonly<Record<string, unknown>>;
    changed: string;
    /** Description of the response 201; set if PUT creates missing resources. */
    created?: string;
  };
  find: { summary: string; reply: string };
  list?: { summary: string; reply: string };
  /** Noun in audited actions, as in `<noun>.changed`. */
  auditNoun: string;
  recordAudit: RecordAudit;
  /** Returns one resource as shown to operators; `key` is empty if there is only one. */
  one(em: EntityManager, key: string): Promise<Static<View> | undefined>;
  /** Returns all resources in the order of their keys. */
  all?(em: EntityManager): Promise<Static<View>[]>;
  /** Changes a resource in a transaction; returns undefined if it does not exist. Must lock it, so that no concurrent change is lost. */
  change(em: EntityManager, key: string, body: Body): Promise<ResourceChange | undefined>;
}

export interface DefinedResource<View> {
  /** Returns one resource as shown to operators. */
  one(em: EntityManager, key: string): Promise<View | undefined>;
  /** Returns all resources in the order of their keys. */
  all(em: EntityManager): Promise<View[]>;
  /** @param onChange called after a committed PUT of this process */
  routes(deps: { database: Database }, onChange?: () => void): Route[];
  /** Validates and applies a change, with an audit entry. Also used by the support site. */
  put(database: Database, actor: Actor, sent: { key?: string | undefined; body: unknown }): Promise<Reply | Refused>;
}

const BODY_LIMIT_BYTES = 16_384;
/** Violations of the key of a resource that PUT creates. */
const KEY_VIOLATIONS: readonly ViolationCode[] = [
  'blank',
  'max_length',
  'invalid',
  'null_characters_not_allowed',
  'surrogate_characters_not_allowed',
];

/** Creates PUT, GET and list of a resource, with validation, audit and OpenAPI, from one description. */
export function defineResource<View extends TSchema, Body extends { reason?: string }>(
  resource: Resource<View, Body>,
): DefinedResource<Static<View>> {
  const keyIn = keyReader(resource);
  const put = createPut(resource, keyIn);
  return {
    one: resource.one,
    all: resource.all ?? (async () => []),
    put,
    routes: ({ database }, onChange) => {
      const openApi = openApiOf(resource);
      const { key, all } = resource;
      const list = `/v1/operations/${resource.path}`;
      const path = key === undefined ? list : `${list}/:${key.name}`;
      const sentKey = (params: Readonly<Record<string, string>>) => params[key?.name ?? ''];
      const putRoute: Route = {
        method: 'PUT',
        path,
        access: 'operator',
        action: resource.put.action,
        openApi: openApi.put,
        bodyLimitBytes: resource.put.bodyLimitBytes ?? BODY_LIMIT_BYTES,
        handle: async ({ params, body, caller }) => {
          const reply = await put(database, caller, { key: sentKey(params), body });
          if (!isRefused(reply)) onChange?.();
          return reply;
        },
      };
      const findRoute = operatorRead({
        path,
        openApi: openApi.find,
        handle: async ({ params }) => {
          const found = keyIn(sentKey(params));
          const view = isRefused(found) ? undefined : await resource.one(database.em(), found);
          return view === undefined ? notFound(resource) : { status: 200, body: view };
        },
      });
      if (all === undefined || openApi.list === undefined) return [putRoute, findRoute];
      const handle = async () => ({ status: 200 as const, body: await all(database.em()) });
      return [putRoute, findRoute, operatorRead({ path: list, openApi: openApi.list, handle })];
    },
  };
}

type KeyReader = (sent: string | undefined) => string | Refused;

function keyReader({ key }: { key?: Resource<TSchema, { reason?: string }>['key'] }): KeyReader {
  if (key === undefined) return () => '';
  const check = compileOperatorBody<Record<string, string>>(Type.Object({ [key.name]: key.schema }));
  return (sent) => {
    const checked = check({ [key.name]: sent });
    return isRefused(checked) ? checked : checked[key.name]!;
  };
}

function createPut<View extends TSchema, Body extends { reason?: string }>(
  resource: Resource<View, Body>,
  keyIn: KeyReader,
): DefinedResource<Static<View>>['put'] {
  const { put, key, path } = resource;
  const checkBody = compileOperatorBody<Body>(put.body, put.rules);
  return async (database, actor, sent) => {
    const found = keyIn(sent.key);
    if (isRefused(found)) return put.created === undefined ? notFound(resource) : found;
    const body = checkBody(sent.body);
    if (isRefused(body)) return body;
    return database.transaction(async (em) => {
      const done = await resource.change(em, found, body);
      if (done === undefined) return notFound(resource);
      const { created = false, before, after } = done;
      await resource.recordAudit(em, actor, {
        action: `${resource.auditNoun}.${created ? 'created' : 'changed'}`,
        subject: key === undefined ? path : `${path}/${found}`,
        before,
        after,
        ...(body.reason === undefined ? {} : { reason: body.reason }),
      });
      return { status: created ? 201 : 200, body: await resource.one(em, found) };
    });
  };
}

function notFound({ unknown }: { unknown?: string }): Refused {
  return refuse('not_found', unknown === undefined ? {} : { detail: unknown });
}

function openApiOf<View extends TSchema, Body extends { reason?: string }>(
  resource: Resource<View, Body>,
): { put: RouteOpenApi; find: RouteOpenApi; list: RouteOpenApi | undefined } {
  const { name, key, put, find, list, view: schema, page } = resource;
  const isCreated = put.created !== undefined;
  const path = key && { [key.name]: { description: key.description, example: key.example } };
  return {
    put: {
      operationId: `put${name}`,
      summary: put.summary,
      description: put.description,
      page,
      path: key && isCreated ? { [key.name]: { ...path![key.name]!, violations: KEY_VIOLATIONS } } : path,
      request: put.body,
      rules: put.ruleCodes,
      requestExamples: put.examples,
      replies: {
        200: { description: put.changed, schema },
        ...(isCreated && { 201: { description: put.created!, schema } }),
      },
      refusals: key === undefined || isCreated ? [] : ['not_found'],
    },
    find: {
      operationId: `find${name}`,
      summary: find.summary,
      page,
      path,
      replies: { 200: { description: find.reply, schema } },
      refusals: key === undefined ? [] : ['not_found'],
    },
    list: list && {
      operationId: `list${name}s`,
      summary: list.summary,
      page,
      replies: { 200: { description: list.reply, schema: Type.Array(schema) } },
    },
  };
}
