// node test/tested-engines/provoke-words.ts    prints, as JSON, what the engine at DOCKER_HOST answers where Berth depends on its words
//
// For record-words.ts, which runs it inside of an engine of its own: it takes all addresses for networks, and removes
// interfaces. ENGINE_FOLDER is where that keeps its files.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Docker, { type ContainerCreateOptions } from 'dockerode'
import { pack } from 'tar-stream'
import { messageOf, statusOf } from '../../src/engines/docker/engine-answers.ts'
import { jsonLines } from '../../src/engines/docker/images/json-lines.ts'
import { ensureProgramsImage } from '../support/programs-image.ts'

const docker = new Docker()
const image = await ensureProgramsImage(docker)
const answers: { done: string; status: number | null; message: string }[] = []

/** What an engine says in a stream that began with 200 has no status. */
function record(done: string, status: number | null, message: string): void {
  answers.push({ done, status, message: message.trim() })
}

/** Records the refusal of a call. */
async function refused(done: string, call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
    console.error(`Not refused: ${done}`)
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') console.error(`Not answered: ${done}`)
    else record(done, statusOf(error), messageOf(error))
  }
}

/** Records the refusal of a call that answers with a stream, as a status or in it. */
const refusedInStream = (done: string, call: () => Promise<NodeJS.ReadableStream>): Promise<void> =>
  refused(done, async () => {
    for await (const { error } of jsonLines<{ error?: string }>(await call())) {
      if (error !== undefined) throw new Error(error)
    }
  })

const created: string[] = []

async function container(options: Partial<ContainerCreateOptions> = {}) {
  const made = await docker.createContainer({ Image: image, Cmd: ['sleep', '600'], ...options })
  created.push(made.id)
  return made
}

async function running(options: Partial<ContainerCreateOptions> = {}) {
  const made = await container(options)
  await made.start()
  return made
}

const network = (Name: string, bridge: string) =>
  docker.createNetwork({ Name, CheckDuplicate: true, Options: { 'com.docker.network.bridge.name': bridge } })

async function provokeNetworks(): Promise<void> {
  const taken = await network('berth-words', 'berth-words')
  await refused('create a network whose name is taken', () => network('berth-words', 'berth-others'))
  await refused('create a network whose bridge is taken', () => network('berth-others', 'berth-words'))
  const [joining, other] = [await container({ HostConfig: { NetworkMode: 'berth-words' } }), await running()]
  execFileSync('ip', ['link', 'del', 'berth-words'])
  await refused('start a container on a network whose bridge was removed', () => joining.start())
  await refused('connect a container to a network whose bridge was removed', () =>
    taken.connect({ Container: other.id }),
  )
  await refusedInStream('build on a network whose bridge was removed', () =>
    docker.buildImage(sources({ Dockerfile: `FROM ${image}\nRUN ["node", "--version"]\n` }), {
      version: '1',
      networkmode: 'berth-words',
      nocache: true,
    }),
  )
  await remove(joining.id)
  await taken.remove()

  const gone = await network('berth-gone', 'berth-gone')
  const stopped = await container({ HostConfig: { NetworkMode: 'berth-gone' } })
  await stopped.start()
  await stopped.stop({ t: 0 })
  await gone.remove()
  await refused('start a container whose network was removed', () => stopped.start())

  const many: string[] = []
  await refused('create more networks than there are addresses', async () => {
    for (;;) many.push((await docker.createNetwork({ Name: `berth-many-${many.length}` })).id)
  })
  for (const id of many) await docker.getNetwork(id).remove()
}

async function provokeContainers(): Promise<void> {
  const nobody = docker.getContainer('0123456789ab')
  await refused('start a container that is gone', () => nobody.start())
  await refused('inspect a container that is gone', () => nobody.inspect())
  await refused('create a container of an image that is gone', () => container({ Image: 'berth-nosuch:1' }))
  await refused('create a container of an image id that is gone', () =>
    container({ Image: `sha256:${'0'.repeat(64)}` }),
  )
  await refused('start a command that does not exist', async () => (await container({ Cmd: ['/nosuch'] })).start())
  await refused('start a command that is no program', async () => (await container({ Cmd: ['/etc/passwd'] })).start())
  await refused('start a command as a user who does not exist', async () =>
    (await container({ User: 'nosuch' })).start(),
  )
  await refused('start a command as a group that does not exist', async () =>
    (await container({ User: 'root:nosuch' })).start(),
  )
  await refused('start a command with a limit above the host’s', async () => {
    const Ulimits = [{ Name: 'nofile', Soft: 2_000_000_000, Hard: 2_000_000_000 }]
    return (await container({ HostConfig: { Ulimits } })).start()
  })
  const known = await container()
  mkdirSync(join(process.env.ENGINE_FOLDER ?? '', 'exec/runtime-runc/moby', known.id), { recursive: true })
  await refused('start a container that the runtime has already', () => known.start())
  await provokeRemovals()
  const one = await running()
  await execute('run a command that does not exist', one, ['/nosuch'])
  await execute('run a command that is no program', one, ['/etc/passwd'])
}

