import type { SessionEnd } from '../../domain/remote-session.ts'
import type { Database, Transaction } from '../database/client.ts'
import type { RemoteSession } from '../database/generated/prisma/client.ts'
import type { AuditHeads } from '../events/audit-hash.ts'
import { record } from '../events/record.ts'

export interface SessionTools {
  database: Database
  vault: AuditHeads
}

/** What the audit entries of its begin and its end both say of a session. Never what passed through it. */
export function sessionDetails(session: Pick<RemoteSession, 'id' | 'container' | 'command' | 'port' | 'columns'>) {
  const { id: remoteSessionId, container, command, port, columns } = session
  const what = command === null ? { port } : { command, terminal: columns !== null }
  return { remoteSessionId, container, ...what }
}

/**
 * Records how a session ended, and removes it: the process that has its client and the worker that has its container may
 * both notice the end, and one of them records it. False: it was recorded before.
 */
export const endRemoteSession = ({ database, vault }: SessionTools, id: string, end: SessionEnd): Promise<boolean> =>
  database.$transaction((tx) => endIn(tx, vault, id, end))

async function endIn(tx: Transaction, heads: AuditHeads, id: string, end: SessionEnd): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ seconds: number }[]>`
    SELECT extract(epoch FROM now() - coalesce(started_at, created_at))::float8 AS seconds
    FROM remote_session WHERE id = ${id} FOR UPDATE`
  if (!row) return false
  const session = await tx.remoteSession.delete({ where: { id } })
  const { reason, message, exitCode } = end
  const entry = {
    action: session.command === null ? 'endTunnel' : 'endExec',
    actorType: session.userId ? ('USER' as const) : ('TOKEN' as const),
    actorId: session.userId ?? session.tokenId,
    tokenId: session.tokenId,
    targetType: 'appEnv',
    targetId: session.appEnvId,
    requestId: session.requestId,
    details: {
      ...sessionDetails(session),
      started: session.startedAt !== null,
      durationSeconds: Math.round(row.seconds * 10) / 10,
      reason,
      message,
      exitCode,
    },
  }
  await record(tx, session.accountId, [], { entry, heads })
  return true
}
