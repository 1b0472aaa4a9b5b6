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
      name: 'no-cycles-between-folders',
      comment: 'Folders that need each other are one folder, or hide a third.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/(worker|ingress|events|platform|http|server|database|secrets)(/|$)' },
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
      name: 'app-types-and-runtime-depend-on-domain-only',
      severity: 'error',
      from: from('app-types', 'runtime'),
      to: { path: '^src/', pathNot: '^src/((domain|app-types|runtime)/|fault-injection/)' },
    },
    {
      name: 'app-types-know-no-runtime',
      severity: 'error',
      from: from('app-types'),
      to: to('runtime'),
    },
    {
      name: 'runtime-knows-no-app-type',
      comment: 'No preset or type name appears outside app-types.',
      severity: 'error',
      from: from('runtime'),
      to: to('app-types'),
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
      to: { path: '^src/(runtime/[^/]+/|worker/)' },
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