/** Of several removals at once the engine carries out one. */
async function provokeRemovals(): Promise<void> {
  const found = new Set<string>()
  for (let round = 0; round < 100 && found.size < 2; round += 1) {
    const one = await running()
    const calls = [one.remove({ force: true }), one.remove({ force: true }), one.start(), one.start(), one.start()]
    const ended = await Promise.allSettled(calls)
    for (const [at, call] of ended.entries()) {
      const done = at < 2 ? 'remove a container that is being removed' : 'start a container that is being removed'
      const isWanted = call.status === 'rejected' && statusOf(call.reason) === 409 && !found.has(done)
      if (!isWanted) continue
      found.add(done)
      record(done, 409, messageOf(call.reason))
    }
  }
}

/** What keeps a command from running is its output, or the refusal. */
async function execute(done: string, one: Docker.Container, Cmd: string[]): Promise<void> {
  const exec = await one.exec({ Cmd, AttachStdout: true, AttachStderr: true, Tty: true })
  try {
    const output = await buffer(await exec.start({ hijack: true, stdin: false, Tty: true }))
    record(`${done} (exit code ${(await exec.inspect()).ExitCode})`, null, output.toString())
  } catch (error) {
    record(done, statusOf(error), messageOf(error))
  }
}

async function provokeDisks(): Promise<void> {
  const options = (more: string) => ({ type: 'tmpfs', device: 'tmpfs', o: `size=64k${more}` })
  await docker.createVolume({ Name: 'berth-words', DriverOpts: options('') })
  const one = await running({ HostConfig: { Mounts: [{ Type: 'volume', Source: 'berth-words', Target: '/small' }] } })
  await refused('write more than a disk has room for', () =>
    one.putArchive(sources({ large: 'x'.repeat(1_000_000) }), { path: '/small' }),
  )
  await remove(one.id)
  await docker.getVolume('berth-words').remove()
}

function sources(files: Record<string, string>): Readable {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content)
  archive.finalize()
  return Readable.from(archive)
}

const JSON_TYPE = { 'content-type': 'application/json' }
const error = (code: string, message: string) => JSON.stringify({ errors: [{ code, message }] })
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json'
const LIST = 'application/vnd.docker.distribution.manifest.list.v2+json'
const DIGEST = `sha256:${'a'.repeat(64)}`

interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** What a registry answers to every request for an image, as registries do. */
const REGISTRIES: Record<string, Answer> = {
  'does not know the tag': { status: 404, headers: JSON_TYPE, body: error('MANIFEST_UNKNOWN', 'manifest unknown') },
  'does not know the name': {
    status: 404,
    headers: JSON_TYPE,
    body: error('NAME_UNKNOWN', 'repository name not known to registry'),
  },
  'wants a login': {
    status: 401,
    headers: { ...JSON_TYPE, 'www-authenticate': 'Basic realm="words"' },
    body: error('UNAUTHORIZED', 'authentication required'),
  },
  denies: { status: 403, headers: JSON_TYPE, body: error('DENIED', 'requested access to the resource is denied') },
  'limits requests': {
    status: 429,
    headers: { ...JSON_TYPE, 'retry-after': '60' },
    body: error('TOOMANYREQUESTS', 'You have reached your pull rate limit'),
  },
  'has an error': { status: 500, body: 'oops' },
  'is behind a proxy that does not reach it': { status: 502, body: '<h1>Bad gateway</h1>' },
  'is out of service': { status: 503, body: 'maintenance' },
  'is behind a proxy that waits in vain': { status: 504, body: 'timeout' },
  'answers with a page': { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>hello</p>' },
  'has an image for other machines': {
    status: 200,
    headers: { 'content-type': LIST },
    body: JSON.stringify({
      schemaVersion: 2,
      mediaType: LIST,
      manifests: [
        { mediaType: MANIFEST, digest: DIGEST, size: 10, platform: { architecture: 's390x', os: 'linux' } },
        { mediaType: MANIFEST, digest: DIGEST, size: 10, platform: { architecture: 'mips', os: 'linux' } },
      ],
    }),
  },
  'has something that is no image': {
    status: 200,
    headers: { 'content-type': 'application/vnd.example+json' },
    body: JSON.stringify({ schemaVersion: 2, mediaType: 'application/vnd.example+json' }),
  },
  'has an image of the first schema': {
    status: 200,
    headers: { 'content-type': 'application/vnd.docker.distribution.manifest.v1+prettyjws' },
    body: JSON.stringify({ schemaVersion: 1, name: 'team/app', tag: '1', fsLayers: [], history: [], signatures: [] }),
  },
}

/** All at once, because engines try a push again and again. */
async function provokeRegistries(): Promise<void> {
  const answering = Object.entries(REGISTRIES).map(async ([what, { status, headers = {}, body = '' }]) => {
    await using registry = await serve(({ url }, response) => {
      // Only /v2/ itself answers as a registry that lets everybody in.
      const isPing = url === '/v2/' && status !== 401
      response.writeHead(isPing ? 200 : status, isPing ? JSON_TYPE : headers).end(isPing ? '{}' : body)
    })
    const address = `127.0.0.1:${registry.port}`
    await pull(`that ${what}`, address)
    if (status === 401) await pull(`that ${what}, with a wrong one`, address, { username: 'u', password: 'p' })
    if (status >= 400) await push(`that ${what}`, address)
  })
  const both = async (what: string, registry: string) => {
    await pull(what, registry)
    await push(what, registry)
  }
  const far = async (what: string, start: () => Promise<{ port: number } & AsyncDisposable>) => {
    await using registry = await start()
    await both(what, `${ownAddress()}:${registry.port}`)
  }
  await Promise.all([
    ...answering,
    far('without TLS', () => serve((_request, response) => response.end('{}'))),
    far('with a certificate of its own', () => serve((_request, response) => response.end('{}'), certificate())),
    far('that hangs up', () => serveBytes((socket) => socket.once('data', () => socket.destroy()))),
    far('that resets connections', () => serveBytes((socket) => socket.once('data', () => socket.resetAndDestroy()))),
    far('that takes connections and says nothing', () => serveBytes(() => {})),
    pull('by a name that is none', 'docker.io/UPPER'),
    both('that refuses connections', '127.0.0.1:1'),
    both('whose name does not resolve', 'nosuch.invalid'),
    both('without a way to its network', '255.255.255.255:5000'),
    both('without a way to its machine', `${ownAddress().replace(/\d+$/, '77')}:5000`),
    silent(),
  ])
}

async function silent(): Promise<void> {
  await using registry = await serve(() => {})
  await pull('that does not answer', `127.0.0.1:${registry.port}`)
}

/** An engine with containerd's store waits for a silent registry without end. */
const PATIENCE_MS = 120_000

const pull = (what: string, registry: string, login?: { username: string; password: string }) =>
  refusedInStream(`pull from a registry ${what}`, () =>
    docker.createImage({
      fromImage: `${registry}/team/app`,
      tag: '1',
      ...(login && { authconfig: { ...login, serveraddress: registry } }),
      abortSignal: AbortSignal.timeout(PATIENCE_MS),
    }),
  )

async function push(what: string, registry: string): Promise<void> {
  const repo = `${registry}/team/app`
  await docker.getImage(image).tag({ repo, tag: '1' })
  const authconfig = { username: 'u', password: 'p', serveraddress: registry }
  await refusedInStream(`push to a registry ${what}`, () => docker.getImage(repo).push({ tag: '1', authconfig }))
  await docker.getImage(`${repo}:1`).remove()
}

async function serve(answer: RequestListener, keys?: { key: string; cert: string }) {
  const server = keys ? createHttpsServer(keys, answer) : createHttpServer(answer)
  const port = await listen(server)
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function serveBytes(answer: (socket: Socket) => void) {
  const server = createTcpServer(answer)
  return { port: await listen(server), [Symbol.asyncDispose]: async () => void server.close() }
}

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return (server.address() as AddressInfo).port
}

/** Engines trust registries at loopback addresses without TLS. */
const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? ''

function certificate(): { key: string; cert: string } {
  const [key, cert] = [join(tmpdir(), 'words.key'), join(tmpdir(), 'words.crt')]
  const subject = ['-subj', '/CN=words', '-addext', `subjectAltName=IP:${ownAddress()}`]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

const remove = (id: string) => docker.getContainer(id).remove({ force: true, v: true })

await provokeContainers()
await provokeNetworks()
await provokeDisks()
await provokeRegistries()
await Promise.allSettled(created.map(remove))
const [{ Version }, { Driver, DriverStatus }] = await Promise.all([docker.version(), docker.info()])
const isContainerd = JSON.stringify(DriverStatus ?? []).includes('io.containerd.snapshotter')
const [engine, store] = [Version.replace(/\+.*/, ''), isContainerd ? 'containerd' : Driver]
console.log(JSON.stringify(answers.map((answer) => ({ engine, store, ...answer }))))
