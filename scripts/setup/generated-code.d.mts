export function generateCode(root: string, node: string): Promise<void>
