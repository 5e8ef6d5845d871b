import { buildSchema, type GraphQLSchema } from 'graphql';

/** The GraphQL interface (design 5). Names and shapes are those that suppliers' clients know from its public relatives. */
export const accessSchema: GraphQLSchema = buildSchema(`
  "Any JSON value."
  scalar GenericScalar

  "Exactly one member must be sent."
  input ObtainJSONWebTokenInput {
    "API key that the operators issued to the organisation."
    APIKey: String
    "The same key, under the name that third-party organisations use."
    organizationSecretKey: String
    "Refresh token of an earlier answer; can be used once."
    refreshToken: String
  }

  type ObtainJSONWebToken {
    "Access token for the header Authorization: Token <token>. Valid for 60 minutes."
    token: String!
    "Obtains the next pair of tokens without the key. Valid for 7 days, once."
    refreshToken: String
    "Unix time at which the refresh token expires."
    refreshExpiresIn: Int
    "What the token stands for: sub, iss, gty, iat, exp, organisation, role."
    payload: GenericScalar!
  }

  type Mutation {
    obtainToken(input: ObtainJSONWebTokenInput!): ObtainJSONWebToken
    "The same under the specification's spelling."
    ObtainToken(input: ObtainJSONWebTokenInput!): ObtainJSONWebToken
  }

  type Query {
    "Name of the service; GraphQL wants a query to exist."
    service: String!
  }
`);
