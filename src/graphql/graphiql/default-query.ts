/** The editor's initial content: something to run, to change and to follow. */
export const defaultQuery = `# Put your token into "Headers" below, then press the play button.
# Berth prints the admin token when it starts; it is kept in .berth/admin-token.

query Apps {
  apps(first: 20) {
    nodes {
      id
      name
      appEnvs {
        nodes {
          id
          cliEnvName
          status
          health
          replicas { desired ready }
        }
      }
    }
  }
}

mutation Deploy($envName: String!, $image: String!) {
  deployImage(input: { envName: $envName, image: $image }) {
    message
    operation { id status }
  }
}

subscription Follow($envName: String!) {
  appEnvStatusChanged(envName: $envName) {
    cursor
    status
    health
  }
}
`
