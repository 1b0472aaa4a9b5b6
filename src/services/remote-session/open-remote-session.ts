import { isRolledOut, isScaledByRequests } from '../../app-types/behaviours.ts'
import { type CommandContext, originOf } from '../../calls/command.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { conflict, DomainError, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { sessionDetails } from '../../storage/remote-sessions/end-remote-session.ts'
import { hashOfSecret, newSecret } from '../../storage/secrets/token-secret.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

/** Where the WebSocket of a session is opened. */
export const REMOTE_SESSION_PATH = '/remote-session'

/** What a session is for: a command, or a port. */
interface Purpose {
  command: readonly string[] | null
  terminal: { columns: number; rows: number } | null
  /** Null: the port that the app listens on. */
  port: number | null
}

/** Decides on a session, and keeps it until its ticket is used. Throws CONFLICT where there is no container for it. */
export async function openRemoteSession(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  podId: string | undefined,
  { command, terminal, port: wantedPort }: Purpose,
) {
  const { tx, caller, config, requestId } = context
  const ownPort = appEnv.currentContent && recordedConfiguration(appEnv.currentContent).port
  const { name, containerId } = await containerOf(context, appEnv, podId)
  const port = command === null ? (wantedPort ?? ownPort) : null
  if (command === null && port === null)
    throw conflict('NO_PORT', `"${appEnv.cliEnvName}" listens on no port that Berth knows: send \`port\``)
  await requireRoom(context, appEnv)
  const id = newId('rem')
  const ticket = newSecret('TICKET')
  const now = await databaseTime(tx)
  const expiresAt = new Date(now.getTime() + config.BERTH_REMOTE_SESSION_TICKET_SECONDS * 1000)
  const session = await tx.remoteSession.create({
    data: {
      id,
      accountId: appEnv.accountId,
      appEnvId: appEnv.id,
      tokenId: caller.tokenId,
      userId: caller.userId,
      requestId,
      container: name,
      containerId,
      ...(command === null ? {} : { command: [...command] }),
      columns: terminal?.columns ?? null,
      rows: terminal?.rows ?? null,
      port,
      isOwnPort: port !== null && port === ownPort,
      ticketHash: hashOfSecret(ticket),
      heldUntil: expiresAt,
    },
  })
  const url = `${originOf(context).replace(/^http/, 'ws')}${REMOTE_SESSION_PATH}?${new URLSearchParams({ ticket })}`
  context.auditDetails(sessionDetails(session))
  context.created(id, ticket, url)
  return {
    remoteSessionId: id,
    url,
    ticket,
    expiresAt: expiresAt.toISOString(),
    container: name,
    podId: containerId,
    port: port ?? 0,
  }
}

/** The container that is named, or the first one that serves. */
async function containerOf({ tx }: CommandContext, appEnv: LoadedAppEnv, podId: string | undefined) {
  const { id: appEnvId, cliEnvName, app } = appEnv
  if (!isRolledOut(app))
    throw conflict('NO_CONTAINER', `"${cliEnvName}" has no container that stays: begin a job run with your command`)
  if (isScaledByRequests(app))
    throw conflict(
      'NO_CONTAINER',
      `"${cliEnvName}" has containers only while requests need them, which are frozen and removed at any time: begin a job run with your command`,
    )
  if (appEnv.status === 'STOPPED')
    throw conflict('ENVIRONMENT_STOPPED', `"${cliEnvName}" is stopped, and has no container: start it first`)
  const running = await tx.container.findMany({
    where: { appEnvId, removedAt: null, phase: 'running', startedAt: { not: null } },
    select: { containerId: true, name: true },
    orderBy: { name: 'asc' },
  })
  const replicas = await tx.replica.findMany({
    where: { appEnvId, containerId: { not: null }, state: { not: 'ASLEEP' } },
    select: { containerId: true, name: true, state: true },
    orderBy: { name: 'asc' },
  })
  if (podId !== undefined) {
    const named = replicas.find(({ containerId, name }) => containerId === podId || name === podId)
    if (!named?.containerId) throw notFound('container that runs', podId)
    return { name: named.name, containerId: named.containerId }
  }
  const serving = replicas.find(({ state }) => state === 'READY') ?? replicas.find(({ state }) => state === 'UNREADY')
  if (serving?.containerId) return { name: serving.name, containerId: serving.containerId }
  throw conflict(
    'NO_CONTAINER',
    running.length === 0
      ? `"${cliEnvName}" has no container that runs: deploy it, or wait for its operation`
      : `"${cliEnvName}" has no container that serves yet; name one of those that run: ${running.map(({ name }) => name).join(', ')}`,
  )
}

interface Counted {
  all: number
  ofAccount: number
  ofAppEnv: number
}

/** Throws CONFLICT when one more session would be too many. What its processes no longer hold is not counted. */
async function requireRoom({ tx, config }: CommandContext, { id, accountId }: LoadedAppEnv): Promise<void> {
  // One at a time: two calls must not both find the last place.
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtext('berth.remote_session'))::text`
  const [counted] = await tx.$queryRaw<Counted[]>`
    SELECT count(*)::int AS "all", count(*) FILTER (WHERE account_id = ${accountId})::int AS "ofAccount",
      count(*) FILTER (WHERE app_env_id = ${id})::int AS "ofAppEnv"
    FROM remote_session WHERE held_until > now()`
  const { all = 0, ofAccount = 0, ofAppEnv = 0 } = counted ?? {}
  const bounds = [
    ['The environment', ofAppEnv, config.BERTH_REMOTE_SESSIONS_PER_ENVIRONMENT, '_PER_ENVIRONMENT'],
    ['The account', ofAccount, config.BERTH_REMOTE_SESSIONS_PER_ACCOUNT, '_PER_ACCOUNT'],
    ['The installation', all, config.BERTH_REMOTE_SESSIONS, ''],
  ] as const
  for (const [who, has, most, suffix] of bounds)
    if (has >= most)
      throw new DomainError(
        'CONFLICT',
        'TOO_MANY_REMOTE_SESSIONS',
        `${who} has ${has} remote sessions, and may have ${most} (BERTH_REMOTE_SESSIONS${suffix}): end one first`,
      )
}
