import http from 'node:http'
import { openTunnel } from '../e2e/function-requests.ts'
import { createFunction, depthOf, ingressUrls, sleepAt } from './function-cluster.ts'
import type { Proof } from './proof.ts'

const CONFIG = { idleSeconds: 1 }
/** One comes every 100 ms: several times the time after which it would sleep. */
const TICKS = 50

/** What stays open keeps its container awake, however long nobody asks for anything else. */
export const streamsProof: Proof = {
  name: 'streams',
  async run({ cluster, claim }) {
    const subject = await createFunction(cluster, 'streamed', CONFIG)
    const [first = '', second = ''] = ingressUrls(cluster)
    await sleepAt(cluster, subject, 'STOPPED')
    const stream = await readTicks(first, subject.host)
    const depths = [await depthOf(cluster, subject)]
    claim(
      depths.every((depth) => depth === null),
      `a streamed answer keeps it awake for ${TICKS / 10} s`,
    )
    stream.destroy()
    await sleepAt(cluster, subject, 'STOPPED')
    const tunnel = await openTunnel(second, subject.host)
    // The clock: lines of another function, so that nothing else is asked of this one.
    const clock = await createFunction(cluster, 'clock', CONFIG)
    ;(await readTicks(first, clock.host)).destroy()
    const [depth, echo] = [await depthOf(cluster, subject), await tunnel.say('still there')]
    claim(depth === null && echo === 'still there', `a silent tunnel keeps it awake for more than ${TICKS / 10} s`)
    tunnel.close()
    await sleepAt(cluster, subject, 'FROZEN')
    claim(true, 'both closed, it sleeps')
  },
}

/** Resolves with the open stream when so many lines have come. */
function readTicks(url: string, host: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = http.get(new URL('/stream', url), { agent: false, headers: { host } }, (response) => {
      let ticks = 0
      response.on('error', () => {})
      response.on('data', (bytes: Buffer) => {
        ticks += bytes.toString().split('\n').length - 1
        if (ticks >= TICKS) resolve(response)
      })
      response.once('end', () => reject(new Error(`The stream ended after ${ticks} lines`)))
    })
    asked.once('error', reject)
  })
}
