import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { REGISTRY_SILENCES, type RegistrySilence } from '../../../src/domain/registry-silence.ts'
import {
  ENGINE_WORDS,
  type EngineWord,
  EXEC_REFUSAL,
  INIT_REFUSAL,
  registryAnswerIn,
  registrySilenceIn,
  says,
} from '../../../src/engines/docker/engine-words.ts'

interface RecordedAnswer {
  engine: string
  store: string
  done: string
  status: number | null
  message: string
}

/** Recorded by test/tested-engines/record-words.ts. */
const RECORDED: readonly RecordedAnswer[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'recorded-words.json'), 'utf8'),
)

/** What is read from the answer to each deed; null where its status says enough. */
const MEANINGS: Record<string, EngineWord | null> = {
  'create a network whose name is taken': null,
  'create a network whose bridge is taken': 'bridgeTaken',
  'create more networks than there are addresses': 'addressesUsedUp',
  'start a container on a network whose bridge was removed': 'bridgeGone',
  'connect a container to a network whose bridge was removed': 'bridgeGone',
  'build on a network whose bridge was removed': 'endpointFailed',
  'start a container whose network was removed': 'networkGone',
  'start a container that is gone': null,
  'inspect a container that is gone': null,
  'start a container that is being removed': null,
  'remove a container that is being removed': null,
  'start a container that the runtime has already': 'startedBefore',
  'create a container of an image that is gone': 'imageGone',
  'create a container of an image id that is gone': 'imageGone',
  'start a command that does not exist': 'cannotRun',
  'start a command that is no program': 'cannotRun',
  'start a command as a user who does not exist': 'userUnknown',
  'start a command as a group that does not exist': 'userUnknown',
  'start a command with a limit above the host’s': 'limitRefused',
  'write more than a disk has room for': 'diskFull',
}

/** Whatever is pulled from a registry, or pushed to it. */
const REGISTRIES: Record<string, EngineWord> = {
  'that does not know the tag': 'unknown',
  'that does not know the name': 'unknown',
  'that wants a login': 'denied',
  'that wants a login, with a wrong one': 'denied',
  'that denies': 'denied',
  'that limits requests': 'limited',
  'that has an error': 'failing',
  'that is behind a proxy that does not reach it': 'failing',
  'that is out of service': 'failing',
  'that is behind a proxy that waits in vain': 'failing',
  'that answers with a page': 'senseless',
  'that has an image for other machines': 'invalid',
  'that has something that is no image': 'invalid',
  'by a name that is none': 'invalid',
  'without TLS': 'plainHttp',
  'with a certificate of its own': 'untrusted',
  'that hangs up': 'mute',
  'that resets connections': 'refusing',
  'that takes connections and says nothing': 'slow',
  'that does not answer': 'slow',
  'that refuses connections': 'refusing',
  'whose name does not resolve': 'unresolved',
  'without a way to its network': 'unroutable',
  'without a way to its machine': 'unroutable',
}

/** What no engine of a test says on demand. */
const HEARD: readonly [where: string, word: EngineWord, message: string][] = [
  ['killed while it started a container', 'startedBefore', 'AlreadyExists: task 9f3c already exists: unknown'],
  ['20.10, of an image', 'workingDirTaken', 'Cannot mkdir: /etc/passwd is not a directory'],
  ['the init process', 'programMissing', '[FATAL tini (7)] exec /nosuch failed: No such file or directory'],
  ['the init process', 'programDenied', '[FATAL tini (8)] exec /etc failed: Permission denied'],
  ['the runtime', 'otherMachine', 'exec /for-arm64: exec format error'],
  [
    'the runtime',
    'programMissing',
    'unable to start container process: exec: "ls": executable file not found in $PATH',
  ],
  ['a shell', 'otherMachine', '/for-arm64: 1: \u007fELF\u0002\u0001\u0001: not found'],
  ['its disk failed', 'diskFailed', 'write /var/lib/docker/tmp/GetImageBlob1: input/output error'],
  ['its disk failed', 'diskFailed', 'mkdir /var/lib/docker/tmp: read-only file system'],
  [
    'a builder',
    'builderAway',
    'listing workers for Build: failed to list workers: Unavailable: connection error: desc = "transport: Error while dialing: dial unix /home/user/.local/buildkitd.sock: connect: no such file or directory"',
  ],
  [
    'a builder',
    'builderAway',
    'failed to receive status: rpc error: code = Unavailable desc = error reading from server: connection reset by peer',
  ],
  ['a builder', 'builderFull', 'error: failed to solve: ResourceExhausted: failed to copy: no space left on device'],
  ['Docker Hub', 'denied', 'Error response from daemon: unauthorized: incorrect username or password'],
  [
    'Docker Hub',
    'denied',
    "pull access denied for nope, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
  ],
  ['Docker Hub', 'limited', 'toomanyrequests: You have reached your pull rate limit'],
  ['Docker Hub', 'unknown', 'manifest for nginx:nope not found: manifest unknown: manifest unknown'],
  ['a proxy', 'slow', 'Get "https://registry-1.docker.io/v2/": dial tcp 52.1.2.3:443: i/o timeout'],
  ['a slow registry', 'slow', 'Get "http://127.0.0.1:38267/v2/": context deadline exceeded'],
  [
    'a proxy',
    'senseless',
    "error parsing HTTP 403 response body: invalid character '<' looking for beginning of value",
  ],
  [
    'quay.io',
    'invalid',
    'Docker Image Format v1 and Docker Image manifest version 2, schema 1 support is disabled by default',
  ],
  ['a mirror', 'invalid', 'manifest verification failed for digest sha256:00'],
  ['GitLab', 'invalid', 'mediaType in manifest should be application/vnd.docker.distribution.manifest.v2+json'],
]

