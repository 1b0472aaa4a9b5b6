import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { PackageFacts, SourceFacts } from '../app-types/presets/preset.ts'
import { BuildFailure } from '../domain/build-failure.ts'

const MAX_BYTES = 1024 * 1024

const texts = z.record(z.string(), z.string()).catch({})
const packageJson = z.object({
  main: z.string().nullable().catch(null),
  scripts: texts,
  dependencies: texts,
  devDependencies: texts,
})

/** What presets decide by. Reads three small files, and none of them through a link. */
export async function readFacts(directory: string): Promise<SourceFacts> {
  const entries = await readdir(directory, { withFileTypes: true })
  const files = new Set(entries.filter((entry) => !entry.isSymbolicLink()).map(({ name }) => name))
  const read = (name: string) => (files.has(name) ? readSmall(join(directory, name)) : null)
  const [packageText, procfile] = await Promise.all([read('package.json'), read('Procfile')])
  const webProcess = /^web:[ \t]*(\S.*)$/m.exec(procfile ?? '')?.[1]?.trim() ?? null
  return { files, packageJson: packageText === null ? null : packageFacts(packageText), webProcess }
}

async function readSmall(file: string): Promise<string | null> {
  const { size } = await stat(file)
  return size > MAX_BYTES ? null : readFile(file, 'utf8')
}

function packageFacts(text: string): PackageFacts {
  try {
    const { scripts, dependencies, devDependencies, main } = packageJson.parse({
      ...{ scripts: {}, dependencies: {}, devDependencies: {}, main: null },
      ...(JSON.parse(text) as object),
    })
    return { scripts, main, dependencies: new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]) }
  } catch {
    throw new BuildFailure('PRESET_NOT_APPLICABLE', 'package.json is not a valid JSON object')
  }
}
