import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type GitServer = Awaited<ReturnType<typeof startGitServer>>

/** Files of a commit; a link is an object with its target. */
export type Files = Readonly<Record<string, string | { link: string }>>

/** Real repositories behind git's own HTTP backend, on the loopback. */
export async function startGitServer() {
  const root = await mkdtemp(join(tmpdir(), 'berth-git-'))
  const seen: { path: string; authorization: string | undefined }[] = []
  let answerFirst: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null
  const server = createServer((request, response) => {
    seen.push({ path: request.url ?? '', authorization: request.headers.authorization })
    if (!answerFirst?.(request, response)) serve(root, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    }).trim()

  return {
    url,
    seen,
    /** Sees every request before git does; true: it has answered. */
    intercept(handle: typeof answerFirst) {
      answerFirst = handle
    },
    /** Commits files to a repository, creating it if necessary; returns the commit. */
    commit(name: string, files: Files, branch = 'main'): string {
      const folder = join(root, `${name}.git`)
      mkdirSync(folder, { recursive: true })
      git(folder, 'init', '--quiet', '--bare', '-b', 'main')
      git(folder, 'config', 'http.receivepack', 'false')
      git(folder, 'config', 'uploadpack.allowReachableSHA1InWant', 'true')
      const work = join(root, `${name}.work`)
      mkdirSync(work, { recursive: true })
      git(work, 'init', '--quiet', '-b', branch)
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true })
        if (typeof content === 'string') writeFileSync(join(work, path), content)
        else execFileSync('ln', ['-sfn', '--', content.link, join(work, path)])
      }
      git(work, 'add', '-A')
      git(work, 'commit', '--quiet', '--allow-empty', '-m', 'A change')
      git(work, 'push', '--quiet', '--force', folder, `HEAD:refs/heads/${branch}`)
      return git(work, 'rev-parse', 'HEAD')
    },
    /** Commits a folder as it is to a new repository. */
    commitFolder(name: string, source: string): void {
      const folder = join(root, `${name}.git`)
      mkdirSync(folder, { recursive: true })
      git(folder, 'init', '--quiet', '--bare', '-b', 'main')
      git(folder, 'config', 'http.receivepack', 'false')
      git(folder, 'config', 'uploadpack.allowReachableSHA1InWant', 'true')
      const work = join(root, `${name}.work`)
      execFileSync('cp', ['-a', '--', source, work])
      git(work, 'init', '--quiet', '-b', 'main')
      git(work, 'add', '-A')
      git(work, 'commit', '--quiet', '-m', 'The repository')
      git(work, 'push', '--quiet', '--force', folder, 'HEAD:refs/heads/main')
    },
    /** An empty repository that anybody may push to over HTTP. */
    createRepository(name: string): void {
      const folder = join(root, `${name}.git`)
      mkdirSync(folder, { recursive: true })
      git(folder, 'init', '--quiet', '--bare', '-b', 'main')
      git(folder, 'config', 'http.receivepack', 'true')
      git(folder, 'config', 'uploadpack.allowReachableSHA1InWant', 'true')
    },
    repository: (name: string) => `${url}/${name}.git`,
    /** The bare repository, for tests that create malformed ones. */
    folder: (name: string) => join(root, `${name}.git`),
    git,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(root, { recursive: true, force: true })
    },
  }
}

function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const backend = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    },
  })
  request.pipe(backend.stdin).on('error', () => {})
  let head = Buffer.alloc(0)
  backend.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const fields = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ', 2))
    const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200'
    const headers = fields.filter(([name]) => name !== 'Status') as [string, string][]
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers))
    response.write(head.subarray(end + 4))
  })
  backend.on('close', () => response.end())
}
