// Who may import whom. Every folder of src has a line; node scripts/check/folder-graph.ts prints the graph that results.
const FOLDERS = {
  connections: [['domain'], 'How many connections a client may have is one rule, for the APIs and the ingress.'],
  domain: [[], 'Rules and words without I/O: it knows no other layer.'],
  config: [['domain'], 'Settings are read from the environment, and import none of their users.'],
  'fault-injection': [[], 'A failpoint may stand anywhere, and so imports nothing.'],
  files: [[], 'A file that must last is written in one way, in whatever folder the code for it is.'],
  'app-types': [['domain'], 'An app type declares behaviours; other layers ask for them.'],
  solutions: [
    ['domain', 'app-types'],
    'What can be installed, and what an installation consists of: pure, so that a plan can be shown and tested.',
  ],
  resources: [['domain', 'app-types', 'solutions'], 'A field is described once, for every API.'],
  database: [['domain', 'config', 'files'], 'A client and its errors; queries live with what they are about.'],
  secrets: [['domain'], 'Keys and sealing know no table and no tenant.'],
  events: [
    ['domain', 'config', 'database'],
    'The event log is a table and its readers, whatever the events are about.',
  ],
  references: [
    ['domain', 'config', 'database', 'app-types', 'secrets'],
    'Variables refer to other environments in requests and deployments.',
  ],
  usage: [
    ['domain', 'config', 'database', 'events', 'fault-injection'],
    'The usage log: workers write it, requests read it, and both must count alike.',
  ],
  engine: [['domain', 'fault-injection'], 'The connection to a container engine, which runtime and images share.'],
  runtime: [['domain', 'engine', 'fault-injection'], 'A port and its adapters: an adapter is a folder and a line.'],
  images: [['domain', 'engine', 'fault-injection'], 'A port and its adapters: an adapter is a folder and a line.'],
  addresses: [['domain'], 'Which addresses a tenant may name is one rule, whatever is fetched from there.'],
  registries: [['domain', 'addresses'], 'What Berth itself asks a registry, before an engine does.'],
  mail: [['config'], 'One way to send e-mail, for all of its users.'],
  backups: [
    ['domain', 'config', 'addresses', 'database', 'files', 'secrets'],
    'Files of backups, their format and where they are stored, for those who write and those who read them.',
  ],
  builder: [
    ['domain', 'config', 'app-types', 'addresses'],
    'Turns a source into a build context; the image builder is a port.',
  ],
  services: [
    [
      ...['domain', 'config', 'app-types', 'resources', 'references', 'database', 'events', 'secrets'],
      ...['addresses', 'backups', 'fault-injection', 'files', 'mail', 'registries', 'solutions', 'usage'],
    ],
    'A request only records intent: services know neither a transport nor the engine.',
  ],
  http: [['domain', 'config', 'services'], 'What both APIs share knows neither of them.'],
  rest: [
    ['domain', 'config', 'app-types', 'resources', 'database', 'services', 'http'],
    'Handlers translate; the rules are in the services. It never knows the other API.',
  ],
  graphql: [
    ['domain', 'config', 'app-types', 'resources', 'database', 'events', 'secrets', 'services', 'http'],
    'Resolvers translate; the rules are in the services. It never knows the other API.',
  ],
  mcp: [
    ['domain', 'config', 'services', 'http', 'rest'],
    'A tool is a route of REST, called in another way: it has no rule and no query of its own.',
  ],
  'sign-in': [['domain', 'config', 'services', 'http'], 'Pages and calls by which people sign in, besides both APIs.'],
  oauth: [
    ['domain', 'config', 'secrets', 'services', 'http'],
    'Puts the OAuth library before the services: they store, decide and record.',
  ],
  server: [
    ['domain', 'config', 'services', 'http', 'rest', 'graphql', 'mcp', 'oauth', 'sign-in', 'connections'],
    'One HTTP server puts the APIs on one port.',
  ],
  worker: [
    [
      ...['domain', 'config', 'app-types', 'references', 'database', 'events', 'secrets'],
      ...['addresses', 'builder', 'engine', 'runtime', 'images', 'registries', 'backups', 'fault-injection'],
      ...['mail', 'usage', 'files'],
    ],
    'Only the worker talks to the engine, and it knows no service: what both need is below them.',
  ],
  ingress: [
    ['domain', 'config', 'database', 'events', 'fault-injection', 'files', 'connections'],
    'Requests of clients depend on no other part: it reads its routes and keeps them.',
  ],
}
// The platform puts the parts together, and so may import them all.
FOLDERS.platform = [Object.keys(FOLDERS), 'The composition root.']

const anyOf = (folders) => folders.join('|')
const KNOWN = anyOf(Object.keys(FOLDERS))

const folderRules = Object.entries(FOLDERS).map(([folder, [allowed, reason]]) => ({
  name: `what-${folder}-may-import`,
  comment: `${reason} It may import ${allowed.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${anyOf([folder, ...allowed])})/` },
}))

