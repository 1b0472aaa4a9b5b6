import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { answer, type ServerEnv } from '../http/context.ts'

/** Of pages, beside this file. */
const SCRIPTS = ['call', 'sign-in', 'security', 'reset'] as const

export const scriptPath = (name: (typeof SCRIPTS)[number]): string => `/sign-in/${name}.js`

export function mountScripts(app: Hono<ServerEnv>): void {
  for (const name of SCRIPTS) {
    let script: Promise<string> | undefined
    app.get(scriptPath(name), async (c) => {
      script ??= readFile(join(import.meta.dirname, 'page', `${name}.js`), 'utf8')
      return answer(c, 200, await script, { 'Content-Type': 'text/javascript; charset=utf-8' })
    })
  }
}
