import type { z } from 'zod'
import { conflict } from '../../domain/errors.ts'
import { flag, id } from '../input.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'

export const buildAppEnv = lifecycleOperation({
  name: 'buildAppEnv',
  about: 'Build the configured git branch and deploy what was built.',
  accepted: 'Build started',
  input: {
    forceNewBuild: flag('Build even without code changes.').default(false),
    isRebuild: flag('Build an earlier version again.').default(false),
    fromContentId: id('version to build again, with isRebuild').optional() as z.ZodOptional<z.ZodString>,
  },
  async plan() {
    // Says what is so: this version has no builder, whatever source the app names.
    throw conflict(
      'SOURCE_NOT_CONFIGURED',
      'There is no source to build from: builds from source are not available yet; deploy an image',
    )
  },
})
