import { parseImageReference } from '../../domain/image-reference.ts'
import { REGISTRY_SILENCES, type RegistrySilence } from '../../domain/registry-silence.ts'
import { type AddressAnswer, askAddress } from '../addresses/ask-address.ts'
import type { HostRules } from '../addresses/host-rules.ts'
import {
  greeting,
  HUB,
  MAX_CHALLENGE_LENGTH,
  realmRefusedAt,
  realmsOf,
  refusedAt,
  silenceOf,
} from './registry-check.ts'

/** Where Docker Hub itself answers. */
const HUB_HOST = 'registry-1.docker.io'
/** For the whole of it: names, the registry and its token service. */
const TIMEOUT_MS = 10_000

export interface RegistryLogin {
  username: string
  password: string
}

/** What a registry says of a login. `why` completes "The registry …". */
export type LoginVerdict =
  | { kind: 'accepted' }
  | { kind: 'rejected' }
  /** By the rules about addresses. */
  | { kind: 'refused'; why: string }
  /** It gave no answer that says anything about the login. */
  | { kind: 'unknown'; why: string }

const unknown = (why: string): LoginVerdict => ({ kind: 'unknown', why })

const notReached = (silence: RegistrySilence): LoginVerdict =>
  unknown(`cannot be reached: ${REGISTRY_SILENCES[silence]}`)

/** Logs in at a registry, as an engine would before it pulls. The password goes to checked addresses only. */
export async function tryLogin(registry: string, login: RegistryLogin, rules: HostRules): Promise<LoginVerdict> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await inTime(ask(registry, login, rules, signal), signal)
  } catch (error) {
    return notReached(silenceOf(error))
  }
}

/** Resolving a name has no deadline of its own. */
const inTime = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  Promise.race([
    work,
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    }),
  ])

async function ask(
  registry: string,
  login: RegistryLogin,
  rules: HostRules,
  signal: AbortSignal,
): Promise<LoginVerdict> {
  if ('problem' in parseImageReference(`${registry}/any`)) return { kind: 'refused', why: 'is not named by its host' }
  const url = new URL(`https://${registry === HUB ? HUB_HOST : registry}/v2/`)
  const host = await rules.check(url)
  if (host.kind === 'refused') return { kind: 'refused', why: refusedAt(host.inside) }
  if (host.kind === 'unknown') return notReached('unresolved')
  const greeted = await greeting(url, host, signal)
  if (typeof greeted === 'string') return notReached(greeted)
  const { at, answer } = greeted
  // It accepts every caller, so it does not show whether it knows the login.
  if (isSuccess(answer)) return { kind: 'accepted' }
  const challenge = [answer.headers['www-authenticate'] ?? []].flat().join(', ')
  if (challenge.length > MAX_CHALLENGE_LENGTH) return unknown('asks for more than a login')
  const realm = realmsOf(challenge)[0] ?? null
  if (answer.status !== 401 || (realm === null && !/\bbasic\b/i.test(challenge)))
    return unknown(`answered ${answer.status} and asked for no login`)
  if (realm === null) return verdictOn(await withLogin(at, host.addresses, login, signal))
  return askTokenService(realm, { challenge, at, login, rules, signal })
}

interface Challenged {
  challenge: string
  at: URL
  login: RegistryLogin
  rules: HostRules
  signal: AbortSignal
}

/** A token for nothing in particular: who the login is, and not what it may pull. */
async function askTokenService(
  realm: string,
  { challenge, at, login, rules, signal }: Challenged,
): Promise<LoginVerdict> {
  const url = URL.canParse(realm, at) ? new URL(realm, at) : null
  if (!url || !['https:', 'http:'].includes(url.protocol)) return unknown('names an invalid address for its tokens')
  const host = await rules.check(url)
  if (host.kind === 'refused') return { kind: 'refused', why: realmRefusedAt(host.inside) }
  if (host.kind === 'unknown') return unknown('sends for its tokens to a host that cannot be found')
  if (url.protocol === 'http:' && !host.isListed) return unknown('sends for its tokens to an address without TLS')
  const service = /\bservice\s*=\s*"([^"]*)"/i.exec(challenge)?.[1]
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('account', login.username)
  return verdictOn(await withLogin(url, host.addresses, login, signal))
}

const withLogin = (url: URL, addresses: readonly string[], login: RegistryLogin, signal: AbortSignal) => {
  const text = Buffer.from(`${login.username}:${login.password}`).toString('base64')
  return askAddress(url, addresses, { headers: { accept: 'application/json', authorization: `Basic ${text}` }, signal })
}

const isSuccess = ({ status }: AddressAnswer) => status >= 200 && status < 300

function verdictOn(answer: AddressAnswer): LoginVerdict {
  if (isSuccess(answer)) return { kind: 'accepted' }
  if (answer.status === 401 || answer.status === 403) return { kind: 'rejected' }
  return unknown(answer.status === 429 ? 'limits how often it is asked' : `answered ${answer.status} to the login`)
}
