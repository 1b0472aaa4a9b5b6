import { expect, test } from 'vitest'
import { isLoopback, readTcpTable } from '../../../src/engines/runtime/tcp-table.ts'

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const row = (local: string, state = '0A') => {
  const nobody = local.length > 13 ? '0'.repeat(32) : '0'.repeat(8)
  return `   0: ${local} ${nobody}:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 123 1 0 100 0 0 10 0\n`
}

test('sockets that listen are read, of either family, and connections are not', () => {
  const text = [
    HEAD,
    row('0100007F:0BB8'),
    row('00000000:1F90'),
    row('0100007F:0BB9', '01'),
    row('0100007F:0BB8'),
    HEAD.replace('rem_address', 'remote_address'),
    row('00000000000000000000000000000000:0050'),
    row('00000000000000000000000001000000:0051'),
    row('0000000000000000FFFF00000100007F:0052'),
    row('B80D0120000000000000000001000000:0053'),
  ].join('')
  expect(readTcpTable(text)).toEqual([
    { address: '127.0.0.1', port: 3000 },
    { address: '0.0.0.0', port: 8080 },
    { address: '::', port: 80 },
    { address: '::1', port: 81 },
    { address: '127.0.0.1', port: 82 },
    { address: '2001:db8::1', port: 83 },
  ])
})

test('the lines of a terminal, and whatever else a program printed, change nothing', () => {
  const text = `cat: /proc/net/tcp6: No such file or directory\r\n${HEAD}${row('0100007F:0BB8')}`.replaceAll(
    '\n',
    '\r\n',
  )
  expect(readTcpTable(text)).toEqual([{ address: '127.0.0.1', port: 3000 }])
  expect(readTcpTable('0: nonsense\n'.repeat(1000))).toEqual([])
})

test.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['172.17.0.2', false],
])('%s is only for the container itself: %s', (address, expected) => expect(isLoopback(address)).toBe(expected))
