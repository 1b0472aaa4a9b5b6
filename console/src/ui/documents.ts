import { graphql } from '../graphql/graphql.ts'

export const Search = graphql(`
  query Search($accountId: ID!, $text: String!) {
    search(accountId: $accountId, text: $text, limit: 20) {
      kind id name appId
      app { id name }
      appEnv { id cliEnvName status }
    }
  }
`)
