import { connect } from 'node:net'
import type { Config } from '../../config/config.ts'
import { ingressHost, isLoopbackHost, isWildcardHost, urlHost } from '../../domain/listen-address.ts'
import { hasProxy } from '../../domain/reach.ts'
import { tryPort } from '../ports.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { type FoundProcesses, helpFor, namesOf } from './processes.ts'

const CONNECT_MS = 3_000

interface PortFacts {
  name: 'apiPort' | 'ingressPort'
  host: string
  port: number
  /** Whether a process of this installation listens on it. */
  isBerths: boolean
  /** Null when it was not tried: Berth does not run there, or listens on loopback. Else the code of what failed, or `open`. */
  connection: { address: string; outcome: string } | null
  isTakenByOther: boolean
  silent: FoundProcesses['silent']
  hasService: boolean
}

/** What a port of the API or the ingress says about being reached. */
export function portFinding(facts: PortFacts, config: Config, isServer: boolean): Finding {
  const { name, host, port, isBerths, connection, isTakenByOther, silent, hasService } = facts
  const setting = name === 'apiPort' ? 'PORT' : 'INGRESS_PORT'
  const at = `${urlHost(host)}:${port}`
  if (isTakenByOther && silent.length > 0)
    return warn(
      name,
      `${at} is taken, perhaps by ${namesOf(silent)}, which gives no answer`,
      helpFor(silent, hasService),
    )
  if (isTakenByOther) {
    // What has it may be another Berth, which must not be ended by mistake.
    const nextStep = `See which one it is (ss -ltnp 'sport = :${port}'), or set ${setting}`
    return { ...fail(name, `${at} is taken by another program`, nextStep), state: 'PORT_TAKEN' }
  }
  if (connection && connection.outcome !== 'open')
    return fail(
      name,
      `nothing answers at ${urlHost(connection.address)}:${port}, an address of this machine (${connection.outcome})`,
      'See whether a firewall of this machine drops it',
    )
  const found = isBerths ? `listens on ${at}` : `${at} is free`
  if (isLoopbackHost(host)) {
    const isHidden = name === 'ingressPort' && isServer && !hasProxy(config)
    const loopback = `${found}, which only this machine reaches`
    return isHidden
      ? warn(
          name,
          loopback,
          'To serve others, set BERTH_INGRESS_HOST or put a proxy in front; README.md, “On a server”',
        )
      : ok(name, loopback)
  }
  if (name === 'apiPort')
    return warn(
      name,
      `${found}: other machines send tokens and passwords to it without TLS`,
      'Set HOST=127.0.0.1 (and BERTH_INGRESS_HOST for apps), and put a TLS proxy in front',
    )
  return ok(name, connection ? `${found}, and answers at ${urlHost(connection.address)}:${port}` : found)
}

/** The ports of the roles that this installation plays. */
export function checkPorts(
  config: Config,
  {
    own,
    found: { living, silent },
    hasService,
    isServer,
  }: { own: readonly string[]; found: FoundProcesses; hasService: boolean; isServer: boolean },
): Promise<Finding>[] {
  const listening = living.flatMap(({ ports }) => ports)
  const wanted = [
    { role: 'api', name: 'apiPort', host: config.HOST, port: config.PORT },
    { role: 'ingress', name: 'ingressPort', host: ingressHost(config), port: config.INGRESS_PORT },
  ] as const
  return wanted
    .filter(({ role }) => config.BERTH_ROLES.includes(role))
    .map(async ({ name, host, port }) => {
      if (port === 0) return ok(name, 'chosen at the start (0)')
      const isBerths = listening.includes(port)
      const address = isWildcardHost(host) ? own[0] : host
      const isTried = isBerths && address !== undefined && !isLoopbackHost(host)
      const connection = isTried ? { address, outcome: await connectTo(address, port) } : null
      const isTakenByOther = !isBerths && (await tryPort(host, port))?.code === 'EADDRINUSE'
      return portFinding(
        { name, host, port, isBerths, connection, isTakenByOther, silent, hasService },
        config,
        isServer,
      )
    })
}

/** `open`, or the code of what failed. */
export function connectTo(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS })
    const end = (outcome: string) => {
      socket.destroy()
      resolve(outcome)
    }
    socket.once('connect', () => end('open'))
    socket.once('timeout', () => end('ETIMEDOUT'))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  })
}
