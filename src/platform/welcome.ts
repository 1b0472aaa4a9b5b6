import type { Config } from '../config/config.ts'
import { demoCommand } from './demo-command.ts'
import type { Platform } from './platform.ts'
import { readProcessInfo } from './process-registry/process-info.ts'

/** Printed once everything is ready: the URLs, the token, the next step. */
export function welcome(config: Config, platform: Platform, seconds: number): string {
  const { apiUrl, ingressUrl, adminToken, adminTokenFile, engine, otherProcesses } = platform
  const isWorker = config.BERTH_ROLES.includes('worker')
  const lines = [`Berth is ready (${seconds.toFixed(1)} s; ${config.BERTH_ROLES.join(', ')})`, '']
  if (apiUrl) {
    lines.push(`  API        ${apiUrl}/api/public/v1`)
    lines.push(`  GraphiQL   ${apiUrl}/graphql`)
    lines.push(`  Docs       ${apiUrl}/docs`)
  }
  if (ingressUrl) lines.push(`  Apps       ${appsUrl(config, ingressUrl)}`)
  if (isWorker) lines.push(`  Engine     ${engine ?? `none answers at ${config.DOCKER_HOST ?? 'the local socket'}`}`)
  if (apiUrl)
    lines.push(
      `  Token      ${adminTokenFile ? `${adminToken}  (kept in ${adminTokenFile})` : 'the one in BERTH_ADMIN_TOKEN'}`,
    )
  // Tells a user who meant to start a second Berth that this one shares the data directory.
  for (const other of otherProcesses) lines.push(`  Shared     data directory, with ${readProcessInfo(other)}`)
  lines.push('')
  if (isWorker && !engine) lines.push(...WITHOUT_ENGINE, '')
  if (apiUrl) lines.push('Deploy something, in another terminal:', '', ...demoCommand(config, platform), '')
  return `\n${lines.join('\n')}\n`
}

/** Where environments answer: their own host, on the ingress’s port. */
function appsUrl({ BERTH_DOMAIN }: Config, ingressUrl: string): string {
  const { protocol, port } = new URL(ingressUrl)
  return `${protocol}//<account>-<app>-<env>.${BERTH_DOMAIN}${port ? `:${port}` : ''}`
}

const WITHOUT_ENGINE = [
  'Berth runs without a container engine: what you ask of it is recorded, and done as soon as the engine answers.',
  'If it is to be another one, set DOCKER_HOST and start Berth again.',
]
