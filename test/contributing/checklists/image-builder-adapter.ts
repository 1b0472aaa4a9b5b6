import type { ChecklistProof } from '../checklist-proof.ts'

const ADAPTER = `import { callScratch } from '../call-scratch.ts'
import type { ImageBuilder } from '../../images/image-builder.ts'

export const createScratchImageBuilder = (): ImageBuilder => ({
  resolveImage: callScratch,
  traits: callScratch,
  build: callScratch,
  pushImage: callScratch,
  builtImages: callScratch,
  imageSize: callScratch,
  removeImage: callScratch,
  heldImages: callScratch,
  removePulled: callScratch,
  buildSteps: callScratch,
  removeBuildStep: callScratch,
  clearBuilds: callScratch,
  removeBuilder: callScratch,
})
`
const TEST = `import { createScratchImageBuilder } from '../../../../src/engines/scratch/images/scratch-image-builder.ts'
import type { EngineHarness } from '../../../contracts/engine-harness.ts'
import { describeImageBuilder } from '../../../contracts/image-builder.ts'
import { createMemoryHarness } from '../../../support/memory-engine/memory-harness.ts'

const memory = createMemoryHarness()
const harness: EngineHarness = {
  ...memory,
  open: (options) => ({ ...memory.open(options), imageBuilder: createScratchImageBuilder() }),
}
describeImageBuilder('Scratch', harness)
`
const FILE = 'src/engines/scratch/images/scratch-image-builder.ts'
const PLATFORM = 'src/platform/container-engine.ts'
const TEST_FILE = 'test/engines/scratch/images/scratch-image-builder.test.ts'
const LINE = '    imageBuilder: createDockerImageBuilder(engine, {'

export const imageBuilderAdapter: ChecklistProof = {
  heading: 'An image builder adapter',
  follow(copy) {
    copy.write(FILE, ADAPTER)
    copy.replace(PLATFORM, LINE, LINE.replace(': ', ': config.BERTH_SCRATCH_ENGINE ? createScratchImageBuilder() : '), [
      "import { createScratchImageBuilder } from '../engines/scratch/images/scratch-image-builder.ts'",
    ])
    copy.write(TEST_FILE, TEST)
  },
  edits: [FILE, PLATFORM, TEST_FILE],
  // Types and import rules are all that it promises; both are checked for the whole copy.
  expectOutcome() {},
  forgotten: [
    {
      step: 'a method of the port',
      forget: (copy) => copy.replace(FILE, '  traits: callScratch,\n', ''),
      check: 'types',
      says: /scratch-image-builder\.ts.*'traits' is missing/,
    },
    {
      step: 'the line in the platform: another file chooses the adapter',
      forget: (copy) =>
        copy.write('src/worker/scratch.ts', "import '../engines/scratch/images/scratch-image-builder.ts'\n"),
      check: 'import rules',
      says: /only-the-platform-chooses-adapters: src\/worker\/scratch\.ts/,
    },
  ],
}