module.exports = {
  forbidden: [
    ...folderRules,
    {
      name: 'every-folder-has-a-rule',
      comment: 'A new folder of src is first given a line in FOLDERS.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/((${KNOWN})/|main\\.ts$)` },
      to: {},
    },
    {
      name: 'every-imported-folder-has-a-rule',
      comment: 'The same for a folder whose files import nothing themselves.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/((${KNOWN})/|main\\.ts$)` },
    },
    {
      name: 'main-imports-only-the-platform',
      comment: 'The entry point reads the settings and starts what the platform put together.',
      severity: 'error',
      from: { path: '^src/main\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(platform|config)/' },
    },
    {
      name: 'main-is-not-imported',
      comment: 'Importing the entry point would start a platform.',
      severity: 'error',
      from: {},
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'no-cycles-between-modules',
      comment: 'Two modules that need each other are one module, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'the-services-kernel-knows-no-noun',
      comment: 'It carries out commands, whatever they are about.',
      severity: 'error',
      from: { path: '^src/services/kernel/' },
      to: { path: '^src/services/', pathNot: '^src/services/kernel/' },
    },
    {
      name: 'resolvers-ask-the-services',
      comment: 'Only what builds the schema may complete rows; a list or a single read is a service.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(graphql/builder|services/services)\\.ts$' },
      to: { path: '^src/services/kernel/nested-reads\\.ts$' },
    },
    {
      name: 'the-rest-protocol-knows-no-endpoint',
      comment: 'It answers requests, whatever the path table says.',
      severity: 'error',
      from: { path: '^src/rest/protocol/' },
      to: { path: '^src/rest/', pathNot: '^src/rest/protocol/' },
    },
    {
      name: 'ports-need-no-package-and-no-adapter',
      comment: 'What a port says holds for every adapter, so it names none and needs none.',
      severity: 'error',
      from: { path: '^src/(runtime|images|engine)/[^/]+$' },
      to: { path: '^(src/|node_modules/)', pathNot: '^src/(domain/|(runtime|images|engine)/[^/]+$)' },
    },
    {
      name: 'adapters-know-their-port-and-their-engine',
      comment: 'Neither port knows the other; what both adapters of one engine share stands in engine/.',
      severity: 'error',
      from: { path: '^src/(runtime|images|engine)/([^/]+)/' },
      to: { path: '^src/', pathNot: '^src/(domain/|fault-injection/|engine/$2/|engine/[^/]+$|$1/[^/]+$|$1/$2/)' },
    },
    {
      name: 'only-the-platform-chooses-adapters',
      comment: 'All other folders know the ports.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/((runtime|images|engine)/[^/]+/|platform/container-engine\\.ts$)' },
      to: { path: '^src/(runtime|images|engine)/[^/]+/' },
    },
    {
      name: 'domain-does-no-io',
      comment: 'Its rules are pure, and tested without a machine.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { path: '^node:' },
    },
    {
      name: 'transports-stay-in-the-apis',
      comment: 'A rule lives once, in a service, and throws DomainError; what it becomes on the wire is for the API.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(http|server|rest|graphql|mcp|oauth|sign-in)/' },
      to: { path: '^node_modules/(hono|@hono/node-server|graphql|graphql-yoga|graphql-ws|@pothos/)' },
    },
    {
      name: 'the-mcp-sdk-stays-in-one-module',
      comment: 'It is large, and most installations are never asked for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/mcp/mcp-server\\.ts$' },
      to: { path: '^node_modules/@modelcontextprotocol/' },
    },
    {
      name: 'the-mcp-sdk-is-loaded-when-asked-for',
      comment: 'An API process that no MCP client calls does not pay for it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/mcp/mcp-server\\.ts$', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'the-oauth-library-stays-in-one-folder',
      comment: 'It brings Koa, and most installations are never asked for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/oauth/(provider|storage|device-pages)\\.ts$' },
      to: { path: '^node_modules/(@types/)?(oidc-provider|koa)/' },
    },
    {
      name: 'the-oauth-library-is-loaded-when-asked-for',
      comment: 'An API process that no OAuth client calls does not pay for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/oauth/(oauth-server|provider)\\.ts$' },
      to: {
        path: '^src/oauth/(oauth-server|provider|storage|device-pages)\\.ts$',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'the-engine-client-stays-in-its-adapters',
      comment: 'Another engine is another folder.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(runtime|images|engine)/' },
      to: { path: '^node_modules/dockerode' },
    },
    {
      name: 'source-needs-no-development-packages',
      comment: 'An installation has none of them.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'the-shipped-suite-knows-no-source',
      comment: 'It knows what a user knows: what npm start runs, and what answers then.',
      severity: 'error',
      from: { path: '^test/shipped/' },
      to: { path: '^src/', reachable: true },
    },
    {
      name: 'everything-resolves',
      comment: 'An import that leads nowhere fails only once it is reached.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The bench's reference has packages of its own, which are installed when it runs.
    exclude: { path: '^(src/database/generated|bench/references)/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    moduleSystems: ['es6', 'cjs'],
  },
}
