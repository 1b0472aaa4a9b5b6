// Who may import whom. Every folder of src has a line; node scripts/check/folder-graph.ts prints the graph that results.
const FOLDERS = {
  domain: [[], 'Rules and words without I/O: it knows no other layer.'],
  config: [['domain'], 'Settings are read from the environment, and import none of their users.'],
  'fault-injection': [[], 'A failpoint may stand anywhere, and so imports nothing.'],
  'app-types': [['domain'], 'An app type declares behaviours; other layers ask for them.'],
  solutions: [
    ['domain', 'app-types'],
    'What can be installed, and what an installation consists of: pure, so that a plan can be shown and tested.',
  ],
  network: [
    ['domain', 'config'],
    'What is spoken with outside: which addresses a tenant may name, registries, mail; how many connections a client may have.',
  ],
  'storage/files': [[], 'A file that must last is written in one way, in whatever folder the code for it is.'],
  'storage/database': [['domain', 'config', 'storage/files'], 'A client, its errors, and reads of any table.'],
  'storage/secrets': [['domain'], 'Keys and sealing know no table and no tenant.'],
  'storage/events': [
    ['domain', 'config', 'storage/database'],
    'The event log is a table and its readers, whatever the events are about.',
  ],
  'storage/references': [
    ['domain', 'config', 'app-types', 'storage/database', 'storage/secrets'],
    'Variables refer to other environments in requests and deployments.',
  ],
  'storage/usage': [
    ['domain', 'config', 'fault-injection', 'storage/database', 'storage/events'],
    'The usage log: workers write it, requests read it, and both must count alike.',
  ],
  'storage/backups': [
    ['domain', 'config', 'network', 'storage/database', 'storage/files', 'storage/secrets'],
    'Files of backups, their format and where they are stored, for those who write and those who read them.',
  ],
  'storage/remote-sessions': [
    ['domain', 'storage/database', 'storage/events'],
    'An API process has the client of a session and a worker its container: either may record the end.',
  ],
  engines: [['domain', 'fault-injection'], 'Two ports, and a folder for each engine that fulfils them.'],
  builder: [
    ['domain', 'config', 'app-types', 'network'],
    'Turns a source into a build context; the image builder is a port.',
  ],
  calls: [
    ['domain', 'config', 'app-types', 'storage', 'fault-injection'],
    'How a call is declared, performed, waited for and repeated, whatever it is about.',
  ],
  services: [
    ['domain', 'config', 'app-types', 'solutions', 'network', 'storage', 'fault-injection', 'calls'],
    'A request only records intent: services know neither a transport nor the engine.',
  ],
  'api/http': [['domain', 'config', 'calls', 'services'], 'What both APIs share knows neither of them.'],
  'api/rest': [
    ['domain', 'config', 'app-types', 'storage/database', 'calls', 'services', 'api/http'],
    'Handlers translate; the rules are in the services. It never knows the other API.',
  ],
  'api/graphql': [
    [
      ...['domain', 'config', 'app-types', 'storage/database', 'storage/events', 'storage/secrets'],
      ...['calls', 'services', 'api/http'],
    ],
    'Resolvers translate; the rules are in the services. It never knows the other API.',
  ],
  'api/mcp': [
    ['domain', 'config', 'calls', 'services', 'api/http', 'api/rest'],
    'A tool is a route of REST, called in another way: it has no rule and no query of its own.',
  ],
  'api/remote-sessions': [
    ['domain', 'config', 'network', 'calls', 'services', 'api/http'],
    'WebSockets between clients and the workers that have the containers.',
  ],
  'api/sign-in': [
    ['domain', 'config', 'calls', 'services', 'api/http'],
    'Pages and calls by which people sign in, besides both APIs.',
  ],
  'api/oauth': [
    ['domain', 'config', 'storage/secrets', 'calls', 'services', 'api/http'],
    'Puts the OAuth library before the services: they store, decide and record.',
  ],
  'api/server': [
    ['domain', 'config', 'network', 'calls', 'services', 'api'],
    'One HTTP server puts the APIs on one port.',
  ],
  worker: [
    ['domain', 'config', 'app-types', 'network', 'storage', 'builder', 'engines', 'fault-injection'],
    'Only the worker talks to the engine, and it knows no service: what both need is below them.',
  ],
  ingress: [
    ['domain', 'config', 'network', 'fault-injection', 'storage/database', 'storage/events', 'storage/files'],
    'Requests of clients depend on no other part: it reads its routes and keeps them.',
  ],
}
// The platform puts the parts together, and so may import them all.
FOLDERS.platform = [Object.keys(FOLDERS), 'The composition root.']

/** Files of `engines/` and of the folders named after ports; every other folder there is an engine. */
const PORTS = '^src/engines/((runtime|images)/)?[^/]+$'
const ADAPTERS = '^src/engines/(?!runtime/|images/)[^/]+/'

const anyOf = (folders) => folders.join('|')
const KNOWN = anyOf(Object.keys(FOLDERS))

