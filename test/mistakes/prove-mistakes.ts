// npm run prove -- mistakes [--only crash,"wrong port"]
import { parseArgs } from 'node:util'
import { ENGINE_SOCKET } from '../support/docker-harness.ts'
import { engineProxy } from '../support/engine-proxy.ts'
import { ensureTestImage } from '../support/test-image.ts'
import { startFreshBerth } from '../trust/fresh-berth.ts'
import { sayingOf } from './mistake.ts'
import { MAX_SECONDS, MISTAKES, SETTINGS } from './mistakes.ts'

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const only = values.only?.split(',')
const mistakes = MISTAKES.filter(({ title }) => !only || only.includes(title))

const COLUMNS = [18, 9, 8]
const MESSAGE_AT = COLUMNS.reduce((sum, width) => sum + width + 2, 2)

const row = (mark: string, cells: string[], message: string) => {
  const padded = cells.map((cell, at) => (at === 1 ? cell.padStart(COLUMNS[at] ?? 0) : cell.padEnd(COLUMNS[at] ?? 0)))
  return `${mark} ${padded.join('  ')}  ${message.replaceAll('\n', `\n${' '.repeat(MESSAGE_AT)}`)}`
}

const image = await ensureTestImage()
// A socket of its own, so that the engine can be taken away from this Berth and from nobody else.
const engine = await engineProxy(process.env.DOCKER_HOST?.replace('unix://', '') ?? ENGINE_SOCKET, null)
const { berth, close } = await startFreshBerth({ ...SETTINGS, DOCKER_HOST: engine.host })
let isStopped = false
const stopEngine = async () => {
  if (!isStopped) await engine[Symbol.asyncDispose]()
  isStopped = true
}

let held = 0
try {
  console.log(row(' ', ['Mistake', 'Seconds', 'Said in'], 'Message'))
  for (const mistake of mistakes) {
    try {
      const { seconds, message } = await sayingOf(mistake, { berth, image, stopEngine })
      const isInTime = seconds <= MAX_SECONDS
      if (isInTime) held += 1
      console.log(row(isInTime ? '✓' : '✗', [mistake.title, seconds.toFixed(1), mistake.where], message))
    } catch (error) {
      console.log(row('✗', [mistake.title, '-', mistake.where], error instanceof Error ? error.message : String(error)))
    }
  }
} finally {
  await close()
  await stopEngine()
}
console.log(`${held} of ${mistakes.length} are said within ${MAX_SECONDS} s`)
process.exitCode = held === mistakes.length && held > 0 ? 0 : 1
