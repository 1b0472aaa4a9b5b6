/** The groups of calls, in the order in which the documentation shows them. A path belongs to the first that fits. */
const GROUPS = [
  {
    name: 'Apps',
    description: 'What to run: an image or a source, its port and its health check.',
    paths: /^\/apps?$/,
  },
  {
    name: 'Deployments',
    description:
      'Deploy, roll back, stop and start an environment. Each call begins an operation and answers at once, or with `Prefer: wait` when the operation has ended.',
    paths: /^\/app-env\/(deploy-image|build|redeploy|rollback|stop|start|apply-changes|history|status)$/,
  },
  {
    name: 'Uploads',
    description: 'Deploy from an archive: request an address, PUT the archive there, and start its build.',
    paths: /^\/app-env\/(request-storage-key|notify-code-upload|upload.*)$/,
  },
  {
    name: 'Settings',
    description:
      'Change an environment. A change is pending until it is applied; `applyImmediately` does that at once.',
    paths: /^\/app-env\/(resources|scaling|branch|healthcheck|name|variables)$/,
  },
  {
    name: 'Hosts',
    description: 'Hosts of an environment. Your own are routed once a DNS record proves them.',
    paths: /^\/app-env\/hosts?$/,
  },
  {
    name: 'Logs and metrics',
    description: 'What containers write and use, and how they are.',
    paths: /^\/(logs|app-env\/(pods|metrics|metrics-series))$/,
  },
  {
    name: 'Tokens',
    description:
      'Tokens of users and environments, and applications authorised by OAuth. A token is shown once, when it is created or rotated.',
    paths: /^\/(tokens?(\/rotate)?|user\/(token|authorizations?)|app-env\/token)$/,
  },
  {
    name: 'Environments',
    description: 'Targets of an app’s deployments, such as production. Most calls take `envName` or `appEnvId`.',
    paths: /^\/app-envs?(\/|$)/,
  },
  { name: 'Operations', description: 'The work that calls have begun, with its steps.', paths: /^\/operations?(\/|$)/ },
  { name: 'Volumes', description: 'Data that outlives containers and environments.', paths: /^\/volumes?$/ },
  {
    name: 'Services',
    description: 'Databases, caches and brokers: versions, limits and settings.',
    paths: /^\/database-presets$/,
  },
  {
    name: 'Solutions',
    description: 'Apps that belong together, installed by one call that can be repeated until all of them run.',
    paths: /^\/solutions(\/|$)/,
  },
  {
    name: 'Webhooks',
    description: 'Receivers of an account’s events: programs, by Standard Webhooks, chats and e-mail.',
    paths: /^\/account\/webhooks?(\/|$)/,
  },
  {
    name: 'Usage',
    description: 'What an account used, what it costs, its statements and its budget.',
    paths: /^\/account\/(usage|statements|budget)$/,
  },
  {
    name: 'Push to deploy',
    description: 'Hooks that receive pushes from git hosts, their deliveries, and the environments that pushes deploy.',
    paths: /^\/account\/git-hooks?(\/|$)/,
  },
  {
    name: 'Accounts',
    description: 'Accounts, their members, plans and audit log; regions.',
    paths: /^\/(accounts?|regions?|region-engines|plans?)(\/|$)/,
  },
  {
    name: 'Credentials',
    description: 'Logins for registries and proofs for git. No answer shows what is secret in them.',
    paths: /^\/(credentials?|git-installation)(\/|$)/,
  },
  { name: 'More', description: 'Calls of no other group.', paths: /^/ },
] as const

export const tagOf = (path: string): string => GROUPS.find(({ paths }) => paths.test(path))?.name ?? ''

/** The groups of these paths, with their words. */
export function tagsOf(paths: readonly string[]) {
  const used = new Set(paths.map(tagOf))
  return GROUPS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}

/** `deployImage` → "Deploy image": short enough for a list of all calls. */
export function titleOf(operationId: string): string {
  const words = operationId.replace(/AppEnvs?/g, (noun) => noun.replace('AppEnv', 'Environment'))
  const title = words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return title.charAt(0).toUpperCase() + title.slice(1)
}
