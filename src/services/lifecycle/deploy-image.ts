import { getAppType } from '../../app-types/app-types.ts'
import { acceptsImage, engineOf } from '../../app-types/behaviours.ts'
import { image } from '../../calls/input.ts'
import { conflict } from '../../domain/errors.ts'
import { configurationOf } from '../configuration/configured.ts'
import { acceptedExample } from '../targets/accepted.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { imageContent } from './new-content.ts'

export const deployImage = lifecycleOperation({
  name: 'deployImage',
  path: '/app-env/deploy-image',
  about: 'Run a prebuilt image in an app environment, without building.',
  example: { request: { image: 'nginx:alpine' }, answer: acceptedExample('Image deployment started') },
  accepted: 'Image deployment started',
  input: { image },
  async plan({ tx }, appEnv, input) {
    // Most apps opt in, so that a stray call cannot replace a source build (§4.1 rule 1).
    if (engineOf(appEnv.app, appEnv.presetVersion)) {
      const words =
        'A managed service runs the image of its preset: set dockerPresetVersion (PUT /app-env), then apply it'
      throw conflict('IMAGE_NOT_ENABLED', words)
    }
    if (!acceptsImage(appEnv.app)) {
      const { title } = getAppType(appEnv.app.type)
      throw conflict(
        'IMAGE_NOT_ENABLED',
        `useImage is off for this ${title}: turn it on (PATCH /app, or updateApp), then deploy the image`,
      )
    }
    // An image that is deployed by name replaces one that was set on the app and never applied.
    await tx.appEnv.update({ where: { id: appEnv.id }, data: { pendingImage: null } })
    return { intent: { kind: 'DEPLOY_IMAGE', content: imageContent(input.image, configurationOf(appEnv)) } }
  },
})
