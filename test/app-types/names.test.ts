import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appTypes } from '../../src/app-types/app-types.ts'
import { typeConfigFields } from '../../src/app-types/type-config.ts'
import { presetNames } from '../../src/app-types/wire-names.ts'

const SOURCE = join(import.meta.dirname, '../../src')

/** Words that name a type and also something else, with the reason why they may appear outside of app-types/. */
const EXCEPTIONS: Record<string, { where: RegExp; reason: string }> = {
  JOB_READY: { where: /\bJOB_READY\b/, reason: 'a status of deployments in the contract (§2)' },
  'Whether Functions run': {
    where: /'Whether Functions run/,
    reason: 'describes a field of regions in the contract (§3)',
  },
  'A job run': { where: /'Job run (at|that)/, reason: 'describes a record of the contract (§4.4)' },
  "'app'": { where: /'[Aa]pp'/, reason: 'the noun: ids, audit entries and both APIs’ types name it' },
  Jobs: { where: /name: 'Jobs'/, reason: 'a group of calls' },
  'kind: APP': { where: /kind: 'APP'/, reason: 'the noun, among what a search finds' },
  "task: 'job'": { where: /task: 'job'/, reason: 'a word of those who look for a tool' },
  'dockerPreset of an example': { where: /dockerPreset: 'CUSTOM'/, reason: 'what an example of an answer shows' },
  "typeof … === 'function'": { where: /typeof [^=!]+ [!=]== 'function'/, reason: 'the language’s own word' },
}

const quoted = (name: string) => `['"\`]${name}['"\`]`

/** Types, presets and configurations by their names, and their titles in texts for users. */
const forbidden = (): RegExp => {
  const names = appTypes().flatMap(({ name, wireName, aliases, logType }) => [name, wireName, ...aliases, logType])
  const titles = appTypes().flatMap(({ title, wireName }) => (wireName === 'app' ? [] : [`['"\`].*\\b${title}s?\\b`]))
  const fields = typeConfigFields().map(({ field }) => `\\b${field}\\b`)
  return new RegExp([...[...names, ...presetNames()].map(quoted), ...titles, ...fields].join('|'))
}

const withoutComment = (line: string) => (/^\s*(\*|\/\*|\/\/)/.test(line) ? '' : line.replace(/ \/\/ .*$/, ''))

const withoutExceptions = (line: string) =>
  Object.values(EXCEPTIONS).reduce((rest, { where }) => rest.replaceAll(new RegExp(where, 'g'), ''), line)

test('no code outside of src/app-types names an app type, a preset or a type’s configuration', async () => {
  const names = forbidden()
  const found: string[] = []
  for await (const file of glob('**/*.ts', { cwd: SOURCE })) {
    // A solution says of each component what it is, as a client of the API does.
    if (/^(app-types|storage\/database\/generated|solutions\/catalogue)\//.test(file)) continue
    const lines = (await readFile(join(SOURCE, file), 'utf8')).split('\n')
    for (const [index, line] of lines.entries())
      if (names.test(withoutExceptions(withoutComment(line)))) found.push(`${file}:${index + 1}: ${line.trim()}`)
  }
  expect(found).toEqual([])
  console.info(
    `Names of app types outside of src/app-types: none, but for ${Object.entries(EXCEPTIONS)
      .map(([name, { reason }]) => `${name} (${reason})`)
      .join('; ')}`,
  )
})
