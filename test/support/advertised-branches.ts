import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
const COMMIT = 'a'.repeat(40)

/** A repository with one branch, as git's HTTP backend advertises it to clients of the first version of the protocol. */
const ADVERTISED = [
  line('# service=git-upload-pack\n'),
  '0000',
  line(`${COMMIT} HEAD\0symref=HEAD:refs/heads/main agent=git/2.39\n`),
  line(`${COMMIT} refs/heads/main\n`),
  '0000',
].join('')

let url: string | undefined

/** Of a world in which the repository may be reached; and a GitHub App, for which nothing is connected. */
export const REACHABLE_REPOSITORY = {
  BERTH_GIT_PRIVATE_HOSTS: 'true',
  BERTH_GITHUB_APP_ID: '1',
  BERTH_GITHUB_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
}

/** The address of such a repository. */
export async function advertisedRepository(): Promise<string> {
  if (url === undefined) {
    const server = createServer((_request, response) => response.end(ADVERTISED))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // It serves whatever else the process tests, and ends with it.
    server.unref()
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme/shop.git`
  }
  return url
}
