import { createHash, randomBytes } from 'node:crypto'
import http from 'node:http'
import { Readable } from 'node:stream'
import { createFunction, ingressUrls, sleepAt } from './function-cluster.ts'
import { processUse } from './process-use.ts'
import type { Proof } from './proof.ts'

const CHUNK = randomBytes(1_048_576)
const SMALL_MB = 100
export const LARGE_MB = 400
/** What one process may hold more at a time for the large body than for the small one, in MB. */
const MAX_MB = 40
const SAMPLE_MS = 20
const START_MS = 2_000

/** A large body for a function that sleeps arrives whole, and is not held by the ingress meanwhile. */
export const uploadProof: Proof = {
  name: 'upload',
  async run({ cluster, claim }) {
    const subject = await createFunction(cluster, 'uploaded', { idleSeconds: 1 }, START_MS)
    const [url = ''] = ingressUrls(cluster)
    const pid = cluster.of('ingress')[0]?.pid ?? 0
    const mostOf = async (megabytes: number) => {
      await sleepAt(cluster, subject, 'STOPPED')
      let most = 0
      const sampling = setInterval(() => {
        most = Math.max(most, processUse(pid).memoryMb)
      }, SAMPLE_MS)
      const answer = await upload(url, subject.host, megabytes)
      clearInterval(sampling)
      claim(answer === expectedOf(megabytes), `${megabytes} MB to a sleeping function: ${answer.slice(0, 60)}…`)
      return most
    }
    // Peaks are compared: before one, V8 may have collected what the last one left, or not.
    const [small, large] = [await mostOf(SMALL_MB), await mostOf(LARGE_MB)]
    claim(large - small <= MAX_MB, `its ingress took at most ${small}, then ${large} MB (${MAX_MB} MB more allowed)`)
  },
}

function expectedOf(megabytes: number): string {
  const hash = createHash('sha256')
  for (let sent = 0; sent < megabytes; sent += 1) hash.update(CHUNK)
  return JSON.stringify({ bytes: megabytes * CHUNK.length, sha256: hash.digest('hex') })
}

function upload(url: string, host: string, megabytes: number): Promise<string> {
  const chunks = function* () {
    for (let sent = 0; sent < megabytes; sent += 1) yield CHUNK
  }
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-length': String(megabytes * CHUNK.length) }
    const asked = http.request(new URL('/upload', url), { method: 'POST', agent: false, headers }, async (response) => {
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      resolve(text)
    })
    asked.once('error', reject)
    Readable.from(chunks()).pipe(asked)
  })
}
