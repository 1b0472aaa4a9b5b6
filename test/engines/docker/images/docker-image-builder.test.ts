import { describeImageBuilder } from '../../../contracts/image-builder.ts'
import { dockerHarness } from '../../../support/docker-harness.ts'

describeImageBuilder('Docker Engine', dockerHarness)
