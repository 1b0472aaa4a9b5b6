import type { AppType } from './app-type.ts'
import { assertComplete } from './assert-complete.ts'
import { APP_TYPES } from './list.ts'

const known: AppType[] = []
let isRead = false

/**
 * Adds a type to the list. Both APIs create inputs, schemas and documents from the list when they are imported, so a
 * type must be added before: throws once the list was read, and for an incomplete type.
 */
export function addAppType(type: AppType): void {
  if (isRead) throw new Error(`The app type ${type.name} was added after the list of app types was read`)
  assertComplete(type, known)
  known.push(type)
}

for (const type of APP_TYPES) addAppType(type)

export function appTypes(): readonly AppType[] {
  isRead = true
  return known
}

export function getAppType(name: string): AppType {
  const type = appTypes().find((one) => one.name === name)
  if (!type) throw new Error(`No app type ${name}`)
  return type
}

/** The type of an app that names neither a type nor a preset. */
export function defaultAppType(): AppType {
  const [first] = appTypes()
  if (!first) throw new Error('There are no app types')
  return first
}
