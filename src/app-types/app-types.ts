import type { AnyAppType, AppType } from './app-type.ts'
import { assertComplete } from './assert-complete.ts'
import { APP_TYPES } from './list.ts'

const known: AnyAppType[] = []
let isRead = false

/**
 * Adds a type to the list. Both APIs create inputs, schemas and documents from the list when they are imported, so a
 * type must be added before: throws once the list was read, and for an incomplete type.
 */
export function addAppType(type: AnyAppType): void {
  if (isRead) throw new Error(`The app type ${type.name} was added after the list of app types was read`)
  assertComplete(type, known)
  known.push(type)
}

for (const type of APP_TYPES) addAppType(type)

export function appTypes(): readonly AnyAppType[] {
  isRead = true
  return known
}

/** The types that this version runs. */
export const availableAppTypes = (): AppType[] => appTypes().filter((type) => type.isAvailable)

export function getAppType(name: string): AppType {
  const type = availableAppTypes().find((one) => one.name === name)
  if (!type) throw new Error(`No app type ${name}`)
  return type
}

/** The type of an app that names neither a type nor a preset. */
export function defaultAppType(): AnyAppType {
  const [first] = appTypes()
  if (!first) throw new Error('There are no app types')
  return first
}
