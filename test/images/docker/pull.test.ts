import { expect, test } from 'vitest'
import { failureOf } from '../../../src/images/docker/pull.ts'

// Messages seen from engines of several versions.
test.each([
  ['manifest for r.example/app:2 not found: manifest unknown: manifest unknown', 'unknown'],
  ['name unknown: repository name not known to registry', 'unknown'],
  ['unauthorized: authentication required', 'denied'],
  ['Head "https://r.example/v2/app/manifests/1": no basic auth credentials', 'denied'],
  [
    "pull access denied for nope, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    'denied',
  ],
  ['unexpected status from HEAD request to https://r.example/v2/app/manifests/1: 403 Forbidden', 'denied'],
  ['no matching manifest for linux/arm64/v8 in the manifest list entries', 'invalid'],
  ['mediaType in manifest should be application/vnd.docker.distribution.manifest.v2+json', 'invalid'],
  ['Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host', 'unreachable'],
  ['Get "http://127.0.0.1:5000/v2/": dial tcp 127.0.0.1:5000: connect: connection refused', 'unreachable'],
  ['net/http: request canceled (Client.Timeout exceeded while awaiting headers)', 'unreachable'],
  ['toomanyrequests: You have reached your pull rate limit', 'limited'],
  ['received unexpected HTTP status: 429 Too Many Requests', 'limited'],
  [
    'error parsing HTTP 200 response body: invalid character \'<\' looking for beginning of value: "<p>key</p>"',
    'failed',
  ],
  ['received unexpected HTTP status: 500 Internal Server Error', 'unreachable'],
])('reads "%s" as %s', (words, kind) => {
  expect(failureOf(words)).toMatchObject({ kind, message: words })
})

test('does not blame the image for a full disk', () => {
  const failure = failureOf('write /var/lib/docker/tmp/GetImageBlob1: no space left on device')
  expect(failure).not.toHaveProperty('kind')
  expect(failure.message).toContain('no space left')
})
