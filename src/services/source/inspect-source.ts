import { z } from 'zod'
import { command, type Progress } from '../../calls/command.ts'
import { id, relativePath } from '../../calls/input.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { WaitedStatus } from '../../domain/waited-operation.ts'
import type { Database } from '../../storage/database/client.ts'
import type { SourceInspectionStatus } from '../../storage/database/generated/prisma/client.ts'
import { gitInstallationId, gitNamespace, gitRepo } from '../app/app-input.ts'
import { branch } from '../app-env/setting-input.ts'
import { repositoryUrl } from '../configuration/build-plan.ts'
import { requireOwnInstallation } from '../git/git-installation.ts'
import { lockAccount } from '../targets/load-account.ts'
import { sourceInspection } from './source-inspection-fields.ts'

/** Of one account: they are read one after the other. */
const MAX_QUEUED = 10

type Shown = ReturnType<typeof sourceInspection.answer.record> & Record<string, unknown>

const OUTCOMES = { QUEUED: 'RUNNING', SUCCEEDED: 'SUCCEEDED', FAILED: 'FAILED' } as const satisfies Record<
  SourceInspectionStatus,
  WaitedStatus
>

export const inspectSource = command({
  name: 'inspectSource',
  rest: { method: 'POST', path: '/source-inspection', answer: sourceInspection.answer },
  waits: true,
  about:
    'Inspect a git repository before there is an app of it: the preset that its files show, its Dockerfile, compose file, ports and start command. A worker reads it as a build would; GET /source-inspection, or a wait, shows what it found.',
  example: { request: { gitRepo: 'https://github.com/acme/shop', branch: 'main' }, answer: { status: 'QUEUED' } },
  input: z.strictObject({
    accountId: id('account'),
    gitRepo,
    gitNamespace: gitNamespace.optional(),
    gitInstallationId: gitInstallationId.optional(),
    branch: branch.optional(),
    contextDir: relativePath('Folder of the source that would be built.').default('.'),
  }),
  permission: 'app:change',
  target: async ({ tx }, { accountId }) => ({ ...(await lockAccount(tx, accountId)), version: undefined }),
  async execute(context, { accountId, branch, contextDir, gitInstallationId, ...named }): Promise<Shown> {
    const { tx, config } = context
    const { gitRepo, gitNamespace = null } = named
    const url = repositoryUrl({ gitRepo, gitNamespace }, config)
    if (!url) throw invalidField('gitRepo', 'must name a repository')
    await requireOwnInstallation(context, accountId, gitInstallationId)
    if ((await tx.sourceInspection.count({ where: { accountId, status: 'QUEUED' } })) >= MAX_QUEUED)
      throw conflict('TOO_MANY_INSPECTIONS', `${MAX_QUEUED} inspections of this account wait for a worker already`)
    const inspectionId = newId('insp')
    const row = await tx.sourceInspection.create({
      data: {
        id: inspectionId,
        accountId,
        url,
        branch: branch ?? null,
        installationId: gitInstallationId ?? null,
        contextDir,
      },
    })
    context.auditDetails({ url, branch, contextDir })
    context.created(inspectionId)
    return sourceInspection.answer.record(row)
  },
  progress: {
    async observe(database: Database, { inspectionId }: Shown): Promise<Progress> {
      const found = await database.sourceInspection.findUnique({ where: { id: inspectionId } })
      return { hasEnded: found?.status !== 'QUEUED' }
    },
    async answer(database: Database, { inspectionId }: Shown) {
      const found = await database.sourceInspection.findUnique({ where: { id: inspectionId } })
      if (!found) throw notFound('source inspection', inspectionId)
      return { ...sourceInspection.answer.record(found), operationStatus: OUTCOMES[found.status] }
    },
  },
})
