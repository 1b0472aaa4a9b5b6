export function readableLine(record: Record<string, unknown>, options?: { hasColours?: boolean }): string
export function isReadable(format: string | undefined, output?: { isTTY?: boolean }): boolean
export function hasColours(output?: { isTTY?: boolean }): boolean
