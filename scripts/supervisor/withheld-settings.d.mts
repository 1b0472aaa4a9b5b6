export function withheldFrom(roles: readonly string[]): Record<string, string>
