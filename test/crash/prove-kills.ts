// npm run prove -- kills [--seed 7 --random 200 --passes 6 --only deploy-image]
import { parseArgs } from 'node:util'
import { proveOnTestCluster } from './harness/prove-on-test-cluster.ts'
import { SCENARIOS } from './harness/scenarios.ts'
import { emptyReport, killAtEveryFailpoint, killAtRandom } from './kills.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    random: { type: 'string', default: '200' },
    passes: { type: 'string', default: '6' },
    only: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const log = (line: string) => console.log(line)
const scenarios = SCENARIOS.filter(({ name }) => !values.only || name === values.only)
log(`seed ${values.seed}`)
await proveOnTestCluster(
  async (cluster) => {
    const every = await killAtEveryFailpoint(cluster, { passesOfEach: Number(values.passes), scenarios }, log)
    log(
      `${every.kills} kills at failpoints of ${scenarios.length} operations (${every.missed} not passed again): every operation ended, nothing orphaned; slowest ${every.slowestSeconds.toFixed(1)} s after the restart`,
    )
    const random =
      Number(values.random) > 0
        ? await killAtRandom(cluster, { seed: Number(values.seed), kills: Number(values.random) }, log)
        : emptyReport()
    log(
      `${random.kills} random kills: every operation ended, nothing orphaned; slowest ${random.slowestSeconds.toFixed(1)} s`,
    )
  },
  { isKept: values.keep },
)
