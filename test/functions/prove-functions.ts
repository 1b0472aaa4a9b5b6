// npm run prove -- functions [--only kills,steps --requests 200 --rounds 10 --functions 200 --seed 7 --folder .]
// --folder: where the picture is drawn.
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { proveOnTestCluster } from '../crash/harness/prove-on-test-cluster.ts'
import { killsProof } from './kills-proof.ts'
import { loadProof } from './load-proof.ts'
import { manyProof } from './many-proof.ts'
import type { Proof } from './proof.ts'
import { streamsProof } from './streams-proof.ts'
import { LARGE_MB, uploadProof } from './upload-proof.ts'

const PROOFS: readonly Proof[] = [killsProof, loadProof, streamsProof, uploadProof, manyProof]

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '10' },
    functions: { type: 'string', default: '200' },
    folder: { type: 'string', default: tmpdir() },
  },
})
const only = values.only?.split(',')
const unknown = only?.filter((name) => !PROOFS.some((proof) => proof.name === name)) ?? []
if (unknown.length > 0)
  throw new Error(`There is no ${unknown.join()}; there are ${PROOFS.map(({ name }) => name).join()}`)

let failed = 0
const log = (line: string) => console.log(line)
const claim = (holds: boolean, line: string) => {
  if (!holds) failed += 1
  log(`${holds ? '✓' : '✗'} ${line}`)
}
log(`seed ${values.seed}`)
await proveOnTestCluster(
  async (cluster) => {
    const { seed, requests, rounds, functions, folder } = values
    const numbers = {
      seed: Number(seed),
      requests: Number(requests),
      rounds: Number(rounds),
      functions: Number(functions),
    }
    for (const proof of PROOFS.filter(({ name }) => !only || only.includes(name))) {
      log(`\n${proof.name}`)
      await proof.run({ cluster, ...numbers, folder, log, claim })
    }
  },
  {
    processes: { worker: 2, ingress: 2 },
    settings: { BERTH_LEASE_SECONDS: '10', BERTH_INGRESS_BODY_LIMIT_MB: String(LARGE_MB) },
  },
)
log(failed === 0 ? '\n✓ holds' : `\n✗ ${failed} claims do not hold`)
process.exitCode = failed === 0 ? 0 : 1
