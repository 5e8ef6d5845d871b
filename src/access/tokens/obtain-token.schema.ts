import { buildSchema, type GraphQLSchema } from 'graphql';

/** The GraphQL API. Names and types match those of the related public APIs, which suppliers' clients know. */
export const accessSchema: GraphQLSchema = buildSchema(`
  "Any JSON value."
  scalar GenericScalar

  "Exactly one member must be sent."
  input ObtainJSONWebTokenInput {
    "API key that the operators issued to the organization."
    APIKey: String
    "The same key, under the name that third-party organizations use."
    organizationSecretKey: String
    "Refresh token of an earlier answer; can be used once. A second use ends its session."
    refreshToken: String
  }

  type ObtainJSONWebToken {
    "Access token for the header Authorization: Token <token>. Valid for 60 minutes."
    token: String!
    "Obtains the next pair of tokens without the key. Valid once, until the session ends 12 hours after the key was used."
    refreshToken: String
    "Unix time at which the refresh token expires."
    refreshExpiresIn: Int
    "The claims of the token: sub, iss, gty, iat, exp, organisation, role."
    payload: GenericScalar!
  }

  "Exactly one member must be sent."
  input RevokeTokenInput {
    "An access token: it alone ends."
    token: String
    "A refresh token: all tokens of its session end."
    refreshToken: String
  }

  type RevokeToken {
    "The token ends everywhere within a second."
    revoked: Boolean!
  }

  type Mutation {
    obtainToken(input: ObtainJSONWebTokenInput!): ObtainJSONWebToken
    "The same, spelt as the type is."
    ObtainToken(input: ObtainJSONWebTokenInput!): ObtainJSONWebToken
    "Ends a token, for example one that appeared in a log. Possession of the token is enough to end it."
    revokeToken(input: RevokeTokenInput!): RevokeToken
  }

  type Query {
    "Name of the service; GraphQL wants a query to exist."
    service: String!
  }
`);
