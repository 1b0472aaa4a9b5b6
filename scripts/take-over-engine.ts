// npm run engine:take-over              lets this installation work on its container engines again, where a copy of it does,
//                                       or where a backup of it was restored. Berth may run meanwhile.
// npm run engine:take-over -- --force   also where the other Berth is at work
import { resolve } from 'node:path'
import { type Config, readConfig } from '../src/config/config.ts'
import { openContainerEngine } from '../src/platform/container-engine.ts'
import { readInstallationSite } from '../src/platform/installation-site.ts'
import { createDatabase, type Database } from '../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import { takeOverEngine } from '../src/worker/engine/take-over-engine.ts'
import type { OpenedEngine } from '../src/worker/region-engines.ts'

const isForced = process.argv.includes('--force')

async function takeOver(config: Config): Promise<void> {
  await using undo = new AsyncDisposableStack()
  const dataDir = resolve(config.BERTH_DATA_DIR)
  const url = config.DATABASE_URL ?? (await embeddedUrl(dataDir, undo))
  const database = createDatabase({ url, poolSize: 2, applicationName: 'berth-take-over' })
  undo.defer(() => database.$disconnect())
  const { id } = await database.installation.findFirstOrThrow()
  const { place } = await readInstallationSite({ config, dataDir, database })
  for (const [name, open] of await enginesOf(config, id, database)) {
    const engine = open()
    undo.defer(() => engine.close())
    const result = await takeOverEngine({ database, runtime: engine.runtime, place, isForced })
    const others = result.outcome === 'held' ? '' : result.marks.map(({ holder }) => holder || 'unknown').join('; ')
    if (result.outcome === 'held') console.log(`${name}: no other Berth has it. Nothing was changed.`)
    if (result.outcome === 'taken') console.log(`${name}: taken over. It was marked by: ${others}.`)
    if (result.outcome === 'in use') {
      console.error(
        `${name}: another Berth is at work there, so nothing was changed: ${others}. Stop it, then run this again. ` +
          'If you cannot: npm run engine:take-over -- --force',
      )
      process.exitCode = 1
    }
  }
}

async function embeddedUrl(dataDir: string, undo: AsyncDisposableStack): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDir })
  undo.defer(() => server.stop())
  return server.url
}

/** That of the installation, and those that regions have to themselves. */
async function enginesOf(config: Config, installationId: string, database: Database) {
  const regions = await database.region.findMany({ where: { engine: { not: null } } })
  const engines: [string, () => OpenedEngine][] = [
    ['The container engine', () => openContainerEngine(config, installationId)],
  ]
  for (const { code, engine, reachAddress } of regions) {
    if (engine === null) continue
    const region = { regionCode: code, engine, reachAddress }
    engines.push([
      `The container engine of the region ${code}`,
      () => openContainerEngine(config, installationId, region),
    ])
  }
  return engines
}

try {
  await takeOver(readConfig(process.env))
} catch (error) {
  console.error((error as Error).message)
  if (process.env.BERTH_LOG_LEVEL === 'debug') console.error(error)
  process.exitCode = 1
}