const registryOf = (done: string) => /^(?:pull from|push to) a registry (.*)$/.exec(done)?.[1]
const isExec = (done: string) => done.startsWith('run a command')

describe.each([...new Set(RECORDED.map(({ engine, store }) => `${engine} ${store}`))])('on %s', (name) => {
  const recorded = RECORDED.filter(({ engine, store }) => `${engine} ${store}` === name)

  test('each deed was answered', () => {
    const done = new Set(recorded.map((answer) => answer.done))
    expect(Object.keys(MEANINGS).filter((deed) => !done.has(deed))).toEqual([])
    expect(recorded.filter(({ done }) => isExec(done))).toHaveLength(2)
  })

  test.each(recorded.filter(({ done }) => !registryOf(done) && !isExec(done)))('$done: $message', (answer) => {
    const meaning = MEANINGS[answer.done]
    expect(meaning).not.toBeUndefined()
    if (meaning) expect(says(answer.message, meaning)).toBe(true)
  })

  test.each(recorded.filter(({ done }) => isExec(done)))('$done', ({ message }) => {
    expect(message.startsWith(EXEC_REFUSAL)).toBe(true)
  })

  test.each(recorded.filter(({ done }) => registryOf(done)))('$done: $message', ({ done, message }) => {
    const what = registryOf(done) ?? ''
    // A signed one, as a registry really has it, is not made on demand; newer engines say so before they read it.
    if (what === 'that has an image of the first schema') return expect(registrySilenceIn(message)).toBeNull()
    const meaning = REGISTRIES[what]
    expect(meaningOf(message)).toBe(meaning)
  })
})

/** As pulls and pushes read it: an answer before silence. */
const meaningOf = (message: string) => registryAnswerIn(message) ?? registrySilenceIn(message)

test.each(HEARD)('%s, %s: %s', (_where, word, message) => {
  expect(says(message, word)).toBe(true)
})

test('no pattern waits for words that no engine has said', () => {
  const messages = [...RECORDED.map(({ message }) => message), ...HEARD.map(([, , message]) => message)]
  const patterns: [string, RegExp][] = Object.entries(ENGINE_WORDS).flatMap(([word, ways]) =>
    ways.map((way): [string, RegExp] => [word, way]),
  )
  expect(patterns.filter(([, way]) => !messages.some((message) => way.test(message)))).toEqual([])
})

test('the init process is known by how it begins, and by nothing that a program says', () => {
  expect(INIT_REFUSAL.test('[FATAL tini (7)] exec /nosuch failed: No such file or directory')).toBe(true)
  expect(INIT_REFUSAL.test('note: [FATAL tini (7)] exec')).toBe(false)
})

test('every silence of an engine has words for users', () => {
  const silences = Object.values(REGISTRIES).filter((word): word is RegistrySilence => word in REGISTRY_SILENCES)
  expect([...new Set(silences)].sort()).toEqual(Object.keys(REGISTRY_SILENCES).sort())
})

test('a name with a number that looks like a status decides nothing', () => {
  const message = 'failed to resolve reference "r.example:429/503/401:500": unexpected end of JSON input'
  expect(meaningOf(message)).toBeNull()
  expect(meaningOf('open /var/lib/docker/tmp/GetImageBlob1: permission denied')).toBeNull()
})
