export function programOf(root: string): string
export function compileCode(root: string, node: string): Promise<void>
