import { GraphQLError, parse, type DocumentNode, type ValidationRule } from 'graphql';

/** Far more than obtaining a token takes; the usual introspection query has about 350 tokens and is 13 deep. */
const TOKENS_MAX = 1_000;
const DEPTH_MAX = 5;
const INTROSPECTION_DEPTH_MAX = 20;

/** Parses a query of bounded length, so that hostile nesting costs nothing. */
export function parseBoundedQuery(source: Parameters<typeof parse>[0]): DocumentNode {
  return parse(source, { maxTokens: TOKENS_MAX, noLocation: true });
}

/** Refuses queries nested deeper than the schema can need. Fragments count for themselves: they cannot refer in circles. */
export function depthLimit(allowIntrospection: boolean): ValidationRule {
  const depthMax = allowIntrospection ? INTROSPECTION_DEPTH_MAX : DEPTH_MAX;
  return (context) => {
    let depth = 0;
    return {
      SelectionSet: {
        enter: () => {
          depth += 1;
          if (depth === depthMax + 1) {
            context.reportError(new GraphQLError(`The query is nested deeper than ${depthMax} levels.`));
          }
        },
        leave: () => {
          depth -= 1;
        },
      },
    };
  };
}
