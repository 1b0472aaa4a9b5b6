import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../config/config.ts'
import type { Platform } from './platform.ts'

const ROOT = join(import.meta.dirname, '../..')
const PLAIN = /^[\w@%+=:,./-]+$/

/** The lines to paste elsewhere so that `npm run demo` finds this very Berth: only what differs from the defaults. */
export function demoCommand(config: Config, { apiUrl, ingressPort }: Platform): string[] {
  const usual = readConfig({})
  const settings: Record<string, string | number> = {}
  const port = Number(new URL(apiUrl ?? '').port || 80)
  const visited = ingressPort ?? config.INGRESS_PORT
  if (port !== usual.PORT) settings.PORT = port
  if (visited !== usual.INGRESS_PORT) settings.INGRESS_PORT = visited
  if (config.HOST !== usual.HOST) settings.HOST = config.HOST
  // npm runs a script in the project's folder, wherever it is called.
  const dataDir = resolve(config.BERTH_DATA_DIR)
  if (dataDir !== resolve(ROOT, usual.BERTH_DATA_DIR)) settings.BERTH_DATA_DIR = dataDir
  if (config.DOCKER_HOST) settings.DOCKER_HOST = config.DOCKER_HOST
  const words = Object.entries(settings).map(([name, value]) => `${name}=${quoted(`${value}`)}`)
  const command = `  ${[...words, 'npm run demo'].join(' ')}`
  return config.BERTH_ADMIN_TOKEN ? ['  export BERTH_ADMIN_TOKEN=…   # the token of this Berth', command] : [command]
}

/** As a POSIX shell reads it back. */
const quoted = (value: string) => (PLAIN.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`)
