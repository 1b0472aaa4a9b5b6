import { describe, expect, test } from 'vitest'
import { newKey } from '../../../src/storage/secrets/keys.ts'
import { createVault } from '../../../src/storage/secrets/vault.ts'

const account = (vault = createVault(newKey())) => {
  const record = { id: 'acc_1', dataKey: vault.wrapNewKey('acc_1') }
  return { vault, record, secrets: vault.forAccount(record) }
}

const given = { name: 'PASSWORD', value: 'correct horse', type: 'DEPLOY', isSecret: true } as const

describe('the vault', () => {
  test('opens what it sealed, and does not show it', () => {
    const { secrets } = account()
    const sealed = secrets.sealVariable(given)
    expect(JSON.stringify(sealed)).not.toContain('correct horse')
    expect(secrets.openVariable(sealed)).toBe('correct horse')
  })

  test('does not open a value that was copied to another row, or changed', () => {
    const { secrets } = account()
    const sealed = secrets.sealVariable(given)
    expect(() => secrets.openVariable({ ...sealed, id: 'var_other' })).toThrow()
    const flipped = sealed.sealedValue.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect(() => secrets.openVariable({ ...sealed, sealedValue: flipped })).toThrow()
  })

  test('keeps accounts apart', () => {
    const { vault, secrets } = account()
    const other = vault.forAccount({ id: 'acc_2', dataKey: vault.wrapNewKey('acc_2') })
    expect(() => other.openVariable(secrets.sealVariable(given))).toThrow()
    expect(() => vault.forAccount({ id: 'acc_2', dataKey: account(vault).record.dataKey })).toThrow()
  })

  test('tells equal values from different ones by fingerprint', () => {
    const { secrets } = account()
    const [one, two] = [secrets.sealVariable(given), secrets.sealVariable(given)]
    expect(one.sealedValue).not.toBe(two.sealedValue)
    expect(one.fingerprint).toBe(two.fingerprint)
    expect(secrets.sealVariable({ ...given, value: 'other' }).fingerprint).not.toBe(one.fingerprint)
  })

  test('knows another master key', () => {
    const { vault } = account()
    expect(vault.passesCheck(vault.keyCheck())).toBe(true)
    expect(createVault(newKey()).passesCheck(vault.keyCheck())).toBe(false)
  })
})
