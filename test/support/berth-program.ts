import { join } from 'node:path'
import { programOf } from '../../scripts/setup/compiled-code.mjs'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Flags for a Berth that a test starts and soon ends or kills. Prisma's query compiler is WebAssembly, which Node.js
 * optimises in the background as soon as it is used: a fifth of a start's processor time, that pays off after minutes.
 * And while its modules are loaded, a small young generation is collected dozens of times.
 */
const SHORT_LIVED = ['--wasm-tiering-budget=300000000', '--min-semi-space-size=16']

/** Arguments of Node.js for a process of Berth: what `npm start` runs, or the source if that has changed since. */
export const BERTH_PROGRAM: readonly string[] = [...SHORT_LIVED, programOf(ROOT)]

/** The same from the source, as images run it. */
export const BERTH_SOURCE: readonly string[] = [...SHORT_LIVED, join(ROOT, 'src/main.ts')]
