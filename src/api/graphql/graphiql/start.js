// Runs in the browser, after GraphiQL and fetcher.js.

const WORKERS = {
  editorWorkerService: '/graphql/editor-worker.js',
  json: '/graphql/json-worker.js',
  graphql: '/graphql/graphql-worker.js',
}

/** The editor's initial content: something to run, to change and to follow. */
const DEFAULT_QUERY = `# If you are signed in, press the play button. Otherwise put your token into "Headers" below first;
# the admin's is in .berth/admin-token.

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

globalThis.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => WORKERS[label] }

YogaGraphiQL.renderYogaGraphiQL(
  document.querySelector('#root'),
  berthOptions({
    title: 'Berth GraphiQL',
    defaultQuery: DEFAULT_QUERY,
    defaultEditorToolsVisibility: 'headers',
    shouldPersistHeaders: false,
  }),
)
