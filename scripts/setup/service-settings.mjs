import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'

const UNITS = '/etc/systemd/system'

/** Settings in a file of `NAME=value` lines; none where there is no file, or this user may not read it. */
export function settingsIn(file) {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes(error.code)) return {}
    throw error
  }
}

/** Those of the unit that `npm run service -- install` has written for this clone. */
export function serviceSettings(root) {
  if (!existsSync(UNITS)) return {}
  const units = readdirSync(UNITS).filter((name) => name.endsWith('.service'))
  const own = units.map((name) => textOf(join(UNITS, name))).find((text) => isOf(root, text))
  const file = own && /^EnvironmentFile=-?(.*)$/m.exec(own)?.[1]
  return file ? settingsIn(file.replaceAll('%%', '%')) : {}
}

const isOf = (root, text) => {
  const folder = /^WorkingDirectory=(.*)$/m.exec(text)?.[1]
  return (
    /scripts\/berth\.mjs/.test(text) && folder !== undefined && resolve(folder.replaceAll('%%', '%')) === resolve(root)
  )
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
