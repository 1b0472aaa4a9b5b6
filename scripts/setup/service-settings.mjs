import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'

const UNITS = '/etc/systemd/system'

export const unitFile = (name) => join(UNITS, name)

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
  const own = readdirSync(UNITS).find((name) => name.endsWith('.service') && rootOfUnit(name) === resolve(root))
  const file = own && valueIn(textOf(own), 'EnvironmentFile')?.replace(/^-/, '')
  return file ? settingsIn(file) : {}
}

/** The folder whose Berth a unit starts; null where there is no such unit, or it starts something else. */
export function rootOfUnit(name) {
  const text = textOf(name)
  const folder = valueIn(text, 'WorkingDirectory')
  return folder && /scripts\/berth\.mjs/.test(text) ? resolve(folder) : null
}

const valueIn = (text, name) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]?.replaceAll('%%', '%')

function textOf(name) {
  try {
    return readFileSync(unitFile(name), 'utf8')
  } catch {
    return ''
  }
}
