import { join } from 'node:path'
import type { Hono } from 'hono'
import type { ServerEnv } from '../http/context.ts'
import { mountPageFiles } from '../http/page-files.ts'

/** Of pages, beside this file. */
const SCRIPTS = ['call', 'sign-in', 'security', 'reset', 'invitation'] as const

export const scriptPath = (name: (typeof SCRIPTS)[number]): string => `/sign-in/${name}.js`

export function mountScripts(app: Hono<ServerEnv>): void {
  const files = SCRIPTS.map((name) => [scriptPath(name), join(import.meta.dirname, 'page', `${name}.js`)] as const)
  mountPageFiles(app, Object.fromEntries(files))
}
