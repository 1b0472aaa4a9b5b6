// npm run prove:disks
import { fillDisk, fillEngineDisk } from './full-disks.ts'
import { privateEngineProblem, startPrivateEngine } from './harness/private-engine.ts'
import { mountSmallDisk } from './harness/small-disk.ts'
import { openLaboratory } from './harness/test-cluster.ts'

const problem = privateEngineProblem()
if (problem) throw new Error(`This needs disks and an engine of its own, and ${problem}`)
{
  using disk = mountSmallDisk(256)
  const lab = await openLaboratory({ parent: disk.folder, isDatabaseRevived: true })
  try {
    const { accepted, refused, visits, recoveredSeconds } = await fillDisk(lab, disk)
    console.log(
      `A full disk under database, data directories and logs: ${accepted} calls accepted, ${refused} told to come back, ${visits} visits answered; ${recoveredSeconds.toFixed(1)} s after there was room, the next deployment was done`,
    )
  } finally {
    await lab.close()
  }
}
{
  using disk = mountSmallDisk(700)
  await using engine = await startPrivateEngine(disk.folder)
  const settings = { DOCKER_HOST: `unix://${engine.socketPath}` }
  const lab = await openLaboratory({ docker: engine.docker, settings })
  try {
    console.log(`A full disk under the engine: "${await fillEngineDisk(lab, disk)}"; it succeeded once there was room`)
  } finally {
    await lab.close()
  }
}
