const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `512 B`, `3.8 MB`, `12 GB`: of 1,024, as the API counts. */
export function sizeText(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1_023.95 && unit < UNITS.length - 1) {
    size /= 1_024
    unit++
  }
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`
}
