import { z } from 'zod'
import { fieldsOf, flag, text } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { BuildStepUse, BuildUse } from '../../domain/build-use.ts'

const number = z.number()
const step = fieldsOf<BuildStepUse>()

const buildStepUse = resource({
  name: 'BuildStepUse',
  description: 'A step of a build.',
  fields: {
    name: step.column('name', text, 'Instruction of the step, shortened, with its place in the Dockerfile.'),
    seconds: step.column('seconds', number, 'Time that the step took, in seconds.'),
    isCached: step.column('isCached', flag, 'Whether the result of the step came from the build cache.'),
  },
})

const use = fieldsOf<BuildUse>()

export const buildUse = resource({
  name: 'BuildUse',
  description: 'Resources that the build of a version used.',
  fields: {
    memoryPeakMb: use.column('memoryPeakMb', number, 'Peak memory of the build in MB.'),
    cpuSeconds: use.column('cpuSeconds', number, 'CPU time of the build, in seconds.'),
    writtenMb: use.column('writtenMb', number, 'Size of the new layers on the builder’s disk, in MB.'),
    sentMb: use.column('sentMb', number, 'Size of the build context, in MB.'),
    cacheMb: use.column('cacheMb', number, 'Size of the account’s build cache after the build, in MB.'),
    steps: use.json('steps', z.array(buildStepUse.answer.type), 'Steps of the build, the first 200.'),
  },
})
