import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

/** Imports and calls that open a connection, resolve a name for one, or judge an address. */
const CONNECTS =
  /^import (?!type )[^;]*?\b(request|get|connect|createConnection|lookup|Agent|Resolver|Socket)\b[^;]*?from 'node:(https?|net|tls|dns|dns\/promises)'|^import (?!type )\S.* from 'dockerode'|import\('nodemailer'\)|await fetch\(|private-addresses\.ts'|runGit\(/m

/** Modules that reach other machines, and who has named the address: a tenant’s is judged by HostRules, and nowhere else. */
const REACHES: Readonly<Record<string, string>> = {
  'src/network/addresses/ask-address.ts': 'the addresses that a caller has checked',
  'src/network/addresses/dns-records.ts': 'the operator: name servers, of which a tenant’s name is asked',
  'src/network/addresses/host-rules.ts': 'the rule itself',
  'src/network/addresses/private-addresses.ts': 'the ranges of the rule',
  'src/storage/backups/stores/s3-store.ts': 'a tenant: the addresses that HostRules has checked, in object-storage.ts',
  'src/builder/git/checkout.ts': 'a tenant: the addresses that HostRules has checked, in git-address.ts',
  'src/builder/git/git-program.ts': 'a tenant: the same',
  'src/network/git/github-app.ts': 'the operator: BERTH_GITHUB_API_URL',
  'src/builder/source-reader/reader-process.ts': 'a pipe of the process',
  'src/builder/source-reader/start-source-reader.ts': 'a pipe of the process',
  'src/engines/docker/connection.ts': 'the operator: the engine',
  'src/engines/docker/ssh-agent.ts': 'the operator: the engine',
  'src/ingress/connections/vanished-clients.ts': 'clients that connected',
  'src/ingress/http1/client-connection.ts': 'clients that connected',
  'src/ingress/tcp/port-listener.ts': 'clients that connected',
  'src/ingress/tcp/tcp-connection.ts': 'containers of the engine',
  'src/ingress/upstreams/upstream-connection.ts': 'containers of the engine',
  'src/network/send-mail.ts': 'the operator: BERTH_SMTP_URL',
  'src/platform/doctor/certificate.ts': 'the operator: BERTH_API_URL',
  'src/platform/doctor/names.ts': 'the operator: the domain',
  'src/platform/doctor/ports.ts': 'this machine: ports of the settings',
  'src/platform/doctor/processes.ts': 'this machine: ports of the settings',
  'src/platform/doctor/registry.ts': 'Docker Hub',
  'src/platform/process-registry/list-processes.ts': 'this machine: sockets of processes',
  'src/network/addresses/served-certificate.ts': 'the operator: the address of an environment’s own host',
  'src/network/registries/registry-check.ts': 'only the names of the places',
  'src/engines/runtime/readiness.ts': 'containers of the engine',
  'src/worker/remote-sessions/serve-tunnel.ts': 'containers of the engine',
  'src/services/git/github-proof.ts': 'the operator: BERTH_GITHUB_URL',
  'src/api/sign-in/page/call.js': 'a page, in the browser',
}

test('every module that reaches other machines says who named the address', () => {
  const connecting = sourceFiles()
    .filter(({ absolutePath }) => CONNECTS.test(readFileSync(absolutePath, 'utf8')))
    .map(({ path }) => path)
  expect(connecting).toEqual(Object.keys(REACHES).toSorted())
})

test('only the rule about addresses decides what is private', () => {
  const deciding = sourceFiles()
    .filter(({ absolutePath }) => /\b(insideOf|addressesOf|isOwnAddress)\b/.test(readFileSync(absolutePath, 'utf8')))
    .map(({ path }) => path)
  expect(deciding.filter((path) => !path.startsWith('src/network/addresses/'))).toEqual([
    'src/platform/doctor/names.ts',
  ])
})
