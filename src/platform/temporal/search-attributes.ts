import proto, { type temporal } from '@temporalio/proto';
import { setTimeout as sleep } from 'node:timers/promises';
import { searchAttributes } from '../../../temporal.config.ts';

const { INDEXED_VALUE_TYPE_KEYWORD: KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST: KEYWORD_LIST } =
  proto.temporal.api.enums.v1.IndexedValueType;
const types = new Map<string, number>(
  Object.entries(searchAttributes).map(([name, type]) => [name, type === 'KEYWORD' ? KEYWORD : KEYWORD_LIST]),
);
const visibleWithinMs = 30_000;
const grpcAlreadyExists = 6;

/** The methods of `NativeConnection` and `Connection` that are used here. */
export interface OperatorConnection {
  operatorService: {
    addSearchAttributes(request: temporal.api.operatorservice.v1.IAddSearchAttributesRequest): Promise<unknown>;
    listSearchAttributes(
      request: temporal.api.operatorservice.v1.IListSearchAttributesRequest,
    ): Promise<temporal.api.operatorservice.v1.IListSearchAttributesResponse>;
  };
}

/**
 * Registers our search attributes on the namespace and waits until the server lists them. Existing ones are kept, so several processes may
 * do this concurrently and at every start.
 * @throws the connection's error if the server is unreachable or refuses; Error if a name exists with another type, or is not listed within
 * 30 s
 */
export async function registerSearchAttributes(connection: OperatorConnection, namespace: string): Promise<void> {
  const until = Date.now() + visibleWithinMs;
  for (;;) {
    const missing = await missingAttributes(connection, namespace);
    if (missing.length === 0) return;
    if (Date.now() > until) {
      throw new Error(
        `Temporal does not list the search attributes ${missing.join(', ')} on the namespace ${namespace}, though they were registered.`,
      );
    }
    await register(connection, namespace, missing);
    await sleep(50);
  }
}

async function missingAttributes({ operatorService }: OperatorConnection, namespace: string): Promise<string[]> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  return [...types.keys()].filter((name) => {
    const type = customAttributes?.[name];
    if (type !== undefined && type !== types.get(name)) {
      throw new Error(
        `The search attribute ${name} exists on the namespace ${namespace} with a type other than ${types.get(name) === KEYWORD ? 'Keyword' : 'KeywordList'}. Remove it or use another namespace.`,
      );
    }
    return type === undefined;
  });
}

async function register(
  { operatorService }: OperatorConnection,
  namespace: string,
  names: readonly string[],
): Promise<void> {
  const request = { namespace, searchAttributes: Object.fromEntries(names.map((name) => [name, types.get(name)!])) };
  try {
    await operatorService.addSearchAttributes(request);
  } catch (error) {
    // Another process was faster.
    if ((error as { code?: number }).code !== grpcAlreadyExists) throw error;
  }
}
