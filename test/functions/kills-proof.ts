import { createFunction, DEPTHS } from './function-cluster.ts'
import type { Proof } from './proof.ts'
import { killAtRandomDuringWakes, killDuringWake, VICTIMS, type Wake, type WakeReport } from './wake-kills.ts'

const CONFIG = { idleSeconds: 1, concurrency: 1000 }
const words = ({ victim, depth, afterMs }: Wake) =>
  `${depth}, ${victim} killed${afterMs === undefined ? '' : ` after ${afterMs} ms`}`

/** One container answers all first requests, whoever is killed meanwhile. */
export const killsProof: Proof = {
  name: 'kills',
  async run({ cluster, requests, rounds, seed, log, claim }) {
    const subject = await createFunction(cluster, 'killed', CONFIG)
    const judge = (wake: Wake, { answered, lost, failures, slowestMs, containers }: WakeReport) => {
      const holds = failures.length === 0 && answered + lost === requests && containers === 1
      const kept = lost > 0 ? `, ${lost} held by the killed ingress` : ''
      claim(
        holds,
        `${words(wake)}: ${answered} of ${requests} answered${kept}, slowest ${slowestMs} ms, ${containers} container`,
      )
      if (failures.length > 0) log(`  such as ${failures[0]}`)
    }
    for (const depth of DEPTHS) {
      for (const victim of VICTIMS) {
        const wake = { depth, victim, requests }
        judge(wake, await killDuringWake(cluster, subject, wake))
      }
    }
    // It takes a second to listen, so that random moments hit its start.
    const slow = await createFunction(cluster, 'slowly-killed', CONFIG, 1_000)
    await killAtRandomDuringWakes(cluster, slow, { seed, rounds, requests, depths: DEPTHS.slice(1) }, judge)
  },
}
