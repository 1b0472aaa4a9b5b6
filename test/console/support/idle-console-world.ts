import { join } from 'node:path'
import { generateCode } from '../../../scripts/setup/generated-code.mjs'
import { openBrowser } from '../../support/browser.ts'
import { createGraphQLWorld } from '../../support/graphql-world.ts'
import { openConsole } from './console-world.ts'

const ROOT = join(import.meta.dirname, '../../..')

export type IdleConsoleWorld = Awaited<ReturnType<typeof createIdleConsoleWorld>>

type OpenOptions = NonNullable<Parameters<typeof openConsole>[4]> & { token?: string }

/** The console on the real API and database without a worker: what one would have done, the test writes. */
export async function createIdleConsoleWorld() {
  await generateCode(ROOT, process.execPath)
  const world = await createGraphQLWorld()
  const browser = await openBrowser()
  const origin = `http://localhost:${new URL(world.url).port}`
  return {
    ...world,
    origin,
    open: (path: string, { token = world.adminToken, ...options }: OpenOptions = {}) =>
      openConsole(browser, origin, path, token, options),
    async close() {
      await browser.close()
      await world.close()
    },
  }
}
