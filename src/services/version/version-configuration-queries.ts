import { effectiveConfig } from '../../app-types/type-config.ts'
import { exactlyOneOf } from '../../calls/alternatives.ts'
import { type Caller, permit } from '../../calls/caller.ts'
import { exampleId } from '../../calls/examples.ts'
import { id } from '../../calls/input.ts'
import { type QueryContext, recordQuery } from '../../calls/query.ts'
import { recordedPlan } from '../../domain/build-plan.ts'
import { recordedConfiguration, type SealedVariable } from '../../domain/configuration.ts'
import { invalidField, notFound } from '../../domain/errors.ts'
import { type Effective, type PendingChange, pendingChanges } from '../../domain/pending-changes.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { inSnapshot } from '../../storage/database/snapshot.ts'
import { findSource, planFor } from '../configuration/build-plan.ts'
import {
  configurationOf,
  configuredImage,
  recordedEffective,
  runsImages,
  showVariableOf,
  withDefaults,
} from '../configuration/configured.ts'
import { pendingChanges as summary } from '../configuration/pending-change-fields.ts'
import { loadAppEnv } from '../targets/get-app-env.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { difference, type Side, versionConfiguration } from './version-configuration-fields.ts'

/** A version with the app and the account of its environment. Throws NOT_FOUND, and FORBIDDEN for what is not to be read. */
async function findVersion(client: Database | Transaction, caller: Caller, contentId: string) {
  const content = await client.content.findFirst({
    where: { id: contentId, appEnv: { deletedAt: null } },
    include: { appEnv: { include: { app: true, account: true, variables: true } } },
  })
  if (!content) throw notFound('deployment', contentId)
  permit(caller, 'appEnv:read', { accountId: content.accountId, appEnvId: content.appEnvId })
  const secret = new Set(content.appEnv.variables.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])))
  const configuration = maskedFrom(recordedConfiguration(content), secret)
  const plan = recordedPlan(content)
  return { ...content, configuration, buildPlan: plan && maskedFrom(plan, secret) }
}

/** A variable that is secret now is masked in earlier versions too, which recorded it as none. */
const maskedFrom = <Holder extends { variables: SealedVariable[] }>(holder: Holder, secret: ReadonlySet<string>) => ({
  ...holder,
  variables: holder.variables.map((one) => ({ ...one, isSecret: one.isSecret || secret.has(one.name) })),
})

async function readVersionConfiguration({ database, vault, config, caller }: QueryContext, contentId: string) {
  const content = await findVersion(database, caller, contentId)
  const { app, account } = content.appEnv
  const configuration = recordedConfiguration(content)
  const show = showVariableOf(vault, account)
  const variables = configuration.variables.map((variable) => {
    const { id: _id, name, type, isSecret } = variable
    return { _id, name, value: show(variable), type, isSecret }
  })
  const recorded = {
    ...content,
    configuration,
    typeConfig: effectiveConfig(app, configuration.typeConfig, configuration.presetVersion),
    variables: variables.sort((one, other) => (one.name < other.name ? -1 : 1)),
    build: recordedPlan(content),
  }
  return versionConfiguration.answer.record(recorded as never, { caller, config })
}

export const getDeploymentConfiguration = recordQuery({
  name: 'getDeploymentConfiguration',
  path: '/app-env/deployment-configuration',
  permission: 'appEnv:read',
  about: 'What a version of an environment runs with: its variables, size, commands, health check and build.',
  input: { contentId: id('version') },
  of: versionConfiguration,
  find: (context, { contentId }) => readVersionConfiguration(context, contentId),
})

interface Compared extends Side {
  account: { id: string; dataKey: string }
  /** Null where a version does not record it. */
  containers: number | null
  commit: string | null
  effective: Omit<Effective, 'containers'>
}

type Named = Readonly<Record<string, string | undefined>>

/** A side of a comparison: the input has one of its two fields. */
function sideIn(input: Named, side: 'from' | 'to'): { contentId: string } | { appEnvId: string | undefined } {
  const { [`${side}ContentId`]: contentId, [`${side}AppEnvId`]: appEnvId } = input
  return contentId === undefined ? { appEnvId } : { contentId }
}

