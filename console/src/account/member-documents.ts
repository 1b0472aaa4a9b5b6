import { graphql } from '../graphql/graphql.ts'

/** Names of the people of an account: what other lists have ids of. */
export const MemberNames = graphql(`
  query MemberNames($accountId: ID!) {
    members(accountId: $accountId, first: 200) { totalCount nodes { userId email user { id username } } pageInfo { hasNextPage endCursor } }
  }
`)

/** Names of the environments of an account, to choose from. */
export const EnvironmentNames = graphql(`
  query EnvironmentNames($accountId: ID!) {
    appEnvs(accountId: $accountId, first: 200, orderBy: NAME) { totalCount nodes { id name cliEnvName app { id name } } pageInfo { hasNextPage endCursor } }
  }
`)
