import { GraphQLError, parse, type DocumentNode, type ValidationRule } from 'graphql';

/** Far more than a request for a token needs. */
const TOKENS_MAX = 1_000;
const DEPTH_MAX = 5;

/** Parses a query of limited length, so that deep nesting cannot exhaust the parser. */
export function parseBoundedQuery(source: Parameters<typeof parse>[0]): DocumentNode {
  return parse(source, { maxTokens: TOKENS_MAX, noLocation: true });
}

/** Rejects queries that are nested deeper than the schema requires. Each fragment is measured alone, because fragments cannot be cyclic. */
export const depthLimit: ValidationRule = (context) => {
  let depth = 0;
  return {
    SelectionSet: {
      enter: () => {
        depth += 1;
        if (depth === DEPTH_MAX + 1) {
          context.reportError(new GraphQLError(`The query is nested deeper than ${DEPTH_MAX} levels.`));
        }
      },
      leave: () => {
        depth -= 1;
      },
    },
  };
};
