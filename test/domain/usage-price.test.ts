import { expect, test } from 'vitest'
import { monthOf } from '../../src/domain/month.ts'
import {
  forecastOf,
  lineOf,
  microsOf,
  money,
  priced,
  statementOf,
  totalsOf,
  type UsedParts,
} from '../../src/domain/usage-price.ts'

const FREE = {
  zCloudHourPrice: 0,
  jobZCloudHourPrice: 0,
  buildMinutePrice: 0,
  frozenGbMonthPrice: 0,
  volumeGbMonthPrice: 0,
  backupGbMonthPrice: 0,
}

/** A container of one zCloud, for so many milliseconds. */
const used = (milliseconds: number, fields: Partial<UsedParts> = {}): UsedParts => ({
  day: '2031-06-10',
  appId: 'app_1',
  appEnvId: 'env_1',
  envName: 'shop',
  kind: 'COMPUTE',
  parts: BigInt(milliseconds) * 1000n,
  ...fields,
})

test('quantities and amounts are exact', () => {
  const prices = [{ ...FREE, day: '2031-06-01', zCloudHourPrice: 12_500, volumeGbMonthPrice: 100_000 }]
  const month = 30 * 86_400_000
  const gigabyte = { kind: 'VOLUME' as const, parts: 1024n * BigInt(month) }
  expect(priced([used(3_600_000), used(1), used(0, gigabyte)], prices).map(lineOf)).toMatchObject([
    { unit: 'ZCLOUD_SECOND', quantity: '3600', amount: '0.0125' },
    { quantity: '0.001', amount: '0' },
    { unit: 'MB_SECOND', quantity: String(1024 * 30 * 86_400), amount: '0.1' },
  ])
})

test('a day costs what was asked on that day', () => {
  const prices = [
    { ...FREE, day: '2031-06-10', zCloudHourPrice: 1_000_000 },
    { ...FREE, day: '2031-06-12', zCloudHourPrice: 3_000_000 },
  ]
  const days = ['2031-06-09', '2031-06-10', '2031-06-11', '2031-06-12'].map((day) => used(3_600_000, { day }))
  expect(priced(days, prices).map(({ micros }) => micros)).toEqual([1_000_000n, 1_000_000n, 1_000_000n, 3_000_000n])
  expect(priced(days, []).map(({ micros }) => micros)).toEqual([0n, 0n, 0n, 0n])
})

test('the lines of a statement add up to its total, in whole cents', () => {
  const prices = [{ ...FREE, day: '2031-06-01', zCloudHourPrice: 1_004_000, jobZCloudHourPrice: 1_005_000 }]
  const all = priced(
    [used(3_600_000), used(3_600_000, { appEnvId: 'env_0' }), used(3_600_000, { kind: 'JOB_RUN' })],
    prices,
  )
  const { lines, total } = statementOf(all, 'EUR')
  expect(lines.map(({ appEnvId, kind, amount }) => [appEnvId, kind, amount])).toEqual([
    ['env_0', 'COMPUTE', '1.00'],
    ['env_1', 'COMPUTE', '1.00'],
    ['env_1', 'JOB_RUN', '1.01'],
  ])
  expect(total).toBe('3.01')
  expect(statementOf(all, 'JPY').total).toBe('3')
  expect(totalsOf(all).map(({ kind, quantity, amount }) => [kind, quantity, amount])).toEqual([
    ['COMPUTE', '7200', '2.008'],
    ['JOB_RUN', '3600', '1.005'],
  ])
})

test('amounts are written with the digits of their currency', () => {
  expect([money(1_005_000n, 'EUR'), money(0n, 'EUR'), money(1_500_000n, 'JPY')]).toEqual(['1.01', '0.00', '2'])
  expect([microsOf('250'), microsOf('250.5'), microsOf('0.01')]).toEqual([250_000_000n, 250_500_000n, 10_000n])
})

test('the rest of a month is expected to be like the time before', () => {
  const day = 86_400_000n
  expect(forecastOf({ micros: 10n, recentMicros: 7n, recentMs: 7n * day, restMs: 20n * day })).toBe(30n)
  expect(forecastOf({ micros: 10n, recentMicros: 0n, recentMs: 0n, restMs: day })).toBe(10n)
})

test('months are those of UTC', () => {
  const { name, from, to } = monthOf(new Date('2031-12-31T23:59:59.999Z'))
  expect([name, from.toISOString(), to.toISOString()]).toEqual([
    '2031-12',
    '2031-12-01T00:00:00.000Z',
    '2032-01-01T00:00:00.000Z',
  ])
})
