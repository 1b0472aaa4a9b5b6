import { parseArgs } from 'node:util'
import { benchBackups } from './backups.ts'
import { type BenchResult, meetsAim } from './bench-result.ts'
import { benchBuild } from './build.ts'
import { benchBuilds } from './builds.ts'
import { benchDeployImage } from './deploy-image.ts'
import { benchFunctions } from './functions.ts'
import { benchGraphqlAppEnvs, benchGraphqlApps, benchGraphqlTypename, benchReadParts } from './graphql.ts'
import { benchIngress } from './ingress.ts'
import { benchJobRuns } from './job-runs.ts'
import { benchLogs } from './logs.ts'
import { benchRestApps } from './rest-apps.ts'
import { benchSubscribers } from './subscribers.ts'
import { benchTcp } from './tcp.ts'

const BENCHES = {
  rest: benchRestApps,
  graphql: benchGraphqlApps,
  nested: benchGraphqlAppEnvs,
  typename: benchGraphqlTypename,
  reads: benchReadParts,
  deploy: benchDeployImage,
  build: benchBuild,
  builds: benchBuilds,
  functions: benchFunctions,
  ingress: benchIngress,
  tcp: benchTcp,
  backups: benchBackups,
  logs: benchLogs,
  jobs: benchJobRuns,
  subscribers: benchSubscribers,
}

/**
 * `npm run bench`, or `npm run bench -- rest ingress` for some of them; `jobs --runs 100 --rounds 5` for fewer of these.
 * Prints a missed aim, and does not fail.
 */
const { positionals: wanted } = parseArgs({
  options: { runs: { type: 'string' }, rounds: { type: 'string' } },
  allowPositionals: true,
})
const unknown = wanted.filter((name) => !(name in BENCHES))
if (unknown.length > 0) throw new Error(`No bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`)

for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  for (const result of [await bench()].flat()) console.log(inWords(result))
}

function inWords(result: BenchResult): string {
  const bound = result.better === 'higher' ? 'at least' : 'at most'
  const symbol = meetsAim(result) ? '✓' : '✗'
  return [
    `${symbol} ${result.name}`,
    `    ${result.ratio.toFixed(2)} × (aim: ${bound} ${result.aim}) · ${result.detail}`,
    `    limited by ${result.limitedBy}`,
  ].join('\n')
}
