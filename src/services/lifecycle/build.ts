import type { z } from 'zod'
import { engineOf } from '../../app-types/behaviours.ts'
import type { CommandContext } from '../../calls/command.ts'
import { flag, id } from '../../calls/input.ts'
import { type BuildPlan, recordedPlan } from '../../domain/build-plan.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import { assertBuildable, buildVariablesOf, findSource, planFor } from '../configuration/build-plan.ts'
import { configurationOf } from '../configuration/configured.ts'
import { acceptedExample } from '../targets/accepted.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { builtContent, type NewContent } from './new-content.ts'

export const buildAppEnv = lifecycleOperation({
  name: 'buildAppEnv',
  path: '/app-env/build',
  about: 'Build the configured git branch, or the code that was uploaded, and deploy what was built.',
  example: { answer: acceptedExample('Build started') },
  accepted: 'Build started',
  input: {
    forceNewBuild: flag('Build even without code changes.').default(false),
    isRebuild: flag('Build an earlier version again.').default(false),
    fromContentId: id('version to build again, with isRebuild').optional() as z.ZodOptional<z.ZodString>,
  },
  async plan(context, appEnv, { forceNewBuild, isRebuild, fromContentId }) {
    if (fromContentId && !isRebuild) throw invalidField('fromContentId', 'is only for isRebuild true')
    const content = isRebuild
      ? await rebuild(context, appEnv, fromContentId, forceNewBuild)
      : await nextBuild(context, appEnv, forceNewBuild)
    return { intent: { kind: 'BUILD', content } }
  },
})

/** The newest source, or this commit of it, with the current settings. */
export async function nextBuild(
  { tx, config, vault }: CommandContext,
  appEnv: LoadedAppEnv,
  isForced: boolean,
  commit: string | null = null,
): Promise<NewContent> {
  const { app } = appEnv
  if (engineOf(app))
    throw conflict('SOURCE_NOT_CONFIGURED', 'A managed service runs the image of its preset: redeploy it')
  if (app.useImage) {
    throw conflict('SOURCE_NOT_CONFIGURED', 'The app deploys images: set useImage to false to build it from source')
  }
  const source = await findSource(tx, appEnv, config)
  if (!source) throw conflict('SOURCE_NOT_CONFIGURED', missingSource(app.isCliDeployment))
  assertBuildable(app, config)
  const exact = source.kind === 'git' && commit ? { ...source, commit } : source
  return builtContent(appEnv, planFor(appEnv, vault, exact, isForced), configurationOf(appEnv))
}

const missingSource = (isCliDeployment: boolean) =>
  isCliDeployment
    ? 'There is no source to build from: no code was uploaded yet (POST /app-env/request-storage-key)'
    : 'There is no source to build from: the app names no repository; deploy an image'

/**
 * What an earlier version was built from, down to the commit and the settings of that time, with today's configuration.
 */
async function rebuild(
  { tx, vault }: CommandContext,
  appEnv: LoadedAppEnv,
  fromContentId: string | undefined,
  isForced: boolean,
): Promise<NewContent> {
  const { earlier, plan } = await findBuilt(tx, appEnv, fromContentId)
  const { source } = plan
  const variables = buildVariablesOf(appEnv, vault)
  const exact = source.kind === 'git' ? { ...source, commit: earlier.gitCommitId ?? source.commit } : source
  return builtContent(appEnv, { ...plan, source: exact, variables, isForced }, configurationOf(appEnv), earlier.id)
}

async function findBuilt(
  tx: CommandContext['tx'],
  appEnv: LoadedAppEnv,
  fromContentId: string | undefined,
): Promise<{ earlier: Content; plan: BuildPlan }> {
  if (fromContentId) {
    const chosen = await tx.content.findFirst({ where: { id: fromContentId, appEnvId: appEnv.id } })
    if (!chosen) throw notFound('deployment', fromContentId)
    const plan = recordedPlan(chosen)
    if (!plan) throw conflict('NOT_BUILT', 'That version was not built from source')
    return { earlier: chosen, plan }
  }
  const newest = await tx.content.findFirst({
    where: { appEnvId: appEnv.id, type: 'BUILD' },
    orderBy: { version: 'desc' },
  })
  const plan = newest && recordedPlan(newest)
  if (!plan) throw conflict('NOT_BUILT', 'No version of this environment was built from source')
  return { earlier: newest, plan }
}
