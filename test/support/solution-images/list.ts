import { directus } from './directus/program.ts'
import { ghost } from './ghost/program.ts'
import { memcached } from './memcached/program.ts'
import { nginx } from './nginx/program.ts'
import { nodeRed } from './node-red/program.ts'
import { perfTest } from './perf-test/program.ts'
import type { ProgramImage } from './program-image.ts'
import { verdaccio } from './verdaccio/program.ts'
import { wordpress } from './wordpress/program.ts'

export const PROGRAM_IMAGES: readonly ProgramImage[] = [
  directus,
  ghost,
  memcached,
  nginx,
  nodeRed,
  perfTest,
  verdaccio,
  wordpress,
]
