import type { Config } from './config.ts'
import type { Platform } from './platform.ts'

/** What a person sees once everything is ready: where things are, how to get in, what to do next. */
export function welcome(config: Config, platform: Platform, seconds: number): string {
  const { apiUrl, ingressUrl, adminToken, adminTokenFile, engine } = platform
  const roles = config.BERTH_ROLES.join(', ')
  const lines = [`Berth is ready (${seconds.toFixed(1)} s; ${roles})`, '']
  if (apiUrl) {
    lines.push(`  API        ${apiUrl}/api/public/v1`)
    lines.push(`  GraphiQL   ${apiUrl}/graphql`)
    lines.push(`  Docs       ${apiUrl}/docs`)
  }
  if (ingressUrl) lines.push(`  Apps       ${appsUrl(config, ingressUrl)}`)
  lines.push(`  Engine     ${engine ?? 'none answers'}`)
  if (apiUrl)
    lines.push(
      `  Token      ${adminTokenFile ? `${adminToken}  (kept in ${adminTokenFile})` : 'the one in BERTH_ADMIN_TOKEN'}`,
    )
  lines.push('')
  if (!engine) lines.push(...withoutEngine(config), '')
  if (apiUrl) lines.push('Deploy something, in another terminal:', '', '  npm run demo', '')
  return `\n${lines.join('\n')}\n`
}

/** Where environments answer: their own host, on the ingress’s port. */
function appsUrl({ BERTH_DOMAIN }: Config, ingressUrl: string): string {
  const { protocol, port } = new URL(ingressUrl)
  return `${protocol}//<account>-<app>-<env>.${BERTH_DOMAIN}${port ? `:${port}` : ''}`
}

const withoutEngine = (config: Config) => [
  `There is no container engine at ${config.DOCKER_HOST ?? 'the local socket'}. Berth runs without one: what you ask of it`,
  'is recorded, and is done as soon as an engine answers. Install Docker (https://docs.docker.com/engine/install/) or',
  'set DOCKER_HOST to one that runs; there is no need to restart Berth.',
]
