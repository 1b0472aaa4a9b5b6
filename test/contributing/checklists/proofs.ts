import type { ChecklistProof } from '../checklist-proof.ts'
import { appType } from './app-type.ts'
import { field } from './field.ts'
import { imageBuilderAdapter } from './image-builder-adapter.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { noun } from './noun.ts'
import { otherWrite } from './other-write.ts'
import { read } from './read.ts'
import { runtimeAdapter } from './runtime-adapter.ts'
import { setting } from './setting.ts'
import { solution } from './solution.ts'

/** One for each checklist, in the order of CONTRIBUTING.md. A checklist without a proof fails. */
export const PROOFS: readonly ChecklistProof[] = [
  lifecycleOperation,
  noun,
  otherWrite,
  read,
  field,
  appType,
  solution,
  runtimeAdapter,
  imageBuilderAdapter,
  setting,
]
