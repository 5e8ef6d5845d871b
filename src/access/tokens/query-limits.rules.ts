import { GraphQLError, parse, type DocumentNode, type ValidationRule } from 'graphql';

/** Far more than obtaining a token takes. */
const TOKENS_MAX = 1_000;
const DEPTH_MAX = 5;

/** Parses a query of bounded length, so that hostile nesting costs nothing. */
export function parseBoundedQuery(source: Parameters<typeof parse>[0]): DocumentNode {
  return parse(source, { maxTokens: TOKENS_MAX, noLocation: true });
}

/** Rejects queries nested deeper than the schema can need. Fragments are counted alone: they cannot refer in circles. */
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
