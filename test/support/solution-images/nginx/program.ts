import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgramImage } from '../program-image.ts'

/** As a derived image has it: in front of a service that is called api. */
export const nginx: ProgramImage = {
  name: 'nginx',
  reference: 'nginx:1.22',
  about: 'nginx 1.22 of Debian. Cannot show the templates of the official image.',
  packages: ['nginx-light'],
  user: { name: 'nginx', id: 101 },
  startsAsRoot: true,
  folders: ['/var/log/nginx', '/var/lib/nginx'],
  volume: null,
  environment: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/bin' },
  command: ['nginx', '-c', '/etc/nginx/berth.conf'],
  workingFolder: '/',
  async fill(folder) {
    await mkdir(join(folder, 'etc/nginx'), { recursive: true })
    await copyFile(join(import.meta.dirname, 'default.conf'), join(folder, 'etc/nginx/berth.conf'))
  },
}
