// npm run prove -- builds [--only attacks,changes,cancels --changes 200 --cancels 50]
import { parseArgs } from 'node:util'
import Docker from 'dockerode'
import { Berth } from '../shipped/support/berth.ts'
import { clientOf } from '../shipped/support/client.ts'
import { userOf } from '../shipped/support/user.ts'
import { attacksProof } from './attacks-proof.ts'
import type { BuildProof, BuildStage } from './build-proof.ts'
import { cancelsProof } from './cancels-proof.ts'
import { changesProof } from './changes-proof.ts'

const PROOFS: Readonly<Record<string, BuildProof>> = {
  attacks: attacksProof,
  changes: changesProof,
  cancels: cancelsProof,
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PROOFS).join() },
    changes: { type: 'string', default: '200' },
    cancels: { type: 'string', default: '50' },
  },
})
const names = values.only.split(',')
const unknown = names.filter((name) => !Object.hasOwn(PROOFS, name))
if (unknown.length > 0) throw new Error(`There is no ${unknown.join()}; there are ${Object.keys(PROOFS).join()}`)

let failed = 0
const berth = await Berth.start({ composition: 'one-command' })
try {
  const client = clientOf(berth.address)
  const stage: BuildStage = {
    ...client,
    ...userOf(client),
    docker: new Docker(),
    ingressUrl: `http://127.0.0.1:${berth.address.ingressPort}`,
    changes: Number(values.changes),
    cancels: Number(values.cancels),
    log: (line) => console.log(line),
    claim(holds, line) {
      if (!holds) failed += 1
      console.log(`${holds ? '✓' : '✗'} ${line}`)
    },
  }
  for (const name of names) {
    console.log(`\n${name}`)
    await PROOFS[name]?.(stage)
  }
} finally {
  await berth.remove()
}
console.log(failed === 0 ? '\n✓ holds' : `\n✗ ${failed} claims do not hold`)
process.exitCode = failed === 0 ? 0 : 1
