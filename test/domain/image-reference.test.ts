import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatImageReference, isImageReference, parseImageReference } from '../../src/domain/image-reference.ts'

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`

test.each([
  ['nginx', 'docker.io', 'library/nginx', 'latest', null],
  ['nginx:1.27', 'docker.io', 'library/nginx', '1.27', null],
  ['acme/shop', 'docker.io', 'acme/shop', 'latest', null],
  ['docker.io/nginx', 'docker.io', 'library/nginx', 'latest', null],
  ['index.docker.io/acme/shop:v1', 'docker.io', 'acme/shop', 'v1', null],
  ['localhost/app', 'localhost', 'app', 'latest', null],
  ['localhost:5000/app:2', 'localhost:5000', 'app', '2', null],
  ['127.0.0.1:5000/team/app', '127.0.0.1:5000', 'team/app', 'latest', null],
  ['GHCR.io/acme/web__site/a.b-c:x_Y.1', 'ghcr.io', 'acme/web__site/a.b-c', 'x_Y.1', null],
  [`nginx@${DIGEST}`, 'docker.io', 'library/nginx', null, DIGEST],
  [`r.example:443/app:1@${DIGEST}`, 'r.example:443', 'app', '1', DIGEST],
])('reads %s', (text, registry, repository, tag, digest) => {
  expect(parseImageReference(text)).toEqual({ reference: { registry, repository, tag, digest } })
})

test.each([
  ['', 'must not be empty'],
  ['a b', 'no spaces'],
  ['nginx\n', 'no spaces'],
  ['nginx:é', 'non-ASCII'],
  ['https://ghcr.io/acme/web', 'scheme'],
  ['x'.repeat(513), '512 characters'],
  ['Nginx', 'lower case'],
  ['-x', 'repository part "-x"'],
  ['a//b', 'repository part ""'],
  ['/nginx', 'repository part ""'],
  ['../../etc', 'registry ".."'],
  ['a/../b', 'repository part ".."'],
  ['nginx?x=1', 'repository part "nginx?x=1"'],
  ['nginx:', 'the tag ""'],
  ['nginx:-1', 'the tag "-1"'],
  [`nginx:${'t'.repeat(129)}`, 'the tag'],
  ['nginx@sha256:abc', 'digest'],
  [`nginx@${DIGEST}@${DIGEST}`, 'digest'],
  ['r.example:99999/app', 'registry "r.example:99999"'],
  ['r.example:0/app', 'registry'],
  ['-r.example/app', 'registry'],
  [DIGEST, 'image id'],
  [DIGEST.slice(7), 'image id'],
  [`${'a'.repeat(256)}`, '255 characters'],
])('refuses %j', (text, problem) => {
  expect(parseImageReference(text)).toEqual({ problem: expect.stringContaining(problem) })
  expect(isImageReference(text)).toBe(false)
})

test('reads back what it formats, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9.:/@_-]{1,60}$/)), (text) => {
      const parsed = parseImageReference(text)
      if ('problem' in parsed) return
      const { tag, digest } = parsed.reference
      const kept = { ...parsed.reference, tag: digest === null ? tag : null }
      expect(parseImageReference(formatImageReference(parsed.reference))).toEqual({ reference: kept })
    }),
  )
})
