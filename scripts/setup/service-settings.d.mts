export function unitFile(name: string): string
export function settingsIn(file: string): NodeJS.Dict<string>
export function serviceSettings(root: string): NodeJS.Dict<string>
export function rootOfUnit(name: string): string | null
