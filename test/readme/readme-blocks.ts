import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const README = join(import.meta.dirname, '../../README.md')

/** The blocks of the README in one language, in its order. */
export const readmeBlocks = (language: string): string[] =>
  [...readFileSync(README, 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    (block) => block[1] ?? '',
  )