async function sideOf(tx: Transaction, context: QueryContext, named: ReturnType<typeof sideIn>): Promise<Compared> {
  return 'contentId' in named
    ? versionSide(tx, context, named.contentId)
    : configuredSide(context, await loadAppEnv(tx, context.caller, named), tx)
}

async function versionSide(tx: Transaction, { caller }: QueryContext, contentId: string): Promise<Compared> {
  const content = await findVersion(tx, caller, contentId)
  const { id, appEnvId, version, appEnv, gitCommitId: commit } = content
  const effective = recordedEffective(appEnv, content)
  return { appEnvId, contentId: id, version, account: appEnv.account, containers: null, commit, effective }
}

async function configuredSide(
  { vault, config }: QueryContext,
  appEnv: LoadedAppEnv,
  tx: Transaction,
): Promise<Compared> {
  const { id: appEnvId, account, containers } = appEnv
  const source = runsImages(appEnv) ? null : await findSource(tx, appEnv, config)
  const build = source && planFor(appEnv, vault, source)
  const effective = {
    image: configuredImage(appEnv, appEnv.currentContent),
    useImage: build === null,
    configuration: withDefaults(appEnv, configurationOf(appEnv)),
    build,
  }
  return { appEnvId, contentId: null, version: null, account, containers, commit: null, effective }
}

/** What is built has a name of its own each time, which says nothing. */
const withoutBuiltImage = ({ effective, containers }: Compared, other: Compared): Effective => ({
  ...effective,
  image: effective.build ? null : effective.image,
  containers: containers === null || other.containers === null ? 0 : containers,
})

function changesBetween(from: Compared, to: Compared, show: ReturnType<typeof showVariableOf>): PendingChange[] {
  const changes = pendingChanges(withoutBuiltImage(from, to), withoutBuiltImage(to, from), show)
  if (!from.commit || !to.commit || from.commit === to.commit) return changes
  return [{ kind: 'BUILD', field: 'gitCommitId', from: from.commit, to: to.commit }, ...changes]
}

function readDifference(context: QueryContext, input: Named) {
  const sides = [sideIn(input, 'from'), sideIn(input, 'to')] as const
  return inSnapshot(context.database, async (tx) => {
    const from = await sideOf(tx, context, sides[0])
    const to = await sideOf(tx, context, sides[1])
    if (from.account.id !== to.account.id)
      throw invalidField(
        'contentId' in sides[1] ? 'toContentId' : 'toAppEnvId',
        'is of another account: variables of different accounts cannot be compared',
      )
    const changes = changesBetween(from, to, showVariableOf(context.vault, from.account))
    const shown = ({ appEnvId, contentId, version }: Compared): Side => ({ appEnvId, contentId, version })
    return { from: shown(from), to: shown(to), ...summary.answer.record(changes) }
  })
}

const VERSION = 'Id of the version'
const CONFIGURED = 'Id of the environment whose configuration'

export const getDifference = recordQuery({
  name: 'getDifference',
  path: '/app-env/difference',
  permission: 'appEnv:read',
  about:
    'How two versions differ, a version and what is configured, or the configurations of two environments. Each side is a version or an environment.',
  example: { request: { fromContentId: exampleId('con'), toAppEnvId: exampleId('env') } },
  input: {
    ...exactlyOneOf({
      fromContentId: id('version').describe(`${VERSION} that is \`from\`.`).optional(),
      fromAppEnvId: id('environment').describe(`${CONFIGURED} is \`from\`, where no version is.`).optional(),
    }),
    ...exactlyOneOf({
      toContentId: id('version').describe(`${VERSION} that is \`to\`.`).optional(),
      toAppEnvId: id('environment').describe(`${CONFIGURED} is \`to\`, where no version is.`).optional(),
    }),
  },
  of: difference,
  find: (context, input) => readDifference(context, input),
})
