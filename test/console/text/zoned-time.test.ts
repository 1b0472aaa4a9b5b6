import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldOfMoment, momentOfField, zonedTime } from '../../../text/zoned-time.ts'

const moments = fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })

test('a time is said in the zone that is asked for', () => {
  expect(zonedTime('2026-11-30T01:00:00Z', 'Europe/Berlin')).toBe('Mon, Nov 30, 02:00 GMT+1')
  expect(zonedTime('2026-11-30T01:00:00Z', 'UTC')).toBe('Mon, Nov 30, 01:00 UTC')
})

test('a moment in a field comes back to the second, in UTC', () => {
  fc.assert(
    fc.property(moments, (moment) => {
      const second = Math.floor(moment.getTime() / 1_000) * 1_000
      expect(momentOfField(fieldOfMoment(moment, 'utc'), 'utc')?.getTime()).toBe(second)
    }),
  )
})

test('a moment in a field is the same one in the zone of the machine, but for the hour that clocks repeat', () => {
  fc.assert(
    fc.property(moments, (moment) => {
      const text = fieldOfMoment(moment, 'local')
      const back = momentOfField(text, 'local')
      expect(back && fieldOfMoment(back, 'local')).toBe(text)
    }),
  )
})

test('what names no moment is none', () => {
  expect(momentOfField('', 'local')).toBeNull()
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('utc' as const, 'local' as const), (text, zone) => {
      const moment = momentOfField(text, zone)
      expect(moment === null || Number.isFinite(moment.getTime())).toBe(true)
    }),
  )
})
