import { describe, expect, test } from 'vitest'
import { asksToSkip, commitOf, repositoryKey } from '../../src/domain/git-push.ts'

describe('the key of a repository', () => {
  test.each([
    'https://git.example.com/acme/shop',
    'https://git.example.com/acme/shop.git',
    'https://git.example.com/acme/shop/',
    'http://git.example.com/Acme/Shop.git',
    'https://git.example.com:443/acme/shop.git',
    'https://GIT.example.com/acme/shop.GIT',
    'git@git.example.com:acme/shop.git',
    'git@git.example.com:/acme/shop.git',
    'ssh://git@git.example.com/acme/shop.git',
    'ssh://git@git.example.com:2222/acme/shop.git',
    'https://git.example.com/%61cme/shop',
  ])('is the same for %s', (address) => {
    expect(repositoryKey(address)).toBe('git.example.com/acme/shop')
  })

  test.each([
    ['https://git.example.com:8443/acme/shop', 'git.example.com:8443/acme/shop'],
    ['https://git.example.com/group/part/shop.git', 'git.example.com/group/part/shop'],
    ['git@other.example.com:acme/shop.git', 'other.example.com/acme/shop'],
  ])('tells %s from it', (address, key) => {
    expect(repositoryKey(address)).toBe(key)
  })

  test.each(['', 'shop', 'file:///srv/shop.git', 'https://git.example.com/', 'git://git.example.com/acme/shop'])(
    'is none for "%s"',
    (address) => {
      expect(repositoryKey(address)).toBeNull()
    },
  )
})

test.each([
  ['Fix it [skip ci]', true],
  ['[CI SKIP] Fix it', true],
  ['Fix it\n\n[skip ci]', true],
  ['Skip ci of it', false],
  ['Fix [skip  ci]', false],
])('"%s" asks to be skipped: %s', (message, expected) => {
  expect(asksToSkip({ message, isSkipped: false })).toBe(expected)
})

test('what a host marks itself is skipped, whatever the message', () => {
  expect(asksToSkip({ message: '', isSkipped: true })).toBe(true)
})

test.each([
  ['a'.repeat(40), 'a'.repeat(40)],
  ['a'.repeat(64), 'a'.repeat(64)],
  ['0'.repeat(40), null],
  ['a'.repeat(39), undefined],
  ['--upload-pack=x', undefined],
])('%s stands for the commit %s', (text, expected) => {
  expect(commitOf(text)).toBe(expected)
})
