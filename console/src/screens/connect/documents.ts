import { graphql } from '../../graphql/graphql.ts'

/** What is known without a secret. */
export const Connection = graphql(`
  query Connection($env: String!) {
    appEnv(envName: $env) {
      id version
      app { id dockerPreset }
      externalAccess { enabled host port allowedCidrs maxConnections }
      referencedBy {
        otherCount
        appEnvs { envName appEnvId variables { name holdsCredentials } }
      }
      replicas { desired }
    }
    databasePresets { dockerPreset connectionProtocol ports { port } }
  }
`)

/** Read past the cache, and audited by the API. */
export const Credentials = graphql(`
  query Credentials($env: String!) {
    appEnv(envName: $env) {
      id
      credentials { username password database internalUrl readOnlyUrl externalUrl }
    }
  }
`)

export const ChangeExternalAccess = graphql(`
  mutation ChangeExternalAccess($input: UpdateAppEnvInput!) {
    updateAppEnv(input: $input) {
      appEnv { id version externalAccess { enabled host port allowedCidrs maxConnections } }
    }
  }
`)

export const RotateCredentials = graphql(`
  mutation RotateCredentials($input: RotateCredentialsInput!) {
    rotateCredentials(input: $input) { message appEnv { id status } operation { id status } }
  }
`)
