/** Below which every address of the console is. */
export const BASE = '/console'

/** Every address of the console. `screens.tsx` says what each shows. */
export const ROUTES = {
  overview: '/accounts/:account',
  newApp: '/accounts/:account/new',
  solutions: '/accounts/:account/solutions',
  solution: '/accounts/:account/solutions/:slug',
  solutionInstallation: '/accounts/:account/installations/:installationId',
  compose: '/accounts/:account/compose',
  activity: '/accounts/:account/activity',
  members: '/accounts/:account/members',
  credentials: '/accounts/:account/credentials',
  webhooks: '/accounts/:account/webhooks',
  webhook: '/accounts/:account/webhooks/:webhookId',
  gitHooks: '/accounts/:account/git-hooks',
  usage: '/accounts/:account/usage',
  account: '/accounts/:account/settings',
  app: '/apps/:appId',
  deployments: '/envs/:env',
  deployment: '/envs/:env/deployments/:deploymentId',
  rollback: '/envs/:env/rollback/:deploymentId',
  logs: '/envs/:env/logs',
  metrics: '/envs/:env/metrics',
  variables: '/envs/:env/variables',
  settings: '/envs/:env/settings',
  domains: '/envs/:env/domains',
  connect: '/envs/:env/connect',
  backups: '/envs/:env/backups',
  restore: '/envs/:env/restore',
  runs: '/envs/:env/runs',
  run: '/envs/:env/runs/:runId',
  invocations: '/envs/:env/invocations',
  tokens: '/tokens',
  installation: '/installation',
} as const

export type RouteName = keyof typeof ROUTES

/** The parameters of a pattern, by name. */
export type ParametersOf<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name]: string } & ParametersOf<Rest>
  : Pattern extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : unknown

type Given<Pattern extends string> = keyof ParametersOf<Pattern> extends never ? [] : [ParametersOf<Pattern>]

/** The address of a screen: `pathTo('logs', { env })`. */
export function pathTo<Name extends RouteName>(name: Name, ...[parameters]: Given<(typeof ROUTES)[Name]>): string {
  const values = (parameters ?? {}) as Record<string, string>
  return ROUTES[name].replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(values[key] ?? ''))
}
