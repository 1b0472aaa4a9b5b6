import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import { type Address, Berth, type Composition } from './berth.ts'
import { removeAbandonedTrees } from './tree-copy.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** How this project starts Berth. */
    composition: Composition
    /** Answers with the address of a Berth that files share. */
    sharedBerths: string
  }
}

/** What `sharedBerth` sends. */
export interface Wanted {
  settings: Record<string, string>
}

/**
 * Keeps the Berths that files of a run share: each is started when the first file asks for it, and removed when all have
 * ended.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedTrees()
  const composition = compositionOf(project)
  project.provide('composition', composition)
  const berths = new Map<string, Promise<Berth>>()
  const addressOf = async ({ settings }: Wanted): Promise<Address> => {
    const key = JSON.stringify(settings)
    const started = berths.get(key) ?? Berth.start({ composition, settings })
    berths.set(key, started)
    return (await started).address
  }
  const server = createServer(async (request, response) => {
    try {
      response.end(JSON.stringify(await addressOf((await json(request)) as Wanted)))
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('sharedBerths', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    const ended = await Promise.allSettled([...berths.values()].map(async (started) => (await started).remove()))
    const problems = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    if (problems.length > 0) throw new AggregateError(problems, problems.map(String).join('\n'))
  }
}

const compositionOf = ({ name }: TestProject): Composition =>
  name === 'shipped-apart' ? 'three-processes' : 'one-command'
