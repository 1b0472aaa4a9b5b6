// node test/tested-engines/record-words.ts    records anew what engines say: test/engines/docker/recorded-words.json. Root on Debian.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DebianEngine, startDebianEngine } from './debian-engine.ts'
import { TESTED_ENGINES } from './tested-engines.ts'

const PROVOKE = join(import.meta.dirname, 'provoke-words.ts')
const RECORDED = join(import.meta.dirname, '../engines/docker/recorded-words.json')

/** The oldest that Berth works with, also where this machine has another one, which other programs may use. */
const OLDEST: DebianEngine = { suite: 'bookworm', options: '' }

function answersOf(engine: DebianEngine): unknown[] {
  using running = startDebianEngine(engine)
  const [program = '', ...args] = running.inside([process.execPath, PROVOKE])
  const { status, stdout } = spawnSync(program, args, {
    env: { ...running.environment, ENGINE_FOLDER: dirname(running.socketPath) },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`The engine of ${engine.suite} has not answered everything`)
  return JSON.parse(stdout)
}

const engines = [OLDEST, ...TESTED_ENGINES.flatMap(({ from }) => from ?? [])]
const answers = engines.flatMap(answersOf)
writeFileSync(RECORDED, `${JSON.stringify(answers, null, 2)}\n`)
console.log(`${answers.length} answers of ${engines.length} engines`)
