import { DomainError } from '../../domain/errors.ts'
import { Failure } from '../../domain/failure.ts'
import type { SessionEnd } from '../../domain/remote-session.ts'
import { RuntimeError } from '../../engines/runtime/container-runtime.ts'
import {
  type ClaimedSession,
  claimSession,
  findLostSessions,
  renewSessions,
} from '../../storage/remote-sessions/claim-session.ts'
import { endRemoteSession } from '../../storage/remote-sessions/end-remote-session.ts'
import { hashOfSecret, newSecret } from '../../storage/secrets/token-secret.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { isOnEngine } from '../scope/engine-scope.ts'
import { sleep } from '../time/sleep.ts'
import { serveExec } from './serve-exec.ts'
import { serveTunnel } from './serve-tunnel.ts'
import { connectToClient, type SessionLink } from './session-link.ts'

const POLL_MS = 2_000
const RENEWAL_MS = 5_000
const FAILURE_PAUSE_MS = 1_000
/** How long a stop waits for its commands to be killed. */
const STOP_MS = 5_000

const STOPPING: SessionEnd = {
  reason: 'STOPPING',
  message: 'Berth restarts: open another session',
  exitCode: null,
}

const API_LOST: SessionEnd = {
  reason: 'API_LOST',
  message: 'The API process that had the client ended; the command was killed',
  exitCode: null,
}

/**
 * Serves the remote sessions on one engine: an API process has the client, this has the container, and connects to that
 * process. Sessions take no slots: their number is bounded where they are made.
 */
export class RemoteSessionWorker {
  readonly #context: WorkerContext
  readonly #workerId: string
  readonly #served = new Map<string, AbortController>()
  readonly #ending = new Set<Promise<void>>()
  #wake = Promise.withResolvers<void>()

  constructor(context: WorkerContext, workerId: string) {
    this.#context = context
    this.#workerId = workerId
  }

  /** A client waits. */
  notify(): void {
    this.#wake.resolve()
  }

  async run(signal: AbortSignal): Promise<void> {
    const renewal = setInterval(() => void this.#renew(), RENEWAL_MS).unref()
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers()
      await this.#claimAll(signal).catch(async (error: unknown) => {
        this.#context.log.debug({ err: error }, 'Claiming remote sessions failed; it is retried')
        await sleep(FAILURE_PAUSE_MS, signal)
      })
      await sleep(POLL_MS, signal, this.#wake.promise)
    }
    clearInterval(renewal)
    for (const served of this.#served.values()) served.abort(new SessionStopped(STOPPING))
    await Promise.race([Promise.all(this.#ending), sleep(STOP_MS, new AbortController().signal)])
  }

  /** Kills what sessions have left running whose processes are gone, and records their ends. */
  async sweepLost(signal: AbortSignal): Promise<void> {
    const { database, runtime, vault, scope, config, log } = this.#context
    for (const lost of await findLostSessions(database, (region) => isOnEngine(region, scope))) {
      if (!lost.wasRedeemed) {
        await database.remoteSession.deleteMany({ where: { id: lost.id } })
        continue
      }
      const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
      if (lost.wasClaimed && !lost.isTunnel)
        await runtime.killExec(lost.containerId, lost.id, bounds).catch((error: unknown) => {
          // Gone with its container.
          if ((error as { code?: string }).code !== 'NOT_FOUND') throw error
        })
      const end: SessionEnd = {
        reason: lost.wasClaimed ? 'WORKER_LOST' : 'NO_WORKER',
        message: lost.wasClaimed
          ? 'The processes that carried the session are gone; what was left of its command was killed'
          : 'No worker took the session',
        exitCode: null,
      }
      await endRemoteSession({ database, vault }, lost.id, end)
      log.info({ remoteSessionId: lost.id }, 'Ended a remote session that was left behind')
    }
  }

  async #claimAll(signal: AbortSignal): Promise<void> {
    const { database, scope } = this.#context
    while (!signal.aborted) {
      const key = newSecret('TICKET')
      const session = await claimSession(database, {
        workerId: this.#workerId,
        keyHash: hashOfSecret(key),
        isOurs: (region) => isOnEngine(region, scope),
      })
      if (!session) return
      const serving = this.#serve(session, key).finally(() => this.#ending.delete(serving))
      this.#ending.add(serving)
    }
  }

  async #serve(session: ClaimedSession, key: string): Promise<void> {
    const { config, database, vault, log } = this.#context
    const own = new AbortController()
    this.#served.set(session.id, own)
    try {
      const link = await connectToClient(session, key, config.BERTH_HEARTBEAT_SECONDS * 1000)
      const end = await this.#endOf(session, link, AbortSignal.any([own.signal, link.gone]))
      if (link.isLost()) await endRemoteSession({ database, vault }, session.id, API_LOST)
      // Otherwise the API process records it.
      else await link.end(end)
    } catch (error) {
      // Its leases expire, and the sweep ends it.
      log.debug({ err: error, remoteSessionId: session.id }, 'A remote session broke off')
    } finally {
      this.#served.delete(session.id)
    }
  }

  async #endOf(session: ClaimedSession, link: SessionLink, signal: AbortSignal): Promise<SessionEnd> {
    const served = { session, link, signal }
    try {
      return await (session.command === null ? serveTunnel(this.#context, served) : serveExec(this.#context, served))
    } catch (error) {
      if (error instanceof SessionStopped) return error.end
      if (error instanceof RuntimeError && error.reason === 'NOT_RUNNING')
        return {
          reason: 'CONTAINER_STOPPED',
          message: `The container ${session.container} does not run`,
          exitCode: null,
        }
      if (error instanceof DomainError || error instanceof Failure)
        return { reason: 'REFUSED', message: error.message, exitCode: null }
      if (!signal.aborted)
        this.#context.log.warn({ err: error, remoteSessionId: session.id }, 'A remote session failed')
      return { reason: 'REFUSED', message: 'The container engine failed; try again', exitCode: null }
    }
  }

  async #renew(): Promise<void> {
    const ids = [...this.#served.keys()]
    if (ids.length === 0) return
    try {
      const own = new Set(await renewSessions(this.#context.database, this.#workerId, ids))
      for (const id of ids) if (!own.has(id)) this.#served.get(id)?.abort(new Error('The session has ended'))
    } catch (error) {
      this.#context.log.debug({ err: error }, 'Renewing remote sessions failed; it is retried')
    }
  }
}

/** Why the worker itself ends a session. */
class SessionStopped extends Error {
  readonly end: SessionEnd

  constructor(end: SessionEnd) {
    super(end.message)
    this.end = end
  }
}
