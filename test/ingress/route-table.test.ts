import { expect, test } from 'vitest'
import { CurrentTable, hostNameOf, RouteTable } from '../../src/ingress/routes/route-table.ts'
import { HOST, routeTo } from './fixtures.ts'

test.each([
  [HOST, HOST],
  [`${HOST}:8080`, HOST],
  [`${HOST}.`, HOST],
  [`${HOST}.:443`, HOST],
  [HOST.toUpperCase(), HOST],
  ['my_app.example.com', 'my_app.example.com'],
  ['[::1]:8080', '[::1]'],
  ['', null],
  ['a b', null],
  ['a..b', null],
  ['user@host', null],
  ['host/path', null],
  ['host:80:80', null],
  ['<script>', null],
  ['bücher.example', null],
])('the Host header %j names %j', (header, name) => {
  expect(hostNameOf(header)).toBe(name)
})

test('a table finds routes by Host header and survives being written and read', () => {
  const table = new RouteTable([routeTo([{ name: 'a', address: '10.0.0.2', port: 3000 }])])
  const copy = new RouteTable(JSON.parse(JSON.stringify(table)))
  expect(copy.lookup(`${HOST.toUpperCase()}.:8080`)).toEqual(table.find(HOST))
  expect(copy.find(HOST)?.targets).toEqual([{ name: 'a', address: '10.0.0.2', port: 3000 }])
  expect(copy.lookup('other.berth.localhost')).toBeNull()
})

test('followers hear the table there is, and every next one until they leave', () => {
  const current = new CurrentTable()
  const received: RouteTable[] = []
  const [first, second, third] = [new RouteTable([]), new RouteTable([]), new RouteTable([])]
  current.replace(first)
  const leave = current.follow((table) => received.push(table))
  current.replace(second)
  leave()
  current.replace(third)
  expect(received).toEqual([first, second])
  expect(received[1]).toBe(second)
  expect(current.table).toBe(third)
})