const folderRules = Object.entries(FOLDERS).map(([folder, [allowed, reason]]) => ({
  name: `what-${folder.replace('/', '-')}-may-import`,
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
      name: 'resolvers-ask-the-services',
      comment: 'Only what builds the schema may complete rows; a list or a single read is a service.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(api/graphql/builder|services/services)\\.ts$' },
      to: { path: '^src/calls/nested-reads\\.ts$' },
    },
    {
      name: 'the-rest-protocol-knows-no-endpoint',
      comment: 'It answers requests, whatever the path table says.',
      severity: 'error',
      from: { path: '^src/api/rest/protocol/' },
      to: { path: '^src/api/rest/', pathNot: '^src/api/rest/protocol/' },
    },
    {
      name: 'ports-need-no-package-and-no-adapter',
      comment: 'What a port says holds for every adapter, so it names none and needs none.',
      severity: 'error',
      from: { path: PORTS },
      to: { path: '^(src/|node_modules/)', pathNot: `^src/domain/|${PORTS}` },
    },
    {
      name: 'adapters-know-their-port-and-their-engine',
      comment: 'Neither port knows the other; what both adapters of one engine share stands beside their folders.',
      severity: 'error',
      from: { path: '^src/engines/(?!runtime/|images/)([^/]+)/(runtime|images)/' },
      to: {
        path: '^src/engines/',
        pathNot: '^src/engines/([^/]+$|$2/[^/]+$|$1/[^/]+$|$1/(?!runtime/|images/)[^/]+/|$1/$2/)',
      },
    },
    {
      name: 'only-the-platform-chooses-adapters',
      comment: 'All other folders know the ports.',
      severity: 'error',
      from: { path: '^src/', pathNot: `${ADAPTERS}|^src/platform/container-engine\\.ts$` },
      to: { path: ADAPTERS },
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
      from: { path: '^src/', pathNot: '^src/api/' },
      to: { path: '^node_modules/(hono|@hono/node-server|graphql|graphql-yoga|graphql-ws|@pothos/)' },
    },
    {
      name: 'the-mcp-sdk-stays-in-one-module',
      comment: 'It is large, and most installations are never asked for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/api/mcp/mcp-server\\.ts$' },
      to: { path: '^node_modules/@modelcontextprotocol/' },
    },
    {
      name: 'the-mcp-sdk-is-loaded-when-asked-for',
      comment: 'An API process that no MCP client calls does not pay for it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/api/mcp/mcp-server\\.ts$', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'the-oauth-library-stays-in-one-folder',
      comment: 'It brings Koa, and most installations are never asked for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/api/oauth/(provider|storage|device-pages)\\.ts$' },
      to: { path: '^node_modules/(@types/)?(oidc-provider|koa)/' },
    },
    {
      name: 'the-oauth-library-is-loaded-when-asked-for',
      comment: 'An API process that no OAuth client calls does not pay for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/api/oauth/(oauth-server|provider)\\.ts$' },
      to: {
        path: '^src/api/oauth/(oauth-server|provider|storage|device-pages)\\.ts$',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'the-engine-client-stays-in-its-adapters',
      comment: 'Another engine is another folder.',
      severity: 'error',
      from: { path: '^src/', pathNot: ADAPTERS },
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
      name: 'the-console-is-a-client',
      comment: 'It calls the public API; of the server it has only pure rules and words. Nothing of it is imported.',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(src|test|scripts|bench|cli)/', pathNot: '^src/domain/' },
    },
    {
      name: 'the-console-is-not-imported',
      comment: 'A test may read its documents and its pure functions; the server serves its files.',
      severity: 'error',
      from: { path: '^(src|scripts|bench|text|cli)/' },
      to: { path: '^console/' },
    },
    {
      name: 'a-screen-knows-no-other',
      comment: 'What two screens need is for ui, environment or account: so each is loaded by itself.',
      severity: 'error',
      from: { path: '^console/src/screens/([^/]+)/' },
      to: { path: '^console/src/screens/', pathNot: '^console/src/screens/$1/' },
    },
    {
      name: 'only-the-frame-knows-screens',
      comment: 'What screens share knows none of them.',
      severity: 'error',
      from: { path: '^console/src/(?!screens/|frame/)' },
      to: { path: '^console/src/(screens|frame)/', pathNot: '^console/src/frame/frame\\.tsx$' },
    },
    {
      name: 'screens-are-loaded-when-opened',
      comment: 'The first page has none but the one that is shown.',
      severity: 'error',
      from: { path: '^console/src/frame/' },
      to: { path: '^console/src/screens/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'composite-widgets-are-loaded-when-needed',
      comment: 'React Aria is half of a first load; it comes after the first paint.',
      severity: 'error',
      from: { path: '^console/src/(?!screens/|ui/[^/]+-composite\\.tsx$|ui/palette\\.tsx$)' },
      to: { path: '^node_modules/react-aria-components/' },
    },
    {
      name: 'text-is-pure',
      comment: 'Browsers and the command line share it.',
      severity: 'error',
      from: { path: '^text/' },
      to: { pathNot: '^text/' },
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
    exclude: { path: '^(src/storage/database/generated|bench/references)/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    moduleSystems: ['es6', 'cjs'],
  },
}
