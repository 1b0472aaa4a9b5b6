// Who may import whom; the reasons are in ARCHITECTURE.md.
const from = (...folders) => ({ path: `^src/(${folders.join('|')})/` })
const to = from

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-depends-on-nothing',
      comment: 'The vocabulary is pure: it knows no other layer and no I/O.',
      severity: 'error',
      from: from('domain'),
      to: { path: '^(src/(?!domain/)|node:)' },
    },
    {
      name: 'app-types-depend-on-domain-only',
      severity: 'error',
      from: from('app-types'),
      to: { path: '^src/', pathNot: '^src/(domain|app-types)/' },
    },
    {
      name: 'ports-depend-on-domain-only',
      comment: 'What a port says holds for every adapter, so it names none and needs none.',
      severity: 'error',
      from: { path: '^src/(runtime|images|engine)/[^/]+$' },
      to: { path: '^(src/|node_modules/)', pathNot: '^src/(domain/|(runtime|images|engine)/[^/]+$)' },
    },
    {
      name: 'adapters-depend-on-their-port-and-their-engine',
      comment: 'Neither port knows the other; what both adapters of one engine share stands in engine/.',
      severity: 'error',
      from: { path: '^src/(runtime|images|engine)/([^/]+)/' },
      to: { path: '^src/', pathNot: '^src/(domain/|fault-injection/|engine/$2/|engine/[^/]+$|$1/[^/]+$|$1/$2/)' },
    },
    {
      name: 'only-the-platform-chooses-adapters',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/((runtime|images|engine)/[^/]+/|platform/container-engine\\.ts$)' },
      to: { path: '^src/(runtime|images|engine)/[^/]+/' },
    },
    {
      name: 'only-its-adapters-know-an-engine',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(runtime|images|engine)/docker/' },
      to: { path: '^node_modules/(@types/)?dockerode' },
    },
    {
      name: 'doors-do-not-share-a-hinge',
      comment: 'GraphQL and REST meet in the services only.',
      severity: 'error',
      from: from('graphql'),
      to: to('rest'),
    },
    {
      name: 'doors-do-not-share-a-hinge-either-way',
      severity: 'error',
      from: from('rest'),
      to: to('graphql'),
    },
    {
      name: 'services-know-no-transport',
      comment: 'A rule lives once, in a service, and throws DomainError.',
      severity: 'error',
      from: from('services', 'domain', 'app-types', 'events', 'audit'),
      to: { path: '^node_modules/(hono|@hono/node-server|graphql|graphql-yoga|graphql-ws|@pothos/|dockerode)' },
    },
    {
      name: 'only-the-worker-talks-to-the-engine',
      comment: 'A request only records intent. Doors and services may know the port (types), never an adapter.',
      severity: 'error',
      from: from('graphql', 'rest', 'services', 'ingress'),
      to: { path: '^src/((runtime|images|engine)/[^/]+/|worker/)' },
    },
    {
      name: 'inner-layers-know-no-outer-ones',
      severity: 'error',
      from: from('services', 'database', 'events', 'audit', 'secrets', 'ingress', 'worker'),
      to: to('graphql', 'rest'),
    },
    {
      name: 'nobody-imports-the-composition-root',
      severity: 'error',
      from: { path: '^(src|test)/' },
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'source-does-not-need-development-packages',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The bench's reference has packages of its own, which are installed when it runs.
    exclude: { path: '^(src/database/generated|bench/mercurius)/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    moduleSystems: ['es6', 'cjs'],
  },
}
