import { graphql } from '../../graphql/graphql.ts'

export const Tokens = graphql(`
  query Tokens($userId: ID, $appEnvId: ID, $after: String) {
    tokens(userId: $userId, appEnvId: $appEnvId, first: 50, after: $after) {
      totalCount
      nodes { id kind name scopes createdAt expiresAt lastUsedAt revokedAt appEnv { id name cliEnvName app { id name } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const Authorizations = graphql(`
  query Authorizations($userId: ID, $after: String) {
    authorizations(userId: $userId, first: 50, after: $after) {
      nodes { id clientId clientName scopes status createdAt expiresAt lastUsedAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const CreateToken = graphql(`
  mutation CreateToken($input: CreateTokenInput!) {
    createToken(input: $input) { secret token { id name } }
  }
`)

export const RotateToken = graphql(`
  mutation RotateToken($input: RotateTokenInput!) {
    rotateToken(input: $input) { secret previousUntil token { id name } }
  }
`)

export const RevokeToken = graphql(`
  mutation RevokeToken($input: RevokeTokenInput!) {
    revokeToken(input: $input) { message }
  }
`)

export const RevokeAuthorization = graphql(`
  mutation RevokeAuthorization($input: RevokeAuthorizationInput!) {
    revokeAuthorization(input: $input) { message }
  }
`)
