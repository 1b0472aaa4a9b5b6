import { describe, expect, test } from 'vitest'
import type { Bounds, Engine, EngineSetting } from '../../src/app-types/engines/engine.ts'
import { engineProblems } from '../../src/app-types/engines/engine-problems.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'

const each = ENGINES.map((engine) => [engine.name, engine] as const)

/** The problems of one field, by its name. */
const problemsOf = (engine: Engine, field: string, value: unknown) => {
  const setting = /^databaseSettings\.(.+)$/.exec(field)?.[1]
  return engineProblems(engine, setting ? { databaseSettings: { [setting]: value } } : { [field]: value })
}

/** A step that still counts: 1 for whole numbers, little for others. */
const stepOf = (type: EngineSetting['type']) => (type === 'NUMBER' ? 0.001 : 1)

function expectRange(engine: Engine, field: string, { min, max }: Pick<Bounds, 'min' | 'max'>, step = 1, unit = '') {
  for (const value of [min, max, ...(max - min > step ? [min + step, max - step] : [])])
    expect(problemsOf(engine, field, value), `${field} = ${value}`).toEqual([])
  for (const value of [min - step, max + step]) {
    const [problem, ...others] = problemsOf(engine, field, value)
    expect(others).toEqual([])
    expect(problem?.field).toBe(field)
    // Both bounds, with the unit; one number where there is only one choice.
    const range = min === max ? `must be ${min}${unit}` : `from ${min} to ${max}${unit}`
    expect(problem?.message, `${field} = ${value}`).toMatch(new RegExp(`${range.replaceAll('.', '\\.')}$`))
  }
  for (const wrong of [
    null,
    '1',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    [min],
    {},
    true,
    ...(step === 1 ? [min + 0.5] : []),
  ])
    expect(problemsOf(engine, field, wrong), `${field} = ${String(wrong)}`).toHaveLength(1)
}

describe.each(each)('%s refuses with field and bound', (name, engine) => {
  test('a disk one below and one above its limits, and accepts it at them', () => {
    expectRange(engine, 'disk', engine.limits.diskMb, 1, ' MB')
  })

  test('containers one below and one above their limits, and accepts them at them', () => {
    expectRange(engine, 'containers', engine.limits.containers)
  })

  test.each(engine.settings.map((setting) => [setting.name, setting] as const))('the setting %s', (setting, rule) => {
    const field = `databaseSettings.${setting}`
    expect(problemsOf(engine, field, rule.default)).toEqual([])
    if (rule.type === 'INTEGER' || rule.type === 'NUMBER') return expectRange(engine, field, rule, stepOf(rule.type))
    const allowed = rule.type === 'ENUM' ? rule.options : [true, false]
    for (const value of allowed) expect(problemsOf(engine, field, value)).toEqual([])
    const message = rule.type === 'ENUM' ? `must be one of ${rule.options.join(', ')}` : 'must be true or false'
    for (const value of [null, 'other', 'TRUE', 1, [allowed[0]], {}])
      if (!allowed.some((one) => one === value)) expect(problemsOf(engine, field, value)).toEqual([{ field, message }])
  })

  test('a version that it does not have, with those that it has', () => {
    for (const { version } of engine.versions)
      expect(engineProblems(engine, { dockerPresetVersion: `${name}_${version}` })).toEqual([])
    const [other] = ENGINES.filter((one) => one !== engine)
    const foreign = `${other?.name}_${other?.defaultVersion}`
    const message = `must be one of ${engine.versions.map(({ version }) => `${name}_${version}`).join(', ')}`
    for (const value of [
      foreign,
      `${name}_0`,
      name,
      engine.defaultVersion,
      '',
      null,
      17,
      [`${name}_${engine.defaultVersion}`],
    ])
      expect(engineProblems(engine, { dockerPresetVersion: value })).toEqual([
        { field: 'dockerPresetVersion', message },
      ])
  })

  test('a setting that it does not have, with those that it has', () => {
    for (const field of ['databaseSettings.nonsense', 'databaseSettings.constructor', 'databaseSettings.toString']) {
      const [problem] = problemsOf(engine, field, 1)
      expect(problem?.field).toBe(field)
      expect(problem?.message).toBe(
        `is not a setting of ${engine.title}, which has ${engine.settings.map((setting) => setting.name).join(', ')}`,
      )
    }
    const hidden = JSON.parse('{"__proto__": 1}')
    expect(engineProblems(engine, { databaseSettings: hidden })).toMatchObject([
      { field: 'databaseSettings.__proto__' },
    ])
    for (const given of [null, [], 'max', 1])
      expect(engineProblems(engine, { databaseSettings: given })).toMatchObject([{ field: 'databaseSettings' }])
  })

  test('several fields at once, and nothing when nothing is given', () => {
    expect(engineProblems(engine, {})).toEqual([])
    expect(engineProblems(engine, { databaseSettings: {} })).toEqual([])
    const wrong = { dockerPresetVersion: 'X', containers: 0, disk: 0, databaseSettings: { nonsense: 1 } }
    expect(engineProblems(engine, wrong).map(({ field }) => field)).toEqual([
      'dockerPresetVersion',
      'containers',
      'disk',
      'databaseSettings.nonsense',
    ])
  })
})
