import { createHash, randomBytes } from 'node:crypto'
import http from 'node:http'
import { Readable } from 'node:stream'
import { createFunction, ingressUrls, sleepAt } from './function-cluster.ts'
import { processUse } from './process-use.ts'
import type { Proof } from './proof.ts'

const CHUNK = randomBytes(1_048_576)
const MEGABYTES = 100
/** What one process may hold more at a time, in MB: its buffers, and what is collected later. */
const MOST_MB = 40
const SAMPLE_MS = 20
const START_MS = 2_000

/** A large body for a function that sleeps arrives whole, and is not held by the ingress meanwhile. */
export const uploadProof: Proof = {
  name: 'upload',
  async run({ cluster, claim }) {
    const subject = await createFunction(cluster, 'uploaded', { idleSeconds: 1 }, START_MS)
    const [url = ''] = ingressUrls(cluster)
    const pid = cluster.of('ingress')[0]?.pid ?? 0
    const hash = createHash('sha256')
    for (let sent = 0; sent < MEGABYTES; sent += 1) hash.update(CHUNK)
    const expected = JSON.stringify({ bytes: MEGABYTES * CHUNK.length, sha256: hash.digest('hex') })
    // Before it is measured: code that was never run takes memory, too.
    for (const isMeasured of [false, true]) {
      await sleepAt(cluster, subject, 'STOPPED')
      const before = processUse(pid).memoryMb
      let most = before
      const sampling = setInterval(() => {
        most = Math.max(most, processUse(pid).memoryMb)
      }, SAMPLE_MS)
      const answer = await upload(url, subject.host)
      clearInterval(sampling)
      if (!isMeasured) continue
      claim(answer === expected, `${MEGABYTES} MB to a sleeping function: ${answer.slice(0, 60)}…`)
      claim(most - before <= MOST_MB, `its ingress grew from ${before} to ${most} MB (${MOST_MB} MB allowed)`)
    }
  },
}

function upload(url: string, host: string): Promise<string> {
  const chunks = function* () {
    for (let sent = 0; sent < MEGABYTES; sent += 1) yield CHUNK
  }
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-length': String(MEGABYTES * CHUNK.length) }
    const asked = http.request(new URL('/upload', url), { method: 'POST', agent: false, headers }, async (response) => {
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      resolve(text)
    })
    asked.once('error', reject)
    Readable.from(chunks()).pipe(asked)
  })
}
