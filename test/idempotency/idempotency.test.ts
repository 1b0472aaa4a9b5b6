import { expect, test } from 'vitest'
import { openLaboratory } from '../crash/harness/laboratory.ts'
import { createWorld } from '../support/world.ts'
import { dryRunEverything } from './dry-runs.ts'
import { proveInShort } from './everything.ts'

test('keys and versions hold across processes and their deaths', { timeout: 240_000 }, async () => {
  const lab = await openLaboratory({ processes: { api: 2, worker: 1, ingress: 0 } })
  try {
    await proveInShort(lab, (line) => console.info(line))
  } finally {
    await lab.close()
  }
})

test('a dry run of any command through either door leaves no trace', { timeout: 240_000 }, async () => {
  const world = await createWorld()
  try {
    expect(await dryRunEverything(world)).toBeGreaterThan(40)
  } finally {
    await world.close()
  }
})
