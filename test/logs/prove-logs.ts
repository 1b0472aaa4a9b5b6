// npm run prove -- logs [--lines 100000] [--kills 4]     a talkative container outlives its collectors, and is removed
import { parseArgs } from 'node:util'
import { proveOnTestCluster } from '../crash/harness/prove-on-test-cluster.ts'
import { keepLogs, LOG_CLUSTER } from './kept-logs.ts'

const { values } = parseArgs({
  options: { lines: { type: 'string', default: '100000' }, kills: { type: 'string', default: '4' } },
})

await proveOnTestCluster(async (cluster) => {
  const kept = await keepLogs(cluster, Number(values.lines), Number(values.kills))
  console.log(
    `A container said ${kept.said} lines and its last words; its collector was killed ${kept.kills} times meanwhile.`,
  )
  console.log(`Then it was removed. ${kept.kept} lines were kept: ${kept.lost} lost, ${kept.doubled} doubled.`)
  console.log(`Its last words ${kept.hasLastWords ? 'are the newest line' : 'are missing'}.`)
  console.log(
    `Searching all of them for one line took ${kept.searchMs.toFixed(0)} ms at most; ${kept.found} of 5 were found.`,
  )
  const holds = kept.lost + kept.doubled === 0 && kept.hasLastWords && kept.found === 5 && kept.searchMs < 1000
  console.log(holds ? 'Nothing was lost.' : 'This does not hold.')
  process.exitCode = holds ? 0 : 1
}, LOG_CLUSTER)
