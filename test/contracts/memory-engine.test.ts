import { createMemoryHarness } from '../support/memory-engine/memory-harness.ts'
import { ENGINE_NAME } from '../support/memory-engine/memory-runtime.ts'
import { describeContainerRuntime } from './container-runtime.ts'
import { describeImageBuilder } from './image-builder.ts'

const harness = createMemoryHarness()

describeContainerRuntime(ENGINE_NAME, harness)
describeImageBuilder(ENGINE_NAME, harness)
