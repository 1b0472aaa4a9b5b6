// npm run prove -- disks
import { fillDisk, fillEngineDisk } from './full-disks.ts'
import { privateEngineProblem, startPrivateEngine } from './harness/private-engine.ts'
import { mountSmallDisk } from './harness/small-disk.ts'
import { startTestCluster } from './harness/test-cluster.ts'

const problem = privateEngineProblem()
if (problem) throw new Error(`This needs disks and an engine of its own, and ${problem}`)
{
  using disk = mountSmallDisk(256)
  const cluster = await startTestCluster({ parent: disk.folder, isDatabaseRevived: true })
  try {
    const { accepted, refused, requests, recoveredSeconds } = await fillDisk(cluster, disk)
    console.log(
      `A full disk under database, data directories and logs: ${accepted} calls accepted, ${refused} refused with a retry, ${requests} requests answered; ${recoveredSeconds.toFixed(1)} s after there was room, the next deployment was done`,
    )
  } finally {
    await cluster.close()
  }
}
{
  using disk = mountSmallDisk(700)
  await using engine = await startPrivateEngine({ parent: disk.folder })
  const settings = { DOCKER_HOST: `unix://${engine.socketPath}` }
  const cluster = await startTestCluster({ docker: engine.docker, settings })
  try {
    console.log(
      `A full disk under the engine: "${await fillEngineDisk(cluster, disk)}"; it succeeded once there was room`,
    )
  } finally {
    await cluster.close()
  }
}
