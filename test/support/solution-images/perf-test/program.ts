import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgramImage } from '../program-image.ts'

const HOME = '/perf_test'

export const perfTest: ProgramImage = {
  name: 'perf-test',
  reference: 'pivotalrabbitmq/perf-test:2.21.0',
  about:
    'A program of ours on amqplib, with the variables and metrics of PerfTest that the solution uses. The official one is Java.',
  packages: ['libstdc++6'],
  npm: ['amqplib@0.10.9'],
  npmFolder: HOME,
  user: { name: 'perftest', id: 1000 },
  startsAsRoot: false,
  folders: [],
  volume: null,
  environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME },
  command: [],
  workingFolder: HOME,
  fill: (folder) => copyFile(join(import.meta.dirname, 'perf-test.mjs'), join(folder, HOME, 'perf-test.mjs')),
}
