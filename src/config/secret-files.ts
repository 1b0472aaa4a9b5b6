import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Settings that hold a secret. Their values belong on no screen and in no log, and may come from a file. The list is
 * apart because the supervisor, which runs on an older Node.js, withholds them from the ingress.
 */
export const SECRET: ReadonlySet<string> = new Set<string>(
  JSON.parse(readFileSync(join(import.meta.dirname, 'secret-settings.json'), 'utf8')),
)

/**
 * The environment with the content of every file that a `<setting>_FILE` names, as secrets are mounted in containers.
 * Orchestrators mount them readable by all (0444) in a file system that only the container sees, so reading is not
 * refused here as it is for the files of the data directory; a file that others may change is.
 */
export function withSecretFiles(environment: NodeJS.ProcessEnv): { values: NodeJS.ProcessEnv; problems: string[] } {
  const values = { ...environment }
  const problems: string[] = []
  for (const name of SECRET) {
    const file = environment[`${name}_FILE`]?.trim()
    if (!file) continue
    if (environment[name]?.trim()) problems.push(`  ${name}_FILE: must not be set together with ${name}`)
    else {
      const read = readMounted(file)
      if ('problem' in read) problems.push(`  ${name}_FILE: ${read.problem}`)
      else values[name] = read.text
    }
  }
  return { values, problems }
}

function readMounted(file: string): { text: string } | { problem: string } {
  try {
    const mode = statSync(file).mode & 0o777
    if (mode & 0o022)
      return { problem: `${file} can be written by other users (mode 0${mode.toString(8)}); run chmod go-w ${file}` }
    const text = readFileSync(file, 'utf8').trim()
    return text ? { text } : { problem: `${file} is empty` }
  } catch (error) {
    return { problem: `${file} cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}
