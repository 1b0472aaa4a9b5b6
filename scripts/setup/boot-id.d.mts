export function bootId(): string
