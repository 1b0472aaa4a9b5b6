import { z } from 'zod'
import { getAppType } from '../../app-types/app-types.ts'
import { hasHosts, isRouted } from '../../app-types/behaviours.ts'
import { type CommandContext, command, type Progress } from '../../calls/command.ts'
import { appEnvTarget, pasted } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { WaitedStatus } from '../../domain/waited-operation.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Host, HostStatus } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import { hostProof } from '../../storage/secrets/host-proof.ts'
import { configuredHealthCheck } from '../configuration/configured.ts'
import { releaseHosts } from '../lifecycle/cooling-hosts.ts'
import { type AppEnvTarget, lockAppEnv } from '../targets/load-app-env.ts'
import { claimableHost, proveClaim } from './claim-host.ts'
import { host, ownHostExample } from './host-fields.ts'
import { hostRecord } from './host-queries.ts'
import { type WhichHost, whichHost } from './which-host.ts'

const MAX_HOSTS = 50

const hostName = pasted().min(1).max(300).describe('Host name, such as shop.example.com.')

type ShownHost = Awaited<ReturnType<typeof announceHost>>

/** The check of a host's DNS records, which a worker makes. Missing records are checked again later. */
const validation = {
  async observe(database: Database, { hostId, lastValidationAt }: ShownHost): Promise<Progress> {
    const found = await database.host.findUnique({ where: { id: hostId }, include: { appEnv: true } })
    const isChecked = (found?.lastValidationAt?.toISOString() ?? null) !== lastValidationAt
    return { hasEnded: !found || isChecked, accountId: found?.appEnv.accountId }
  },
  async answer(database: Database, shown: ShownHost) {
    const found = await database.host.findUnique({ where: { id: shown.hostId } })
    if (!found) return { ...shown, operationStatus: 'CANCELLED' as const }
    const { status, reason } = found
    const lastValidationAt = found.lastValidationAt?.toISOString() ?? null
    const isChecked = lastValidationAt !== shown.lastValidationAt
    return { ...shown, status, reason, lastValidationAt, operationStatus: isChecked ? OUTCOMES[status] : RUNNING }
  },
}

const RUNNING = 'RUNNING'
const OUTCOMES = { VALID: 'SUCCEEDED', INVALID: 'FAILED', VALIDATING: RUNNING } as const satisfies Record<
  HostStatus,
  WaitedStatus
>

export const addHost = command({
  name: 'addHost',
  rest: { method: 'POST', path: '/app-env/host', answer: host.answer },
  versioned: true,
  waits: true,
  about: 'Add a host of your own to an environment. The host leads there once one of the two DNS records is found.',
  example: { request: { host: 'shop.example.com' }, answer: ownHostExample },
  input: z.strictObject({ ...appEnvTarget, host: hostName }),
  permission: 'appEnv:change',
  prepare: proveClaim,
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, input, { appEnv }) {
    const { tx } = context
    const type = getAppType(appEnv.app.type)
    if (!hasHosts(type)) throw conflict('NOT_ROUTED', `A ${type.title} has no hosts: nothing listens`)
    if (!isRouted(appEnv.app, { healthCheck: configuredHealthCheck(appEnv) }))
      throw conflict(
        'NOT_ROUTED',
        'The health check of this environment is of type NONE: nothing listens, so no host can lead there. Choose another type first (PATCH /app-env/healthcheck)',
      )
    const host = await claimableHost(context, appEnv, input.host)
    if ((await tx.host.count({ where: { appEnvId: appEnv.id } })) >= MAX_HOSTS)
      throw conflict('TOO_MANY_HOSTS', `An environment has at most ${MAX_HOSTS} hosts`)
    const hostId = newId('host')
    const row = await tx.host.create({
      data: { id: hostId, appEnvId: appEnv.id, host, checkAt: await databaseTime(tx) },
    })
    context.created(hostId)
    return announceHost(context, appEnv, row, 'added')
  },
  progress: validation,
})

export const validateHost = command({
  name: 'validateHost',
  rest: { method: 'PUT', path: '/app-env/host', answer: host.answer },
  versioned: true,
  waits: true,
  about: 'Check the DNS records of a custom host again, now.',
  example: { request: { host: 'shop.example.com' }, answer: ownHostExample },
  input: z.strictObject(whichHost),
  permission: 'appEnv:change',
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, input, { appEnv }) {
    const found = await customHost(context, appEnv, input)
    // A valid host stays valid while it is checked again: the check must not interrupt its traffic.
    const status = found.status === 'VALID' ? 'VALID' : 'VALIDATING'
    const checkAt = await databaseTime(context.tx)
    const row = await context.tx.host.update({ where: { id: found.id }, data: { status, checkAt } })
    return announceHost(context, appEnv, row, 'validating')
  },
  progress: validation,
})

export const removeHost = command({
  name: 'removeHost',
  rest: { method: 'DELETE', path: '/app-env/host', answer: messageAnswer },
  versioned: true,
  about: 'Remove a custom host. For a while only the same account can claim it again.',
  example: { request: { host: 'shop.example.com' }, answer: { message: 'The host "shop.example.com" is removed' } },
  dangerous: true,
  input: z.strictObject(whichHost),
  permission: 'appEnv:change',
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, input, { appEnv }) {
    const row = await customHost(context, appEnv, input)
    await releaseHosts(context, appEnv.id, appEnv.accountId, row.id)
    await context.tx.host.delete({ where: { id: row.id } })
    await notifyIngresses(context.tx)
    await announceHost(context, appEnv, row, 'removed')
    return { message: `The host "${row.host}" is removed` }
  },
})

async function customHost({ tx }: CommandContext, appEnv: AppEnvTarget['appEnv'], which: WhichHost): Promise<Host> {
  const { hostId, host } = which
  const where = hostId ? { id: hostId } : { host: (host ?? '').toLowerCase() }
  const found = await tx.host.findFirst({ where: { ...where, appEnvId: appEnv.id } })
  if (!found) throw notFound('host', hostId ?? host ?? '')
  if (found.isAutoGenerated) throw conflict('HOST_AUTOMATIC', 'The host came with the environment, and stays with it')
  return found
}

async function announceHost(
  { tx, vault, announce, auditDetails, ...context }: CommandContext,
  appEnv: AppEnvTarget['appEnv'],
  row: Host,
  what: string,
) {
  const automatic = await tx.host.findFirst({
    where: { appEnvId: appEnv.id, isAutoGenerated: true },
    orderBy: ORDER.host,
  })
  const { id: hostId, host, status } = row
  announce({ type: 'host.changed', appId: appEnv.appId, appEnvId: appEnv.id, payload: { hostId, host, status, what } })
  auditDetails({ hostId, host })
  return hostRecord(row, hostProof(vault, appEnv.accountId, host, automatic?.host ?? ''), context)
}
