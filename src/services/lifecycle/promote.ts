import { engineOf } from '../../app-types/behaviours.ts'
import { permit } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { exampleId } from '../../calls/examples.ts'
import { id } from '../../calls/input.ts'
import { engineKeyOf } from '../../domain/engine-key.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { isPushedTo } from '../../domain/pushed-image.ts'
import type { Content, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { configurationOf } from '../configuration/configured.ts'
import { acceptedExample } from '../targets/accepted.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { promotedContent } from './new-content.ts'

export const promoteDeployment = lifecycleOperation({
  name: 'promoteDeployment',
  path: '/app-env/promote',
  about:
    'Deploy the image that another environment of the same app runs, or ran, in this one: what was tested, without building again. Size, settings and variables are those of this environment; variables that a build reads are in the image already. It becomes a new version, whose promotedFrom says where it is from.',
  example: {
    request: { fromAppEnvId: exampleId('env'), contentId: exampleId('con') },
    answer: acceptedExample('Promotion of version 3 of "staging" started'),
  },
  accepted: 'Promotion started',
  input: {
    fromAppEnvId: id('environment whose version is promoted, of the same app'),
    contentId: id('version to promote; the one that serves there when omitted').optional(),
  },
  async plan(context, appEnv, { fromAppEnvId, contentId }) {
    const source = await findSource(context, appEnv, fromAppEnvId)
    if (engineOf(appEnv.app, appEnv.presetVersion))
      throw conflict('NOT_PROMOTABLE', 'A managed service runs the image of its preset, and has nothing to promote')
    const content = await findVersion(context, source, contentId)
    requireWithinReach(context, content, source, appEnv)
    // As with an image that is deployed by name, one that was set on the app and never applied gives way.
    await context.tx.appEnv.update({ where: { id: appEnv.id }, data: { pendingImage: null } })
    const promotedFrom = { appEnvId: source.id, contentId: content.id, version: content.version }
    context.auditDetails({ promotedFrom })
    return {
      intent: { kind: 'PROMOTE', content: promotedContent(content, configurationOf(appEnv), promotedFrom) },
      message: `Promotion of version ${content.version} of "${source.name}" started`,
    }
  },
})

type Source = Prisma.AppEnvGetPayload<{ include: { region: true } }>

/**
 * It is not locked: two promotions in opposite directions would wait for each other. Of one that is being deleted, the image
 * may be gone when it is needed: the deployment then fails, and what serves is untouched.
 */
async function findSource({ tx, caller }: CommandContext, appEnv: LoadedAppEnv, fromAppEnvId: string): Promise<Source> {
  const where = { id: fromAppEnvId, accountId: appEnv.accountId, deletedAt: null }
  const source = await tx.appEnv.findFirst({ where, include: { region: true } })
  if (!source) throw notFound('app environment', fromAppEnvId)
  permit(caller, 'appEnv:observe', { accountId: source.accountId, appEnvId: source.id })
  if (source.id === appEnv.id)
    throw invalidField(
      'fromAppEnvId',
      'is the environment itself; redeploy replaces its containers, rollback brings an earlier version back',
    )
  if (source.appId !== appEnv.appId)
    throw invalidField('fromAppEnvId', `must be an environment of the same app; "${source.cliEnvName}" is of another`)
  return source
}

async function findVersion({ tx }: CommandContext, source: Source, contentId: string | undefined): Promise<Content> {
  const wanted = contentId ?? source.currentContentId
  if (wanted === null) throw conflict('NEVER_DEPLOYED', `Nothing was ever deployed to "${source.cliEnvName}"`)
  const content = await tx.content.findFirst({ where: { id: wanted, appEnvId: source.id } })
  if (!content) throw notFound('deployment', wanted)
  if (!content.deployedAt) throw conflict('NEVER_DEPLOYED', 'That version was never deployed successfully')
  if (!content.imageDigest)
    throw conflict('IMAGE_REMOVED', 'The image of that version is no longer kept; build it again, then promote that')
  return content
}

/** Throws where the engine of the environment could not get the image. */
function requireWithinReach(
  { config }: CommandContext,
  { type, image, imageDigest }: Content,
  source: Source,
  { region }: LoadedAppEnv,
): void {
  if (engineKeyOf(source.region) === engineKeyOf(region)) return
  // A digest of a registry is pulled anywhere; an image that only its engine has is not.
  const isInRegistry = type === 'BUILD' ? isPushedTo(config.BERTH_PUSH_REPOSITORY, image) : imageDigest?.includes('@')
  if (isInRegistry) return
  throw conflict(
    'IMAGE_ELSEWHERE',
    `The image is on the engine of the region ${source.region.code} alone, and ${region.code} has another engine: have builds pushed to a registry (BERTH_PUSH_REPOSITORY), or build it here`,
  )
}
