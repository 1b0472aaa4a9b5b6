import { expect, test } from 'vitest'
import { failureOf } from '../../../../src/engines/docker/images/pull.ts'

// What engines say, and what it means, is in test/engines/docker/engine-words.test.ts.
test.each([
  ['manifest unknown', 'unknown'],
  ['unauthorized: authentication required', 'denied'],
  ['no matching manifest for linux/arm64/v8 in the manifest list entries', 'invalid'],
  ['toomanyrequests: You have reached your pull rate limit', 'limited'],
  ['error unmarshalling content: invalid character', 'failed'],
  ['something that no engine has said before', 'failed'],
  ['received unexpected HTTP status: 500 Internal Server Error', 'unreachable'],
])('reads "%s" as %s', (words, kind) => {
  expect(failureOf(words)).toMatchObject({ kind, message: words })
})

test.each([
  ['write /var/lib/docker/tmp/GetImageBlob1: no space left on device', 'no space left'],
  ['mkdir /var/lib/docker/tmp: read-only file system', 'disk'],
])('does not blame the image for "%s"', (words, reason) => {
  const failure = failureOf(words)
  expect(failure).not.toHaveProperty('kind')
  expect(failure.message).toContain(reason)
})
