import { expect, inject, test } from 'vitest'
import { startTestCluster } from '../crash/harness/test-cluster.ts'
import { createWorld } from '../support/world.ts'
import { dryRunEverything } from './dry-runs.ts'
import { proveInShort } from './everything.ts'

test('keys and versions hold across processes and their deaths', { timeout: 240_000 }, async () => {
  const cluster = await startTestCluster({
    processes: { api: 2, worker: 1, ingress: 0 },
    postgresTemplate: inject('postgresTemplate'),
  })
  try {
    await proveInShort(cluster, (line) => console.info(line))
  } finally {
    await cluster.close()
  }
})

test('a dry run of any command through either API leaves no trace', { timeout: 240_000 }, async () => {
  const world = await createWorld()
  try {
    expect(await dryRunEverything(world)).toBeGreaterThan(40)
  } finally {
    await world.close()
  }
})
