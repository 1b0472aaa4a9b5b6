import { id } from '../../calls/input.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { configurationOf, serviceImage } from '../configuration/configured.ts'
import { acceptedExample } from '../targets/accepted.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { imageContent, repeatedContent } from './new-content.ts'

export const redeployAppEnv = lifecycleOperation({
  name: 'redeployAppEnv',
  path: '/app-env/redeploy',
  about:
    'Replace the containers with new ones of the current image, or that of contentId, and the present configuration. A managed service takes the newest patch of its version.',
  example: { answer: acceptedExample('Redeployment started') },
  accepted: 'Redeployment started',
  input: { contentId: id('version whose image is deployed; the current one when omitted').optional() },
  async plan({ tx }, appEnv, { contentId }) {
    const image = serviceImage(appEnv)
    // Its tag follows the patches of the version, and a first deployment that failed has no other way on.
    if (image !== null && !contentId)
      return { intent: { kind: 'REDEPLOY', content: imageContent(image, configurationOf(appEnv)) } }
    const chosen = contentId
      ? await tx.content.findFirst({ where: { id: contentId, appEnvId: appEnv.id } })
      : appEnv.currentContent
    if (contentId && !chosen) throw notFound('deployment', contentId)
    if (!chosen?.deployedAt) {
      throw conflict(
        'NEVER_DEPLOYED',
        contentId
          ? 'That version was never deployed successfully'
          : 'Nothing was ever deployed here; deploy an image first',
      )
    }
    // The digest stays pinned: "the current version" never changes to whatever the tag means today.
    if (chosen.type === 'BUILD' && !chosen.imageDigest) {
      throw conflict('IMAGE_REMOVED', 'The image of that version is no longer kept; build it again')
    }
    return { intent: { kind: 'REDEPLOY', content: repeatedContent(chosen, configurationOf(appEnv)) } }
  },
})
