/**
 * An address of `/proc/net/tcp` or `/proc/net/tcp6`, as people write it. The kernel writes each group of four bytes as a
 * number, on the usual machines with its last byte first.
 */
export function addressInTcpTable(hex: string): string {
  const groups = hex.match(/.{8}/g) ?? []
  const bytes = groups.flatMap((group) => [...Buffer.from(group, 'hex')].reverse())
  if (bytes.length === 4) return bytes.join('.')
  const words = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  )
  const shortened = new URL(`http://[${words.join(':')}]`).hostname.slice(1, -1)
  return shortened.startsWith('::ffff:') ? bytes.slice(12).join('.') : shortened
}
