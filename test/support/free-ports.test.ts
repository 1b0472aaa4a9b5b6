import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { freePorts } from './free-ports.ts'

const COUNT = 300
const DRAW = `import { freePorts } from ${JSON.stringify(new URL('free-ports.ts', import.meta.url))}
process.send(await freePorts(${COUNT}))
process.on("message", () => {})`

test('no two who ask get the same port, here or in another process that goes on', async () => {
  const other = spawn(process.execPath, ['--input-type=module-typescript', '--eval', DRAW], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  try {
    const [first, second] = [await freePorts(COUNT), await freePorts(COUNT)]
    const [elsewhere] = await once(other, 'message')
    const all = [...first, ...second, ...elsewhere, ...(await freePorts(COUNT))]
    expect(new Set(all).size).toBe(4 * COUNT)
  } finally {
    other.kill()
  }
})
