import { exampleId } from '../../calls/examples.ts'
import { id } from '../../calls/input.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import { rollbackRefusal } from '../deployment/deployment-fields.ts'
import { acceptedExample } from '../targets/accepted.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { repeatedContent } from './new-content.ts'
import { rollbackAnswer } from './rollback-fields.ts'

export const rollbackAppEnv = lifecycleOperation({
  name: 'rollbackAppEnv',
  path: '/app-env/rollback',
  answer: rollbackAnswer,
  about: 'Deploy an earlier version again, with the image and the configuration that it ran with.',
  example: { request: { targetContentId: exampleId('con') }, answer: acceptedExample('Rollback started') },
  accepted: 'Rollback started',
  dangerous: true,
  input: { targetContentId: id('version to bring back; the one before the current when omitted').optional() },
  async plan({ tx }, appEnv, { targetContentId }) {
    const target = targetContentId ? await findTarget(tx, appEnv, targetContentId) : await findPrevious(tx, appEnv)
    const refusal = rollbackRefusal({ ...target, appEnv })
    if (refusal) throw conflict(refusal.reason, refusal.message)
    const configuration = recordedConfiguration(target)
    return {
      intent: { kind: 'ROLLBACK', content: repeatedContent(target, configuration) },
      rollbackInfo: {
        fromVersion: appEnv.currentContent?.version ?? 0,
        toVersion: target.version,
        contentId: target.id,
      },
    }
  },
})

async function findTarget(tx: Transaction, appEnv: LoadedAppEnv, contentId: string): Promise<Content> {
  const target = await tx.content.findFirst({ where: { id: contentId, appEnvId: appEnv.id } })
  if (!target) throw notFound('deployment', contentId)
  return target
}

async function findPrevious(tx: Transaction, appEnv: LoadedAppEnv): Promise<Content> {
  const current = appEnv.currentContent
  const previous = current
    ? await tx.content.findFirst({
        where: { appEnvId: appEnv.id, deployedAt: { not: null }, version: { lt: current.version } },
        orderBy: { version: 'desc' },
      })
    : null
  if (!previous) throw conflict('NO_EARLIER_VERSION', 'There is no earlier deployed version to roll back to')
  return previous
}
