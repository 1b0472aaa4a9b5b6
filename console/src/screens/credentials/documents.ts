import { graphql } from '../../graphql/graphql.ts'

export const Credentials = graphql(`
  query Credentials($accountId: ID!, $after: String) {
    credentials(accountId: $accountId, first: 50, after: $after, orderBy: NAME) {
      totalCount
      nodes { id version name type isDefault checkedAt createdAt updatedAt data { key value } }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const CredentialUsages = graphql(`
  query CredentialUsages($credentialId: ID!) {
    credentialUsages(credentialId: $credentialId) { kind count name appId appEnvId app { id name } appEnv { id cliEnvName } }
  }
`)

export const CreateCredential = graphql(`
  mutation CreateCredential($input: CreateCredentialInput!) {
    createCredential(input: $input) { warning credential { id name checkedAt } }
  }
`)

export const UpdateCredential = graphql(`
  mutation UpdateCredential($input: UpdateCredentialInput!) {
    updateCredential(input: $input) { warning credential { id version name isDefault checkedAt updatedAt data { key value } } }
  }
`)

export const TestCredential = graphql(`
  mutation TestCredential($input: TestCredentialInput!) {
    testCredential(input: $input) { accepted message credential { id checkedAt } }
  }
`)

export const DeleteCredential = graphql(`
  mutation DeleteCredential($input: DeleteCredentialInput!) {
    deleteCredential(input: $input) { message deletedCredentialId }
  }
`)
