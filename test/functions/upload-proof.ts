import { createHash, randomBytes } from 'node:crypto'
import http from 'node:http'
import { Readable } from 'node:stream'
import { createFunction, ingressUrls, sleepAt } from './function-cluster.ts'
import { processUse } from './process-use.ts'
import type { Proof } from './proof.ts'

const CHUNK = randomBytes(1_048_576)
export const UPLOADED_MB = 400
/** What one process may hold more at a time, in MB: its buffers, and as much as V8 lets lie of them before it collects. */
const MOST_MB = 80
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
    for (let sent = 0; sent < UPLOADED_MB; sent += 1) hash.update(CHUNK)
    const expected = JSON.stringify({ bytes: UPLOADED_MB * CHUNK.length, sha256: hash.digest('hex') })
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
      claim(answer === expected, `${UPLOADED_MB} MB to a sleeping function: ${answer.slice(0, 60)}…`)
      claim(most - before <= MOST_MB, `its ingress grew from ${before} to ${most} MB (${MOST_MB} MB allowed)`)
    }
  },
}

function upload(url: string, host: string): Promise<string> {
  const chunks = function* () {
    for (let sent = 0; sent < UPLOADED_MB; sent += 1) yield CHUNK
  }
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-length': String(UPLOADED_MB * CHUNK.length) }
    const asked = http.request(new URL('/upload', url), { method: 'POST', agent: false, headers }, async (response) => {
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      resolve(text)
    })
    asked.once('error', reject)
    Readable.from(chunks()).pipe(asked)
  })
}
