import type { ChecklistProof } from '../checklist-proof.ts'

const SHARED = `import { runtimeUnavailable } from '../../domain/errors.ts'

/** An engine that is never there. */
export async function callScratch(): Promise<never> {
  throw runtimeUnavailable('The scratch engine cannot be reached')
}
`
const ADAPTER = `import { callScratch } from '../call-scratch.ts'
import type { ContainerRuntime } from '../../runtime/container-runtime.ts'

export const createScratchRuntime = (): ContainerRuntime => ({
  info: callScratch,
  machine: callScratch,
  identity: callScratch,
  marks: callScratch,
  addMark: callScratch,
  removeMark: callScratch,
  removeLeftVolumes: callScratch,
  apply: callScratch,
  freeze: callScratch,
  unfreeze: callScratch,
  stop: callScratch,
  start: callScratch,
  observe: callScratch,
  remove: callScratch,
  removeVolume: callScratch,
  removeNetwork: callScratch,
  async *logs() {
    yield await callScratch()
  },
  stats: callScratch,
  killExec: callScratch,
  listening: callScratch,
  exec: callScratch,
  runTask: callScratch,
  startTask: callScratch,
  observeTasks: callScratch,
  removeTasks: callScratch,
  createRun: callScratch,
  startRun: callScratch,
  observeRuns: callScratch,
  stopRun: callScratch,
  removeRuns: callScratch,
  diskUse: callScratch,
  fileCounts: callScratch,
  volumeUse: callScratch,
  watch() {},
})
`
const TEST = `import { createScratchRuntime } from '../../../../src/engines/scratch/runtime/scratch-runtime.ts'
import { describeLinuxConfinement } from '../../../contracts/container-runtime/linux-confinement.ts'
import { describeContainerRuntime } from '../../../contracts/container-runtime.ts'
import { createWorld, type EngineHarness } from '../../../contracts/engine-harness.ts'
import { createMemoryHarness } from '../../../support/memory-engine/memory-harness.ts'

const memory = createMemoryHarness()
const harness: EngineHarness = {
  ...memory,
  open: (options) => ({ ...memory.open(options), runtime: createScratchRuntime() }),
}
describeContainerRuntime('Scratch', harness)
describeLinuxConfinement(() => createWorld(harness, "programs:1"), harness)
`
const FILE = 'src/engines/scratch/runtime/scratch-runtime.ts'
const PLATFORM = 'src/platform/container-engine.ts'
const SHARED_FILE = 'src/engines/scratch/call-scratch.ts'
const TEST_FILE = 'test/engines/scratch/runtime/scratch-runtime.test.ts'
const LINE = '    runtime: createDockerRuntime(engine, {'

export const runtimeAdapter: ChecklistProof = {
  heading: 'A runtime adapter',
  follow(copy) {
    copy.write(FILE, ADAPTER)
    copy.replace(PLATFORM, LINE, LINE.replace(': ', ': config.BERTH_SCRATCH_ENGINE ? createScratchRuntime() : '), [
      "import { createScratchRuntime } from '../engines/scratch/runtime/scratch-runtime.ts'",
    ])
    copy.write(TEST_FILE, TEST)
    copy.write(SHARED_FILE, SHARED)
  },
  edits: [SHARED_FILE, PLATFORM, FILE, TEST_FILE],
  // Types and import rules are all that it promises; both are checked for the whole copy.
  expectOutcome() {},
  forgotten: [
    {
      step: 'a method of the port',
      forget: (copy) => copy.replace(FILE, '  stats: callScratch,\n', ''),
      check: 'types',
      says: /scratch-runtime\.ts.*'stats' is missing/,
    },
    {
      step: 'the folder of its own: it takes another adapter',
      forget: (copy) => copy.write(FILE, `import '../../docker/runtime/docker-runtime.ts'\n${copy.read(FILE)}`),
      check: 'import rules',
      says: /adapters-know-their-port-and-their-engine: src\/engines\/scratch\/runtime\/scratch-runtime\.ts/,
    },
  ],
}
